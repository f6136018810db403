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


def is_at(wanted: str, url: str) -> bool:
    """Whether an address is the one that is wanted: as a whole, or by its path.

    A path with a query or a fragment has to have both as they are; `*` stands for anything.
    """
    parts = urlsplit(url)
    if not wanted.startswith("/"):
        return fits_pattern(wanted, url) or (
            "#" not in wanted and fits_pattern(wanted, url.partition("#")[0])
        )
    query = f"?{parts.query}" if parts.query and "?" in wanted else ""
    fragment = f"#{parts.fragment}" if parts.fragment and "#" in wanted else ""
    return fits_pattern(wanted, (parts.path or "/") + query + fragment)


def read_request(text: str) -> tuple[str, str]:
    """Return method and path of a request; raises `UsageError`."""
    method, _, path = text.strip().partition(" ")
    if not (_METHOD.fullmatch(method) and path.strip()):
        raise UsageError(
            f"request={text[:100]!r} has no method and path.",
            hint="Write it as in POST /api/orders.",
        )
    return method.upper(), path.strip()


def as_value(url: str, request: str, since: str, given: str) -> str:
    """Return these as lines of the field `value`; `given` may be a request.

    Raises `UsageError` for what is no request, and for a `given` value that says something else.
    """
    if request:
        read_request(request)
        if given:
            raise UsageError(f"Leave value={given!r} out: request needs none.")
    if url and given and not is_request(given):
        raise UsageError(f"Leave value={given!r} out: url needs none.")
    return "\n".join(filter(None, (url and AT + url, since and SINCE + since, request or given)))


def arrivals_in(value: str) -> dict[str, str]:
    """Return the `url`, `request` and `since` that a field `value` says, {} for any other value.

    Raises `UsageError` for one that says more.
    """
    lines = value.splitlines()
    found = {_field_of(line): line.removeprefix(AT).removeprefix(SINCE) for line in lines}
    if not found.keys() - {""}:
        return {}
    if "" in found or len(found) < len(lines):
        raise UsageError(f"value={value!r} says more than an address and a request.")
    return found


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
    method, wanted = read_request(request)
    for each in state.tab.records.exchanges:
        is_new = each.began >= state.acted if since is None else each.began > since
        is_it = is_new and each.status is not None and each.request.method == method
        if is_it and is_at(wanted, each.request.url):
            return each.began
    return None
