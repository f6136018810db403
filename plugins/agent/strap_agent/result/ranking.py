"""Ranking of the errors of a run."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from strap_agent.contract import MAX_LINE, MAX_TOP, TopError
from strap_agent.result.verdict import RunOutcome, Verdict, judge_objection
from strap_agent.store.records import Event
from strap_browser.api import clip, is_noise, site

SERVER_ERROR = 500
"""HTTP status from which on the server is at fault (RFC 9110, 15.6)."""
Kind = Literal["console", "network", "agent", "judge"]


def top_errors(
    outcome: RunOutcome,
    events: Iterable[Event],
    home: str,
    limit: int = MAX_TOP,
    *,
    verdict: Verdict | None = None,
) -> list[TopError]:
    """Return the errors that matter most, each once, the most telling first.

    `home` is the address of the site under test. The judge's verdict, why the run is no success,
    what the agent failed at, server errors of the site, uncaught exceptions, other refused
    requests, console errors; then requests of others, and last what is blocked or only counts
    visitors.
    """
    ranked = [*_own(outcome, verdict)]
    ranked += [
        (_rank(event, site(home)), _shown(event))
        for event in events
        if event.has_error and event.type != "agent"  # its failures are there already
    ]
    ranked.sort(key=lambda item: item[0])
    unique: dict[tuple[str, str], TopError] = {}
    for _, error in ranked:
        unique.setdefault((error.type, error.summary), error)
    return list(unique.values())[:limit]


def _own(outcome: RunOutcome, verdict: Verdict | None) -> Iterator[tuple[int, TopError]]:
    """Yield the errors of judge and agent, with ranks."""
    _, objection = judge_objection(outcome.judgement)
    if objection:
        yield 0, TopError(type="judge", summary=objection)
    failures = list(reversed(outcome.failures))
    if outcome.broken is not None:
        failures.insert(0, outcome.broken)
    texts = [objection, *(failure.text for failure in failures[:1])]
    summary = "" if verdict is None or verdict.status == "success" else verdict.summary
    if verdict and summary and not any(text and text in summary for text in texts):
        yield 1, TopError(type="agent", summary=clip(f"{verdict.stop_reason}: {summary}", MAX_LINE))
    for failure in failures:
        yield (
            2,
            TopError(type="agent", summary=clip(failure.text, MAX_LINE), step=failure.step or None),
        )


def _rank(event: Event, home: str) -> int:
    if event.type == "network":
        return _rank_request(event, home)
    if event.url and _is_noise(event.url, home):
        return 8
    return 4 if event.details.get("level") == "exception" else 6


def _rank_request(event: Event, home: str) -> int:
    url = event.url or ""
    if event.details.get("blocked") or _is_noise(url, home):
        return 8
    if site(url) != home:
        return 7
    status: Any = event.details.get("status") or 0
    return 3 if status >= SERVER_ERROR else 5


def _is_noise(url: str, home: str) -> bool:
    """Whether an address only counts visitors; what the site under test is asked never does."""
    return site(url) != home and is_noise(url)


def _shown(event: Event) -> TopError:
    kind: Kind = event.type
    return TopError(
        type=kind,
        summary=clip(event.summary, MAX_LINE),
        step=event.step or None,
        url=event.url or None,
    )
