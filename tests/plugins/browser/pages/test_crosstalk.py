"""Many callers at once: each sees its own pages, cookies, refs and downloads, and no others."""

import asyncio

import pytest

from tests.site.server import Reply

from .conftest import Page, ref_in

pytestmark = pytest.mark.anyio
CALLERS = 20


def room(request):
    """A page that knows its visitor by a cookie, and has a file for it."""
    (name,) = request.query["name"]
    body = f"""<title>{name}</title><button>Ring</button><a href="/file?name={name}">File</a>
        <p role=status></p><script>const who = document.cookie;
        document.querySelector("button").onclick = () => {{
          document.querySelector("p").textContent = `Rang ${{who}}`;
        }};</script>"""
    return Reply(headers={"Set-Cookie": f"room={name}"}, body=body)


def file(request):
    (name,) = request.query["name"]
    return Reply(
        body=name,
        headers={
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f'attachment; filename="{name}.bin"',
        },
    )


ROOMS = {"/room": room, "/file": file}


@pytest.fixture
def rooms(serve_site):
    return serve_site(ROOMS)


async def stay(page, name):
    """Do a little of everything, and check that it was done to this caller's own things."""
    await page("navigate", url=f"{page.site}/room?name={name}")
    shown = await page("navigate", url=f"{page.site}/room?name={name}")
    assert f"Rang room={name}" in await page("click", ref=ref_in(shown, 'button "Ring"'))
    await page("click", ref=ref_in(shown, 'link "File"'))
    async with asyncio.timeout(60):
        while " at " not in (listed := await page("downloads")):  # noqa: ASYNC110 - a call, no event
            await asyncio.sleep(0.1)
    assert listed.startswith(f"'{name}.bin' (")
    assert listed.count("\n") == 0
    assert await page("cookies") == f"room={name} 127.0.0.1/ session"
    assert (await page("list_pages")).count("\n") == 0
    assert f"room?name={name}" in await page("network", text="room")
    assert (await page("network", text="room")).count("room?name=") == 2


async def test_sessions_and_handles(shared, rooms):
    pages = []
    for number in range(CALLERS):
        caller = shared.as_caller(f"guest{number}" if number % 2 else None)
        page = Page(caller, rooms)
        if not number % 2:
            page = Handled(caller, rooms, f"handle{number}")
        pages.append((page, f"n{number}"))
    await asyncio.gather(*(stay(page, name) for page, name in pages))
    keys = [f"local/guest{n}" if n % 2 else f"local/handle{n}" for n in range(CALLERS)]
    await asyncio.gather(*(shared.router.end_session(key) for key in keys))


class Handled(Page):
    """A caller whose transport has no sessions: it gives a handle with each call."""

    def __init__(self, web, site, handle):
        super().__init__(web, site)
        self.handle = handle

    async def result(self, action, **fields):
        return await super().result(action, session=self.handle, **fields)
