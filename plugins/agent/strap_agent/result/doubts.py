"""Warnings about an answer whose pages failed or never loaded."""

from strap_agent.store.records import CAPS, Event, Query
from strap_agent.store.store import Store

BAD_STATUS = 400
"""HTTP status from which on a response is an error (RFC 9110, 15.5 and 15.6)."""


def doubts(
    store: Store, session_id: str, url: str | None, *, stays: bool, frame: str | None = None
) -> list[str]:
    """Return warnings about a run whose last page was at `url`, in the main frame `frame`.

    One that `stays` was begun on a page that had been loaded before. What answered in the frame
    counts, whatever address the page has given itself since; the address where no frame is known.
    """
    requests = store.events(session_id, Query(last_n=CAPS["network"], types=("network",)))
    pages = [event for event in requests if event.details.get("document")]
    if not pages and not stays and len(requests) < CAPS["network"]:
        return ["No page was loaded in this run: the answer is not from one."]
    own = [page for page in pages if page.details["document"] == frame]
    last = next(iter(own or [page for page in pages if page.url == url]), None)
    return [] if last is None else _refusal(last)


def _refusal(page: Event) -> list[str]:
    status = page.details["status"]
    if status < BAD_STATUS:
        return []
    return [f"The page that was seen last was an error: {page.url} answered with HTTP {status}."]
