"""Further shapes of logins: remembered, at another origin, at a host that looks alike."""

from urllib.parse import parse_qs

import pytest

from strap import PolicyDenied, testing
from tests.site.server import Reply, serve
from tests.support.browser import SETTINGS

pytestmark = pytest.mark.anyio
PASSWORD = "correct horse battery"
FORM = (
    "<title>Log in</title><form method=post action={action}><input name=password type=password"
    " aria-label=Password><label><input type=checkbox name=stay>Remember me</label>"
    "<button>Log in</button></form>"
)
LOOKALIKE = "sh\u043ep.test"
"""With a Cyrillic letter."""


class Provider:
    """Takes the password, and leads back with a ticket that the shop takes once."""

    def __init__(self) -> None:
        self.tickets: set[str] = set()
        self.shop = ""

    def sign_in(self, request):
        if parse_qs(request.body.decode())["password"] != [PASSWORD]:
            return "<title>Wrong</title><h1>Wrong password</h1>"
        self.tickets.add("ticket-1")
        return Reply(status=303, headers={"Location": f"{self.shop}/back?ticket=ticket-1"})

    def back(self, request):
        self.tickets.remove(request.query["ticket"][0])
        return Reply(status=303, headers={"Location": "/home", "Set-Cookie": "sid=ada; Path=/"})


def home(request):
    cookie = request.headers.get("cookie", "")
    return f"<title>Home</title><h1>{'Welcome Ada' if 'sid=ada' in cookie else 'Signed out'}</h1>"


def check(request):
    sent = parse_qs(request.body.decode())
    if sent.get("password") != [PASSWORD]:
        return "<title>Wrong</title><h1>Wrong password</h1>"
    age = "; Max-Age=86400" if "stay" in sent else ""
    cookie = f"sid=ada; Path=/{age}"
    return Reply(status=303, headers={"Location": "/home", "Set-Cookie": cookie})


@pytest.fixture
def provider():
    made = Provider()
    with serve({"/": FORM.format(action="/in"), "/in": made.sign_in}) as site:
        made.url = str(site)
        yield made


@pytest.fixture
def shop(provider):
    routes = {
        "/": FORM.format(action="/check"),
        "/check": check,
        "/home": home,
        "/back": provider.back,
        "/sso": Reply(status=302, headers={"Location": f"{provider.url}/"}),
    }
    with serve(routes) as site:
        provider.shop = str(site)
        yield str(site)


@pytest.fixture
async def web(tmp_path, shop, provider):
    secrets = {
        "shop": {"value": PASSWORD, "origins": [shop]},
        "sso": {"value": PASSWORD, "origins": [provider.url]},
    }
    async with testing.router(
        home=tmp_path,
        network="all",
        plugins={"browser": SETTINGS},
        secrets=secrets,
        resolver=everything_is_here,
    ) as opened:
        await opened(resource="browser", action="launch")
        yield opened


async def everything_is_here(host, port):
    return ["127.0.0.1"]


async def log_in(web, url, name):
    await web(resource="browser", action="navigate", url=url)
    await web(resource="browser", action="fill", ref='textbox "Password"', value=f"{{{{{name}}}}}")
    return await web(resource="browser", action="click", ref='button "Log in"')


async def test_remember_me_is_saved_and_holds_for_another_caller(web, shop):
    await web(resource="browser", action="navigate", url=shop)
    await web(resource="browser", action="click", ref='checkbox "Remember me"')
    await web(resource="browser", action="fill", ref='textbox "Password"', value="{{shop}}")
    answer = await web(resource="browser", action="click", ref='button "Log in"')
    assert "Welcome Ada" in answer.text
    state = {"resource": "browser", "action": "setup_state", "state_id": "shop"}
    assert "Saved the state 'shop' (1 cookie" in (await web(**state)).text
    restored = await web.as_caller("other")(**state, url=f"{shop}/home")
    assert "Welcome Ada" in restored.text


async def test_a_login_at_another_origin_takes_the_secret_of_that_origin(web, shop, provider):
    await web(resource="browser", action="navigate", url=f"{shop}/sso")
    fill = {"resource": "browser", "action": "fill", "ref": 'textbox "Password"'}
    with pytest.raises(PolicyDenied, match=f"The secret 'shop' is not for '{provider.url}'"):
        await web(**fill, value="{{shop}}")
    await web(**fill, value="{{sso}}")
    answer = await web(resource="browser", action="click", ref='button "Log in"')
    assert "Welcome Ada" in answer.text
    assert PASSWORD not in answer.text


async def test_a_host_that_looks_alike_is_refused_in_punycode(web, shop):
    port = shop.rpartition(":")[2]
    with pytest.raises(PolicyDenied) as denied:
        await log_in(web, f"http://{LOOKALIKE}:{port}/", "shop")
    said = str(denied.value)
    assert f"is not for 'http://{LOOKALIKE.encode('idna').decode()}:{port}'" in said
    assert f"It is for {shop}." in said
    assert LOOKALIKE not in said
    assert PASSWORD not in said
