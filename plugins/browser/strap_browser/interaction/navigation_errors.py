"""Sentences for failed navigations, by Chromium's error codes (net_error_list.h)."""

from urllib.parse import urlsplit

from strap import ActionError, PolicyDenied

NET_ERROR = "net::ERR_"
ERRORS = {
    "NAME_NOT_RESOLVED": ("There is no host {host!r}.", "Check the spelling."),
    "CONNECTION_REFUSED": ("{host!r} refused the connection.", "Is a server running there?"),
    "CONNECTION_RESET": ("{host!r} broke off the connection.", "Try again."),
    "CONNECTION_CLOSED": ("{host!r} closed the connection.", "Try again."),
    "EMPTY_RESPONSE": ("{host!r} closed the connection without an answer.", "Try again."),
    "CONNECTION_TIMED_OUT": ("{host!r} did not answer.", "Try again later."),
    "TIMED_OUT": ("{host!r} did not answer in time.", "Try again later."),
    "ADDRESS_UNREACHABLE": ("{host!r} cannot be reached.", "Check the address."),
    "INTERNET_DISCONNECTED": ("There is no network connection.", "Try again later."),
    "INVALID_HTTP_RESPONSE": (
        "{host!r} did not answer with HTTP.",
        "Check scheme and port: https:// may be what it speaks.",
    ),
    "TOO_MANY_REDIRECTS": (
        "{host!r} redirects for ever.",
        "It may want a cookie or a login: begin at its first page.",
    ),
    "TUNNEL_CONNECTION_FAILED": (
        "{host!r} cannot be reached, or strap does not allow it.",
        "Check the address.",
    ),
    "PROXY_CONNECTION_FAILED": (
        "The proxy cannot be reached.",
        "Correct `proxy` in the settings of the profile.",
    ),
    "INVALID_URL": ("{url!r} is not a valid URL.", "Give one like https://example.com/."),
    "UNSAFE_REDIRECT": (
        "{host!r} redirects to an address that is neither http: nor https:.",
        "Such addresses are not opened: ask for the page by another one.",
    ),
    "UNSAFE_PORT": (
        "The port of {url!r} is not for the web.",
        "Browsers refuse it: give another one.",
    ),
    "INVALID_AUTH_CREDENTIALS": (
        "{host!r} asks for a user name and a password (HTTP status 401).",
        "`http fetch` takes an Authorization header; the setting `basic_auth` gives pages one.",
    ),
    "BLOCKED_BY_CLIENT": ("The browser blocked {url!r}.", "`http fetch` may get it."),
    "CACHE_MISS": (
        "{url!r} is the answer to a form, which is not sent again.",
        "`reload value=resend` sends it.",
    ),
    "ABORTED": ("{host!r} answered without a page.", "It may be an empty answer (HTTP 204)."),
}
TRANSIENT = frozenset(
    (
        "CONNECTION_CLOSED",
        "CONNECTION_REFUSED",
        "CONNECTION_RESET",
        "CONNECTION_TIMED_OUT",
        "EMPTY_RESPONSE",
        "INTERNET_DISCONNECTED",
        "TIMED_OUT",
    )
)
"""Errors that may be over when the call is repeated."""


def reason_of(failure: str, url: str) -> str:
    """Return in a sentence why `url` was not opened, or Chromium's own word for what is rare."""
    name = failure.removeprefix(NET_ERROR)
    words = ERRORS.get(name)
    if words is None:
        return failure.removeprefix("net::")
    return " ".join(words).format(host=urlsplit(url).hostname, url=url)


def explained(reason: str, url: str, host: str) -> Exception:
    """Return the error that says what a navigation to `url` failed of, as `net::ERR_ABORTED`."""
    if not reason.startswith(NET_ERROR):
        return ActionError(f"Cannot open {url!r}: {reason}", code="navigation")
    name = reason.removeprefix(NET_ERROR)
    if name.startswith(("CERT_", "SSL_", "BAD_SSL")):
        reason = name.removeprefix("CERT_").replace("_", " ").lower()
        return ActionError(
            f"The connection to {host!r} is not secure: the certificate or the protocol is "
            f"refused ({reason}).",
            hint="Check the address, or use http:// if the server speaks no TLS.",
            code="tls",
        )
    if name == "BLOCKED_BY_RESPONSE":
        return PolicyDenied(f"The server of {url!r} does not allow the page to be shown.")
    unknown = (f"Cannot open {{url!r}} ({name}).", "Check the address, or try again later.")
    message, hint = ERRORS.get(name, unknown)
    return ActionError(
        message.format(host=host, url=url),
        hint=hint,
        code=name.lower(),
        retryable=name in TRANSIENT,
    )
