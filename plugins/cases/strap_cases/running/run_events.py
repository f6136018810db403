"""Actions of the agent in a run: from its events, and in words for reports."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from strap import StrapError
from strap_cases.checking.scene import Scene
from strap_cases.checking.traffic import different, lines_of, watched
from strap_cases.running.session import CaseSession

MOST_ACTS = 100
"""Steps of a run that are told in the report."""
LONGEST_ACT = 300
"""Characters of what is told of a step."""
MOST_TROUBLE = 10
"""Errors, dialogs, failed requests and failed actions that are told, the last ones."""
LONGEST_TROUBLE = 500
"""Characters of one of them."""


async def steps_of(session: CaseSession, run: str) -> int:
    """Return how many steps a run took."""
    listed = await session.call("browser", "list_runs", limit=100, max_tokens=100_000)
    return sum(item["steps"] for item in listed.data["runs"] if item["session_id"] == run)


async def events_of(session: CaseSession, run: str) -> list[dict[str, Any]]:
    """Return the last events of the agent, oldest first."""
    query = {"session_id": run, "event_types": ["agent"], "last_n": MOST_ACTS}
    answer = await session.call(
        "browser", "get_run_events", **query, include_details=True, max_tokens=100_000
    )
    return list(reversed(answer.data["events"]))


async def trouble_in(scene: Scene, runs: Sequence[Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return what went wrong, each once: in the pages, and in steps of `runs`, by their events."""
    try:
        traffic = await watched(scene)
    except StrapError:
        return []
    seen = [
        *(f"console: {error}" for error in different(traffic.errors)),
        *(f"dialog: {dialog}" for dialog in traffic.dialogs),
        *(f"request failed: {text}" for text in lines_of(r for r in traffic.requests if r.failed)),
        *(f"agent: {text}" for run in runs for event in run for text in _failed(event)),
    ]
    return [text[:LONGEST_TROUBLE] for text in [*dict.fromkeys(seen)][-MOST_TROUBLE:]]


def _failed(event: Mapping[str, Any]) -> list[str]:
    results = event["details"].get("results") or ()
    return [str(result["error"]) for result in results if result.get("error")]


def acted(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the agent did anything but say that it is done."""
    steps = [event["details"].get("actions") or () for event in events]
    return any(name != "done" for actions in steps for action in actions for name in action or {})


def in_words(events: list[dict[str, Any]]) -> list[str]:
    """Return what the agent did, a line a step."""
    return [_in_words(event["details"]) for event in events if "actions" in event["details"]]


def _in_words(step: Mapping[str, Any]) -> str:
    """Return what an agent wanted in a step, and the actions that it took."""
    took = [
        _action(name, fields or {}, element)
        for action, element in zip_longest(step["actions"], step.get("elements") or ())
        for name, fields in (action or {}).items()
        if name != "done"
    ]
    line = ": ".join(filter(None, [step["goal"], "; ".join(took)])) or "nothing"
    return line if len(line) <= LONGEST_ACT else f"{line[: LONGEST_ACT - 1]}…"


def _action(name: str, fields: Mapping[str, Any], element: Mapping[str, Any] | None) -> str:
    params = {
        key: key if value is True else str(value)
        for key, value in fields.items()
        if value not in ("", []) and value is not False
    }
    params.pop("clear", None)  # a field is emptied first, as people do
    if element and "index" in params:
        kind = element.get("role") or element.get("tag", "")
        params["index"] = f'{kind} "{element.get("name", "")}"'
    return " ".join([name, *params.values()])
