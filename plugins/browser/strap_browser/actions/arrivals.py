"""Whether a page is at an address, and whether it got the answer to a request."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from strap import UsageError

if TYPE_CHECKING:
    from strap_browser.interaction.page_state import PageState

_METHOD = re.compile(r"[A-Za-z]{1,20}")
_REQUEST = re.compile(r"[A-Za-z]{1,20} +[/*h]")


def is_at(wanted: str, url: str) -> bool:
    """Whether an address is the one that is wanted: as a whole, or by its path.

    A path with a query or a fragment has to have both as they are; `*` stands for anything.
    """
    parts = urlsplit(url)
    if not wanted.startswith("/"):
        return _fits(wanted, url) or ("#" not in wanted and _fits(wanted, url.partition("#")[0]))
    query = f"?{parts.query}" if parts.query and "?" in wanted else ""
    fragment = f"#{parts.fragment}" if parts.fragment and "#" in wanted else ""
    return _fits(wanted, (parts.path or "/") + query + fragment)


def read_request(text: str) -> tuple[str, str]:
    """Return method and path of a request; raises `UsageError`."""
    method, _, path = text.strip().partition(" ")
    if not (_METHOD.fullmatch(method) and path.strip()):
        raise UsageError(
            f"request={text[:100]!r} has no method and path.",
            hint="Write it as in POST /api/orders.",
        )
    return method.upper(), path.strip()


def is_request(text: str) -> bool:
    """Whether a text names a request, by its method and path."""
    return _REQUEST.match(text.strip()) is not None


def is_answered(state: "PageState", request: str) -> bool:
    """Whether the page got an answer to such a request since the last call that acted on it."""
    method, wanted = read_request(request)
    return any(
        each.began >= state.acted
        and each.status is not None
        and each.request.method == method
        and is_at(wanted, each.request.url)
        for each in reversed(state.tab.records.exchanges)
    )


def _fits(wanted: str, text: str) -> bool:
    """Whether a text fits, found piece by piece: no pattern takes longer the longer a page's is."""
    first, *rest = wanted.split("*")
    if not rest:
        return text == wanted
    if not text.startswith(first) or len(text) < len(wanted) - len(rest):
        return False
    at, *middle = len(first), *rest[:-1]
    for piece in middle:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return text.endswith(rest[-1]) and len(text) - len(rest[-1]) >= at
