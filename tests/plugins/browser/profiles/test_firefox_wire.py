"""Rules for requests in a real Firefox: those of a caller, and those of the settings."""

import pytest

from strap import testing
from tests.site.server import Reply
from tests.support.caller import Caller

from .test_firefox import pytestmark as there

pytestmark = there
SCRIPT = {"Content-Type": "text/javascript"}
PAGE = """<title>Shop</title><script>document.write(window.early)</script>
<script src=/ads/a.js></script>"""
ASK = "fetch('/api').then(async (r) => r.status + ' ' + await r.text(), () => 'failed')"


def logged_in(request):
    known = request.headers.get("authorization", "").startswith("Basic ")
    return "<h1>Welcome</h1>" if known else Reply(status=401, body="<h1>Who are you?</h1>")


@pytest.fixture(scope="module")
def site():
    from tests.site.server import serve

    ads = Reply(headers=SCRIPT, body="document.title = 'Ad'")
    with serve({"/": PAGE, "/ads/a.js": ads, "/api": "real", "/in": logged_in}) as served:
        yield served


@pytest.fixture(scope="module")
async def fox(tmp_path_factory, anyio_backend, site):
    home = tmp_path_factory.mktemp("home")
    (home / "early.js").write_text("window.early = 'Early bird'")
    own = {"block": ["/ads/"], "init_scripts": [str(home / "early.js")]}
    profiles = {"fox": {"driver": "firefox", "basic_auth": ["ada:{{shop}}"], **own}}
    plugins = {"browser": {"headless": True, "profiles": profiles}}
    secrets = {"shop": {"value": "correct-horse", "origins": [str(site)]}}
    async with testing.router(home=home, network="local", plugins=plugins, secrets=secrets) as web:
        caller = Caller(web, site, profile="fox")
        await caller("launch")
        await caller.open("/")
        yield caller


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        ({"value": "500", "body": '{"error": 1}'}, '500 {\\"error\\": 1}'),
        ({"value": "block"}, "failed"),
        ({"value": "delay=50"}, "200 real"),
    ],
)
async def test_what_a_page_gets(fox, rule, seen):
    await fox("mock", url="*/api", **rule)
    assert seen in await fox("evaluate", text=ASK)
    assert "1 hit" in await fox("mock")
    await fox("mock", value="clear")
    assert "200 real" in await fox("evaluate", text=ASK)


async def test_a_request_is_not_held(fox):
    assert (await fox.fails("mock", value="hold")).code == "unsupported"


async def test_what_settings_say(fox, site):
    assert "Early bird" in await fox.open("/")
    assert "/ads/a.js" not in [each.path for each in site.requests]
    assert "Welcome" in await fox.open("/in")
