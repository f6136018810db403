"""How known services lend browsers, as data: one more is one more entry.

Written from the documentation of the services; tests run hubs that behave as it says.
"""

from collections.abc import Mapping

from strap_browser.settings.leasing import KeepAlive, LeaseRequest, LeaseSettings, LeaseTable

_CAPABILITIES = {"browserName": "chrome", "goog:chromeOptions": {"args": ["--headless=new"]}}

RECIPES: Mapping[str, LeaseTable] = {
    # Nodes end a session after 300 s without a WebDriver command: what DevTools does is none.
    "selenium": LeaseTable(
        create=LeaseRequest(path="/session", body={"capabilities": {"alwaysMatch": _CAPABILITIES}}),
        address="/value/capabilities/se:cdp",
        id="/value/sessionId",
        keep_alive=KeepAlive(path="/session/{id}/url"),
        release=LeaseRequest(method="DELETE", path="/session/{id}"),
    ),
    "browserless": LeaseTable(),
    "steel": LeaseTable(
        create=LeaseRequest(path="/v1/sessions", body={"timeout": "{ms}"}),
        address="/websocketUrl",
        id="/id",
        keep_alive=KeepAlive(path="/v1/sessions/{id}", state="/status", alive="live"),
        release=LeaseRequest(path="/v1/sessions/{id}/release"),
        query={"apiKey": "steel-api-key"},
        hosts=("connect.steel.dev",),
    ),
    "browserbase": LeaseTable(
        create=LeaseRequest(path="/v1/sessions", body={"timeout": "{seconds}"}),
        address="/connectUrl",
        id="/id",
        release=LeaseRequest(path="/v1/sessions/{id}", body={"status": "REQUEST_RELEASE"}),
        most_s=21_600,
        hosts=("connect.browserbase.com", "connect.usw2.browserbase.com"),
    ),
    "cloudflare": LeaseTable(
        create=LeaseRequest(path="/devtools/browser?keep_alive={ms}"),
        address="/webSocketDebuggerUrl",
        id="/sessionId",
        most_s=600,
        release=LeaseRequest(method="DELETE", path="/devtools/browser/{id}"),
    ),
}


def recipe_of(settings: LeaseSettings) -> LeaseTable:
    """Return the recipe of a profile's provider."""
    if settings.lease is not None:
        return settings.lease
    return RECIPES[settings.provider or "browserless"]
