"""Which errors of a run matter most."""

from collections.abc import Iterable
from typing import Any, Literal

from strap_browser.runs.addresses import is_noise, site
from strap_browser.runs.contract import MAX_TOP, TopError, clip
from strap_browser.runs.outcome import Ending, objections
from strap_browser.runs.records import Event

SERVER_ERROR = 500
Kind = Literal["console", "network", "agent", "judge"]


def top_errors(
    ending: Ending, events: Iterable[Event], home: str, limit: int = MAX_TOP
) -> list[TopError]:
    """Return the errors that matter most, each once, the most telling first.

    `home` is the address of the site under test. The judge's verdict, what the agent failed at,
    server errors of the site, uncaught exceptions, other refused requests, console errors; then
    requests of others, and last what is blocked or only counts visitors.
    """
    found: list[tuple[int, TopError]] = []
    if objection := objections(ending.judgement):
        found.append((0, TopError(type="judge", summary=objection)))
    if ending.broken is not None:
        found.append((1, TopError(type="agent", summary=clip(ending.broken.text))))
    found += [
        (1, TopError(type="agent", summary=clip(f.text), step=f.step or None))
        for f in reversed(ending.failures)
    ]
    found += [
        (_rank(event, site(home)), _shown(event))
        for event in events
        if event.has_error and event.type != "agent"  # its failures are there already
    ]
    found.sort(key=lambda item: item[0])
    unique: dict[tuple[str, str], TopError] = {}
    for _, error in found:
        unique.setdefault((error.type, error.summary), error)
    return list(unique.values())[:limit]


def _rank(event: Event, home: str) -> int:
    if event.type == "network":
        return _rank_request(event, home)
    if event.url and is_noise(event.url):
        return 7
    return 3 if event.details.get("level") == "exception" else 5


def _rank_request(event: Event, home: str) -> int:
    url = event.url or ""
    if event.details.get("blocked") or is_noise(url):
        return 7
    if site(url) != home:
        return 6
    status: Any = event.details.get("status") or 0
    return 2 if status >= SERVER_ERROR else 4


def _shown(event: Event) -> TopError:
    kind: Kind = event.type
    return TopError(
        type=kind, summary=clip(event.summary), step=event.step or None, url=event.url or None
    )
