"""Redirects: semantics, credentials, loops, and the guard on every hop."""

from contextlib import asynccontextmanager

import pytest

from strap import ActionError, Guard, PolicyDenied, Secrets, testing
from strap_http.message.redirects import redirected_request
from strap_http.message.request import build
from strap_http.message.secrets import NamedSecrets
from strap_http.pipeline.client import HttpClient
from strap_http.pipeline.follow import Exchange
from strap_http.settings import HttpSettings
from strap_http.transport import pinned_backend
from strap_http.transport.connections import Transport
from tests.site.server import Reply, serve
from tests.unit.names import SSRF, Names

pytestmark = pytest.mark.anyio


def to(location, status=302, **headers):
    return Reply(status=status, headers={"Location": location} | headers)


@asynccontextmanager
async def internet(site, mode="public"):
    """Send as if names resolved to public addresses, all of which lead to `site`."""
    connected = []

    async def connect(address, port):
        connected.append((address, port))
        return await pinned_backend.connect("127.0.0.1", site.port)

    settings = HttpSettings()
    transport = Transport(settings, connect)
    client = HttpClient(settings=settings, transport=transport, secrets=NamedSecrets(Secrets()))
    guard = Guard(mode, resolver=Names(SSRF["dns"]))

    async def send(url, method="GET", headers=None, body=None):
        request = build(method, url, headers or {}, body, user_agent="test")
        exchange = Exchange(guard=guard, client=client)
        return await exchange.run(request, seconds=10)

    send.connected = connected
    try:
        yield send
    finally:
        await transport.aclose()


async def test_a_location_with_line_breaks():
    request = build("GET", "http://public.test/", {}, None, user_agent="test")
    target = Guard("public").check_url(request.url)
    with pytest.raises(ActionError, match="malformed"):
        redirected_request(request, 302, "\r\nSet-Cookie: a=b", target)


async def test_rebinding_between_two_hops_is_caught():
    with serve({"/": to("http://rebind.test/again")}) as site:
        async with internet(site) as send:
            with pytest.raises(PolicyDenied, match="forbidden address"):
                await send("http://rebind.test/")
            assert send.connected == [("93.184.215.14", 80)]


async def test_connections_go_to_vetted_addresses_under_the_name():
    with serve({"/": "ok"}) as site:
        async with internet(site) as send:
            await send("http://dual.test/")
        assert send.connected[0] == ("2606:4700:4700::1111", 80)
        assert site.requests[0].headers["host"] == "dual.test"


@pytest.mark.parametrize(
    ("status", "method", "followed"),
    [
        (301, "POST", "GET"),
        (302, "POST", "GET"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (303, "HEAD", "HEAD"),
        (301, "PUT", "PUT"),
        (302, "DELETE", "DELETE"),
        (307, "POST", "POST"),
        (308, "PATCH", "PATCH"),
    ],
)
async def test_methods_after_a_redirect(web, status, method, followed):
    body = None if method in ("GET", "HEAD") else '{"a": 1}'
    with serve({"/": to("/next", status), "/next": "ok"}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/", "method": method}
        result = await web(**call, body=body)
    assert result.data["url"] == f"{site}/next"
    last = site.requests[-1]
    assert last.method == followed
    kept = followed == method and body is not None
    assert last.body == (b'{"a": 1}' if kept else b"")
    assert ("content-type" in last.headers) is kept


SECRETS = {
    "Authorization": "Bearer secret",
    "Cookie": "sid=secret",
    "X-Api-Key": "secret",
    "PRIVATE-TOKEN": "secret",
    "Accept-Language": "de",
}


async def test_credentials_stay_with_their_origin(web):
    with serve({"/other": "ok"}) as other:
        routes = {"/": to("/same"), "/same": to(f"{other}/other"), "/back": "ok"}
        with serve(routes) as site:
            call = {"resource": "http", "action": "fetch", "url": f"{site}/"}
            await web(**call, headers=SECRETS)
    for request in site.requests:
        assert request.headers["authorization"] == "Bearer secret"
        assert request.headers["private-token"] == "secret"
    assert "secret" not in str(other.requests[0].headers)
    assert other.requests[0].headers["accept-language"] == "de"


async def test_a_body_does_not_go_to_another_host():
    with serve({"/start": to("http://other.test/", 307), "/": "ok"}) as site:
        async with internet(site) as send:
            with pytest.raises(ActionError, match="with its body to another host") as caught:
                await send("http://public.test/start", "POST", body="secret")
            assert "http://other.test/" in caught.value.hint
        assert len(site.requests) == 1


async def test_loops_and_endless_chains_end(web):
    routes = {f"/{number}": to(f"/{number + 1}") for number in range(20)}
    with serve(routes | {"/loop": to("/pool"), "/pool": to("/loop")}) as site:
        call = {"resource": "http", "action": "fetch"}
        loop = await web.fails(**call, url=f"{site}/loop")
        assert len(site.requests) == 2
        chain = await web.fails(**call, url=f"{site}/0")
        assert len(site.requests) == 2 + 11
    assert str(loop).startswith(f"'{site}/loop' redirects in a loop. Try another address")
    assert str(chain).startswith(f"More than 10 redirects, the last to '{site}/11'. Call that")


async def test_cookies_live_as_long_as_the_redirects(web):
    def gate(request):
        if request.headers.get("cookie") == "seen=1":
            return "inside"
        return to("/gate", **{"Set-Cookie": "seen=1"})

    with serve({"/gate": gate}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/gate"}
        for _ in range(2):
            assert (await web(**call)).text.endswith("inside")
    cookies = [request.headers.get("cookie") for request in site.requests]
    assert cookies == [None, "seen=1", None, "seen=1"]


async def test_a_redirect_without_location_is_an_answer(web):
    with serve({"/": Reply(status=302, body="choose")}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/")
    assert result.text.startswith(f"302 text/html {site}/")


async def test_a_forbidden_redirect_names_where_it_came_from(web):
    with serve({"/": to("http://127.0.0.1:9/")}) as site:
        error = await web.fails(resource="http", action="fetch", url=f"{site}/")
    assert isinstance(error, PolicyDenied)
    assert str(error).startswith(f"'{site}/' redirects to a forbidden address: ")


async def test_a_host_that_the_policy_denies_is_denied_on_every_hop(tmp_path):
    with serve({"/": "secret"}) as other:
        elsewhere = f"http://localhost:{other.port}/"
        with serve({"/": to(elsewhere)}) as site:
            deny = ["http.*@localhost"]
            async with testing.router(home=tmp_path, network="local", deny=deny) as web:
                error = await web.fails(resource="http", action="fetch", url=f"{site}/")
        assert error.code == "denied"
        assert "The policy does not allow http.fetch for" in str(error)
        assert other.requests == []
