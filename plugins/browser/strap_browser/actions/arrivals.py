"""Whether a page is at an address, and whether it got the answer to a request."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from strap import UsageError
from strap_browser.common.urls import fits_pattern

if TYPE_CHECKING:
    from strap_browser.interaction.page_state import PageState

AT = "url="
"""How a line of `value` begins that says which address the page comes to."""
SINCE = "since="
"""The same for the time after which a request was sent, by the clock of this process."""
_SINCE = re.compile(SINCE + r"\d+(\.\d+)?")
_METHOD = re.compile(r"[A-Za-z]{1,20}")
_REQUEST = re.compile(r"[A-Za-z]{1,20} +[/*h]")


def is_at(address: str, url: str) -> bool:
    """Whether an address is the one that is wanted: as a whole, or by its path.

    A path with a query or a fragment has to have both as they are; `*` stands for anything.
    """
    parts = urlsplit(url)
    if not address.startswith("/"):
        return fits_pattern(address, url) or (
            "#" not in address and fits_pattern(address, url.partition("#")[0])
        )
    query = f"?{parts.query}" if parts.query and "?" in address else ""
    fragment = f"#{parts.fragment}" if parts.fragment and "#" in address else ""
    return fits_pattern(address, (parts.path or "/") + query + fragment)


def read_request(text: str) -> tuple[str, str]:
    """Return method and path of a request; raises `UsageError`."""
    method, _, path = text.strip().partition(" ")
    if not (_METHOD.fullmatch(method) and path.strip()):
        raise UsageError(
            f"request={text[:100]!r} has no method and path.",
            hint="Write it as in POST /api/orders.",
        )
    return method.upper(), path.strip()


def as_value(url: str, request: str, since: str, value: str) -> str:
    """Return these as lines of the field `value`; `value` may be a request.

    Raises `UsageError` for what is no request, and for a `value` value that says something else.
    """
    if request:
        read_request(request)
        if value:
            raise UsageError(f"Leave value={value!r} out: request needs none.")
    if url and value and not is_request(value):
        raise UsageError(f"Leave value={value!r} out: url needs none.")
    return "\n".join(filter(None, (url and AT + url, since and SINCE + since, request or value)))


def arrivals_in(value: str) -> dict[str, str]:
    """Return the `url`, `request` and `since` that a field `value` says, {} for any other value.

    Raises `UsageError` for one that says more.
    """
    lines = value.splitlines()
    fields = {_field_of(line): line.removeprefix(AT).removeprefix(SINCE) for line in lines}
    if not fields.keys() - {""}:
        return {}
    if "" in fields or len(fields) < len(lines):
        raise UsageError(f"value={value!r} says more than an address and a request.")
    return fields


def _field_of(line: str) -> str:
    if line.startswith(AT):
        return "url"
    if _SINCE.fullmatch(line):
        return "since"
    return "request" if is_request(line) else ""


def is_request(text: str) -> bool:
    """Whether a text names a request, by its method and path."""
    return _REQUEST.match(text.strip()) is not None


def answered_at(state: "PageState", request: str, since: float | None) -> float | None:
    """Return when such a request was sent that the page got an answer to, None without one.

    It was sent after `since`, if that is given, else by the last call that acted on the page.
    """
    method, address = read_request(request)
    for exchange in state.tab.records.exchanges:
        is_new = exchange.began >= state.acted if since is None else exchange.began > since
        is_it = is_new and exchange.status is not None and exchange.request.method == method
        if is_it and is_at(address, exchange.request.url):
            return exchange.began
    return None
