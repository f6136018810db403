"""Requests of an action that leaves no trace on the page."""

import re

import pytest

from tests.site.server import Reply

pytestmark = pytest.mark.anyio
NOTHING_ELSE = "Nothing else has changed so far."
FILE = {
    "Content-Type": "application/octet-stream",
    "Content-Disposition": 'attachment; filename="file.bin"',
}
FORMS = {
    "empty": "<form action=/empty method=post><button>Go</button></form>",
    "reset": "<form action=/reset method=post><button>Go</button></form>",
    "hidden": "<iframe name=h style='display:none'></iframe>"
    "<form action=/more method=post target=h><button>Go</button></form>",
    "led on": "<form action=/led method=post><button>Go</button></form>",
    "script": "<form id=f action=/empty method=post></form>"
    "<button onclick='f.submit()'>Go</button>",
    "file": "<form action=/file method=post><button>Go</button></form>",
    "read": "<form action=/empty><button>Go</button></form>",
    "link": "<a href=/empty>Go</a>",
}
TOLD = {
    "empty": ["POST /empty: 204"],
    "reset": ["POST /reset: 205"],
    "hidden": ["POST /more: 200"],
    "led on": ["POST /led: 303", "GET /empty: 204"],
    "script": ["POST /empty: 204"],
    "file": ["POST /file: 200"],
    "read": ["GET /empty: 204"],
    "link": ["GET /empty: 204"],
}


@pytest.fixture
def sending(serve_site):
    routes = {
        "/empty": Reply(status=204),
        "/reset": Reply(status=205),
        "/more": "ok",
        "/led": Reply(status=303, headers={"Location": "/empty"}),
        "/file": Reply(body=b"12345", headers=FILE),
    }

    def serve(body, **more):
        return serve_site({"/": f"<!doctype html><title>T</title>{body}"} | routes | more)

    return serve


@pytest.mark.parametrize("form", FORMS)
async def test_what_leaves_the_page_as_it_is(page, sending, form):
    site = sending(FORMS[form])
    await page("navigate", url=site)
    answer = await page("click", selector="button, a")
    sent = [line for line in answer.splitlines() if line.startswith("The page sent")]
    assert [re.sub(r" \(r\d+\)\.$", "", line) for line in sent] == [
        f"The page sent {each}" for each in TOLD[form]
    ]
    assert NOTHING_ELSE in answer
    ref = re.search(r"\((r\d+)\)", sent[0])[1]
    assert f"{ref} {TOLD[form][0].split()[0]} " in await page("network")
    told = {f"{request.method} {request.path}" for request in site.requests}
    assert told >= {each.split(":")[0] for each in TOLD[form]}


async def test_a_form_that_is_sent_by_a_key(page, sending):
    await page("navigate", url=sending("<form action=/empty method=post><input></form>"))
    answer = await page("press", selector="input", key="Enter")
    assert re.search(r"\nThe page sent POST /empty: 204 \(r\d+\)\.\nNothing else", answer)


async def test_a_document_is_not_told_as_sent(page, sending):
    await page("navigate", url=sending("<form action=/more method=post><button>Go</button></form>"))
    answer = await page("click", selector="button")
    assert "Now at" in answer
    assert "The page sent" not in answer


async def test_a_file_that_came_is_told_before_nothing_else_is(page, sending):
    await page("navigate", url=sending("<a href=/file>Go</a>"))
    lines = (await page("click", selector="a")).splitlines()
    assert lines[1] == "A download started: 'file.bin'."
    assert lines[-1] == NOTHING_ELSE


SOCKET = """<button>Go</button><script>
const socket = new WebSocket('ws://127.0.0.1:PORT/chat?token=abcdef');
socket.onopen = () => { document.title = 'Open' };
document.querySelector('button').onclick = () => { CLICK };
</script>"""


@pytest.fixture
def open_socket(page, sending, echo):
    async def opened(click):
        body = SOCKET.replace("PORT", str(echo)).replace("CLICK", click)
        await page("navigate", url=sending(body))
        await page.until('"Open"')

    return opened


async def test_messages_over_a_socket(page, open_socket):
    await open_socket("socket.send('delete all password=hunter2')")
    answer = await page("click", selector="button")
    told = re.search(r"\nThe page sent 1 message over WebSocket /chat \((r\d+)\)\.\n", answer)
    assert NOTHING_ELSE in answer
    listed = await page("network", text="websocket")
    assert re.search(r"GET 101 websocket ws:\S+token=•••• [\d,]+ ms, 1 sent, \d received$", listed)
    shown = await page("network", ref=told[1])
    assert "\nMessages (> sent, < received):\n> delete all password=••••" in shown
    assert "hunter2" not in shown


async def test_bytes_and_many_messages_are_counted(page, open_socket):
    await open_socket("for (let i = 0; i < 40; i++) socket.send(new Uint8Array(6))")
    answer = await page("click", selector="button")
    ref = re.search(r"sent 40 messages over WebSocket /chat \((r\d+)\)", answer)[1]
    shown = await page("network", ref=ref)
    assert "the last 30 of" in shown
    assert " (8 characters of base64)" in shown


async def test_a_socket_that_does_not_open(page, sending):
    await page("navigate", url=sending("<script>new WebSocket('ws://127.0.0.1:9/no')</script>"))
    listed = await page("network", text="websocket")
    assert re.search(r"GET ERR_\w+ websocket ws://127.0.0.1:9/no", listed)
