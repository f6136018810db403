"""Network errors of Firefox, by Chromium's names."""

import re

TLS = re.compile(r"\b(?:SEC|SSL|MOZILLA_PKIX)_ERROR_([A-Z0-9_]+)|NS_ERROR_MODULE_SECURITY")
SOCKS = "SOCKS_CONNECTION_FAILED"
"""All that comes of a server that the guarding proxy did not reach; it knows why."""
NETWORK_ERRORS = {
    "NS_BINDING_ABORTED": "ABORTED",
    "NS_ERROR_ABORT": "ABORTED",
    "NS_ERROR_CONNECTION_REFUSED": SOCKS,
    "NS_ERROR_CORRUPTED_CONTENT": "INVALID_RESPONSE",
    "NS_ERROR_MALFORMED_URI": "INVALID_URL",
    "NS_ERROR_NET_EMPTY_RESPONSE": "EMPTY_RESPONSE",
    "NS_ERROR_NET_INTERRUPT": "CONNECTION_CLOSED",
    "NS_ERROR_NET_RESET": "CONNECTION_RESET",
    "NS_ERROR_NET_TIMEOUT": SOCKS,
    "NS_ERROR_OFFLINE": "INTERNET_DISCONNECTED",
    "NS_ERROR_PORT_ACCESS_NOT_ALLOWED": "UNSAFE_PORT",
    "NS_ERROR_PROXY_CONNECTION_REFUSED": SOCKS,
    "NS_ERROR_REDIRECT_LOOP": "TOO_MANY_REDIRECTS",
    "NS_ERROR_UNKNOWN_HOST": SOCKS,
    "NS_ERROR_UNKNOWN_PROTOCOL": "UNKNOWN_URL_SCHEME",
    "NS_ERROR_UNKNOWN_PROXY_HOST": SOCKS,
}
"""Chromium's names for Firefox's errors; messages are written from Chromium's."""


def net_error(message: str) -> str:
    """Return a failure in Chromium's words, as `net::ERR_ABORTED`."""
    name = next((word for word in message.replace(":", " ").split() if word.isupper()), message)
    if match := TLS.search(message):
        return f"net::ERR_CERT_{match[1] or 'INVALID'}"
    return f"net::ERR_{NETWORK_ERRORS.get(name, name.removeprefix('NS_ERROR_'))}"
