"""A public page leads to nothing private in a run that began on this machine; its agent may go.

The private server is one of TLS: who asks cannot be read there, so all depends on who led there.
"""

import asyncio
from types import SimpleNamespace

import pytest

from strap_agent.monitor.initiators import Initiators
from strap_browser.api import PausedRequest
from strap_browser.proxy import connecting
from tests.site.server import Reply, serve
from tests.support.model_server import act, done

from .lab import laboratory

pytestmark = pytest.mark.anyio
PUBLIC = "http://public.test"
ADDRESS = "93.184.215.14"
PAGE = """<!doctype html><title>Public</title><h1>Public</h1><iframe src="PRIVATE/frame"></iframe>
<iframe srcdoc="<img src='PRIVATE/blank'>"></iframe>
<script>
fetch("PRIVATE/fetch", {mode: "no-cors", referrerPolicy: "no-referrer"});
new Worker(URL.createObjectURL(new Blob([`fetch("PRIVATE/worker", {mode: "no-cors"})`])));
</script>"""


async def names(host, port):
    return (ADDRESS,) if host == "public.test" else ()


@pytest.fixture
async def private():
    """The address of a server that speaks TLS as far as its callers go, and how often it was."""
    connections = []

    async def connected(reader, writer):
        connections.append(await reader.read(1))
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", connections


async def test_who_may_lead_to_a_private_server(site, tmp_path, private, monkeypatch):
    address, connections = private
    connect = connecting.open_stream
    with serve({"/": PAGE.replace("PRIVATE", address)}) as public:

        async def connect_as_told(host, port):
            return (
                await connect("127.0.0.1", public.port)
                if host == ADDRESS
                else (await connect(host, port))
            )

        monkeypatch.setattr(connecting, "open_stream", connect_as_told)
        async with laboratory(tmp_path, site, resolver=names) as lab:
            by_page, seen = [], len(connections)

            def look(body):
                by_page.extend(connections[seen:])
                return act("navigate", url=f"{address}/agent", new_tab=False)

            answer = await lab.run(
                act("navigate", url=PUBLIC, new_tab=False), act("wait", seconds=2), look, done("ok")
            )
            events = await lab.events(answer, event_types=["network"], has_error=True)
    assert [r.path for r in public.requests if r.path == "/"] == ["/"]
    assert by_page == []
    assert connections, "the agent itself goes there"
    refused = [e["summary"] for e in events if "refused by strap" in e["summary"]]
    for way in ("frame", "blank", "fetch", "worker"):
        assert any(f"{address}/{way}" in line for line in refused), way


async def test_a_redirect_of_a_public_site_leads_nowhere_private(
    site, tmp_path, private, monkeypatch
):
    address, connections = private
    connect = connecting.open_stream
    led = Reply(status=302, headers={"Location": f"{address}/led"})
    with serve({"/on": led, "/": Reply(status=302, headers={"Location": "/on"})}) as public:

        async def connect_as_told(host, port):
            return await connect("127.0.0.1", public.port if host == ADDRESS else port)

        monkeypatch.setattr(connecting, "open_stream", connect_as_told)
        async with laboratory(tmp_path, site, resolver=names) as lab:
            there = act("navigate", url=str(site), new_tab=False)
            answer = await lab.run(
                there,
                act("navigate", url=PUBLIC, new_tab=False),
                act("wait", seconds=1),
                done("ok"),
            )
            events = await lab.events(answer, event_types=["network"], has_error=True)
    assert [r.path for r in public.requests][:2] == ["/", "/on"]
    assert connections == []
    assert any(
        f"{address}/led" in e["summary"] and "refused by strap" in e["summary"] for e in events
    )


def paused(session="s", kind="Document", frame="page", headers=None, **more):
    request = {"url": "http://a.test/", "method": "GET", "headers": headers or {}}
    event = {"requestId": "1", "resourceType": kind, "frameId": frame, "request": request}
    return PausedRequest.of(SimpleNamespace(id=session), event | more)


def target(name, url, kind="page", **more):
    return {"targetId": name, "type": kind, "url": url, **more}


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        (paused(), True),
        (paused(headers={"Referer": "http://a.test/"}), False),
        (paused(redirectedRequestId="1"), False),
        (paused(frame="frame"), False),
        (paused(kind="Script"), False),
    ],
    ids=["the agent", "a link", "a redirect", "a frame", "a script"],
)
def test_who_leads_a_page(asked, led):
    provenance = Initiators()
    provenance.attached(target("page", "about:blank"), "s", "")
    assert provenance.led(asked) is led
    assert provenance.page("s") == ""


def test_what_a_page_makes_asks_as_the_page():
    provenance = Initiators()
    provenance.attached(target("page", "http://a.test/"), "s", "")
    provenance.attached(target("worker", "blob:http://a.test/1", "worker"), "w", "s")
    provenance.attached(target("frame", "http://b.test/", "iframe"), "f", "s")
    provenance.attached(target("pop", "about:blank", openerId="page"), "p", "")
    pages = [provenance.page(session) for session in ("s", "w", "f", "p", "unknown")]
    assert pages == ["http://a.test/", "http://a.test/", "http://b.test/", "http://a.test/", ""]
    assert not provenance.led(paused("p", frame="pop"))
    provenance.changed(target("pop", "http://c.test/"))
    provenance.destroyed("page")
    assert (provenance.page("p"), provenance.page("w")) == ("http://c.test/", "http://a.test/")
    assert provenance.led(paused("p", frame="pop"))
