"""Request that follows a redirect (RFC 9110 15.4).

See https://fetch.spec.whatwg.org/#http-redirect-fetch.
"""

import re
from urllib.parse import urljoin

from strap import ActionError, PolicyDenied, StrapError, VettedURL
from strap_http.message.request import Request

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def redirected_request(request: Request, status: int, location: str, target: VettedURL) -> Request:
    """Return the request that a redirect to `location` asks for; raises `ActionError`."""
    if _CONTROL.search(location):
        raise ActionError(f"{target.url!r} redirects to a malformed address.", code="redirect")
    # urljoin repairs "http:///host" and "http:host" in its own way; the guard refuses both.
    url = location if _ABSOLUTE.match(location) else urljoin(target.url, location)
    if status == 303 and request.method != "HEAD":
        return request.without_body("GET").at(url)
    if status in (301, 302) and request.method == "POST":
        return request.without_body("GET").at(url)
    return request.at(url)


def request_for_origin(request: Request, source: VettedURL, target: VettedURL) -> Request:
    """Return `request` as `target` may see it after a redirect; raises `ActionError`."""
    if source.origin == target.origin:
        return request
    if request.body is not None and source.host != target.host:
        raise ActionError(
            f"{source.url!r} redirects the {request.method} with its body to another host.",
            hint=f"Call url={target.url!r} yourself if it shall go there.",
            code="redirect",
        )
    return request.without_credentials()


def as_redirect_error(error: StrapError, source: VettedURL) -> StrapError:
    """An error about the address that `source` redirects to, which the caller did not write."""
    if isinstance(error, PolicyDenied):
        return PolicyDenied(
            f"{source.url!r} redirects to a forbidden address: {error.message}", code=error.code
        )
    return ActionError(
        f"{source.url!r} redirects to an address that cannot be fetched: {error.message}",
        code=error.code if isinstance(error, ActionError) else "redirect",
        retryable=error.retryable,
    )
