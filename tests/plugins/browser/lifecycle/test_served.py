"""Many clients of one server over streamable HTTP: each sees its own things, and no others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from tests.mcp.http_server import open_session
from tests.plugins.browser.lifecycle.clients import Client, SessionClient
from tests.plugins.browser.pages.conftest import ref_in
from tests.site.server import Reply


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


@pytest.mark.parametrize("callers", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_sessions_and_handles(served, serve_site, callers):
    rooms = serve_site(ROOMS)
    clients = [
        SessionClient(served, open_session(served)) if number % 2 else Client(served, f"h{number}")
        for number in range(callers)
    ]
    together = threading.Barrier(callers)
    with ThreadPoolExecutor(callers) as pool:
        stays = [pool.submit(stay, c, f"n{n}", rooms, together) for n, c in enumerate(clients)]
    for each in stays:
        each.result()
    for client in clients[1::2]:
        ended = httpx2.delete(served.url, headers={"mcp-session-id": client.handle})
        assert ended.status_code == 200
    assert "room?name=n2 " in f"{clients[2].text(action='list_pages')} "


def stay(client, name, rooms, together):
    """Do a little of everything, at the same time as the others."""
    where = f"{rooms}/room?name={name}"
    for _ in range(2):
        shown = client.text(action="navigate", url=where, timeout=100)
        together.wait(100)
    assert f"Rang room={name}" in client.text(action="click", ref=ref_in(shown, 'button "Ring"'))
    together.wait(100)
    client.text(action="click", ref=ref_in(shown, 'link "File"'))
    while " at " not in (listed := client.text(action="downloads")):
        threading.Event().wait(0.1)
    assert listed.startswith(f"d1 '{name}.bin' (")
    assert "\n" not in listed
    assert client.text(action="cookies") == f"room={name} 127.0.0.1/ session"
    assert client.text(action="list_pages").count("\n") == 0
    assert client.text(action="network", text="room").count("room?name=") == 2
