"""URLs, look-ups and redirects of tests/data/ssrf-cases.json through the real `browser.navigate`.

One Chromium in mode `public`; whatever it would connect to is led to one site on loopback.
"""

import pytest

from strap import PolicyDenied, testing
from strap_browser.proxy import connecting
from tests.site.server import Reply, serve
from tests.support.browser import ANY_BROWSER
from tests.unit.names import SSRF, Names, cases
from tests.unit.test_network_cases import CLASSES

pytestmark = pytest.mark.anyio
ICON = "/favicon.ico"
"""Path that a browser asks for later on, for the page before as well."""
# A browser follows a redirect with credentials and forgets them; a line break ends the field.
REDIRECTS = [
    case
    for case in cases("redirect")
    if case["code"] != "userinfo" and case["location"].isprintable()
]


@pytest.fixture(scope="module")
def site():
    reached = "<title>Reached</title><h1>Reached</h1>"
    moved = {
        f"/{case['id']}": Reply(status=302, headers={"Location": case["location"]})
        for case in REDIRECTS
    }
    with serve({**dict.fromkeys(("/", "/next", "/done"), reached), **moved}) as running:
        yield running


@pytest.fixture(scope="module")
async def web(tmp_path_factory, anyio_backend, site):
    settings = ANY_BROWSER
    connect = connecting.open_stream

    async def to_site(address, port):
        return await connect("127.0.0.1", site.port)

    patch = pytest.MonkeyPatch()
    patch.setattr(connecting, "open_stream", to_site)
    async with testing.router(
        home=tmp_path_factory.mktemp("home"),
        network="public",
        plugins={"browser": settings},
        resolver=Names(SSRF["dns"]),
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened
    patch.undo()


def of(*expect):
    return [case for case in cases("literal", "dns") if case["expect"] in expect]


async def test_blocked_before_the_browser_hears_of_it(web, site):
    site.requests.clear()
    for case in of("block"):
        error = await web.fails(resource="browser", action="navigate", url=case["url"])
        assert isinstance(error, CLASSES[case["code"]]), case
        if case["code"] == "blocked_metadata":
            assert error.code == "blocked_metadata", case
    assert site.requests == []


async def verdict(web, case):
    call = {"resource": "browser", "action": "navigate", "url": case["url"]}
    return (await web.router.answer(call))[1]


async def test_allowed(web, site):
    for case in of("allow", "pin"):
        site.requests.clear()
        error = await verdict(web, case)
        if case["expect"] == "pin" and error is not None:  # its name had moved when it connected
            assert error.code == "blocked_address", case
            assert site.requests == [], case
            continue
        # The site does not speak TLS; that the browser went there is what counts.
        assert error is None or case["url"].startswith("https:"), (case, error)
        assert error is not None or site.requests, case


async def test_debatable_cases_get_a_verdict(web):
    for case in of("either"):
        error = await verdict(web, case)
        assert error is None or error.code != "internal", (case, error)


@pytest.mark.parametrize("case", REDIRECTS, ids=[case["id"] for case in REDIRECTS])
async def test_redirects(web, site, case):
    site.requests.clear()
    start = f"http://public.test/{case['id']}"
    error = await verdict(web, {"url": start})
    if case["expect"] == "allow":
        assert error is None
        assert len(site.requests) > 1  # a browser asks for an icon as well
    else:
        assert isinstance(error, PolicyDenied)
        asked = [request.path for request in site.requests if request.path != ICON]
        assert asked == [f"/{case['id']}"]
