"""A shop where one is remembered, and that leads to a provider at another origin."""

from urllib.parse import parse_qs

import pytest

from tests.site.server import Reply, serve

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


async def everything_is_here(host, port):
    return ["127.0.0.1"]


def secrets_of(shop, provider):
    """A password for each of the two origins."""
    return {
        "shop": {"value": PASSWORD, "origins": [shop]},
        "sso": {"value": PASSWORD, "origins": [provider.url]},
    }
