"""Response to a request."""

from dataclasses import replace
from typing import TYPE_CHECKING

from strap import record

if TYPE_CHECKING:
    import httpx2

REDIRECTS = (301, 302, 303, 307, 308)


NO_STATUS = 0
"""As in the Fetch standard: what has no HTTP status."""


@record
class Response:
    """An answer: `url` is where it came from, `body` is decompressed.

    `status` is `NO_STATUS` for a page that no server answered with, as one that a script made.
    `complete` is False for a stream of events that was left at one of the limits. `notes` are
    sentences about the way it came, for the caller.
    """

    status: int
    url: str
    headers: "httpx2.Headers"
    body: bytes = b""
    complete: bool = True
    notes: tuple[str, ...] = ()

    @property
    def media_type(self) -> str:
        """The Content-Type without parameters in lower case, empty if there is none."""
        return media_type(self.headers)

    @property
    def location(self) -> str:
        """URL from the Location header of a redirect, as sent; empty for other answers."""
        return self.headers.get("location", "") if self.status in REDIRECTS else ""

    def noted(self, note: str) -> "Response":
        """The same answer with one more note."""
        return replace(self, notes=(*self.notes, note))


def media_type(headers: "httpx2.Headers") -> str:
    """The Content-Type without parameters in lower case, empty if there is none."""
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower()
