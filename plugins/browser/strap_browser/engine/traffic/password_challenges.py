"""Servers that ask for a user name and a password: HTTP status 401 with WWW-Authenticate.

Source: RFC 9110, 11.6.1; the domain Fetch of the Chrome DevTools protocol.
"""

from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdp_use.cdp.fetch.types import AuthChallenge

    from strap_browser.engine.traffic.requests import Response

UNAUTHORIZED = "net::ERR_INVALID_AUTH_CREDENTIALS"
"""Error of a navigation to it, in a browser that would ask a person."""
SCHEMES = ("basic", "digest", "ntlm")
"""Ways to log in that a browser asks a person about."""


def is_challenge(response: "Response | None") -> bool:
    """Whether a server asks for a user name and a password."""
    if response is None or response.status != HTTPStatus.UNAUTHORIZED:
        return False
    challenges = response.headers.get("www-authenticate", "").lower().replace(",", "\n")
    return any(line.lstrip().startswith(SCHEMES) for line in challenges.split("\n"))


def given_up(challenge: "AuthChallenge") -> dict[str, str]:
    """Return the answer to a challenge that gives no password; a proxy gets the browser's own."""
    is_proxy = challenge.get("source") == "Proxy"
    return {"response": "Default" if is_proxy else "CancelAuth"}
