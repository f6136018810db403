"""What the agent did in a run: as its events say it, and in words for reports."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from strap import StrapError
from strap_cases.checking.scene import Scene
from strap_cases.checking.traffic import watched
from strap_cases.running.session import CaseSession

MOST_ACTS = 100
"""Steps of a run that are told in the report."""
LONGEST_ACT = 300
"""Characters of what is told of a step."""
MOST_TROUBLE = 10
"""Errors and failed requests that are told, the last ones."""
LONGEST_TROUBLE = 500
"""Characters of one of them."""


async def steps_of(session: CaseSession, run: str) -> int:
    """Return how many steps a run took."""
    listed = await session.call("browser", "list_runs", limit=100, max_tokens=100_000)
    return sum(each["steps"] for each in listed.data["runs"] if each["session_id"] == run)


async def events_of(session: CaseSession, run: str) -> list[dict[str, Any]]:
    """Return the last events of the agent, oldest first."""
    given = {"session_id": run, "event_types": ["agent"], "last_n": MOST_ACTS}
    told = await session.call(
        "browser", "get_run_events", **given, include_details=True, max_tokens=100_000
    )
    return list(reversed(told.data["events"]))


async def trouble_in(scene: Scene) -> list[str]:
    """Return the errors of the pages' scripts and the requests that failed, each once."""
    try:
        traffic = await watched(scene)
    except StrapError:
        return []
    errors = [" ".join(each.split())[:LONGEST_TROUBLE] for each in traffic.errors]
    errors = [each for each in errors if not any(each in o and each != o for o in errors)]
    failed = [f"request failed: {each}" for each in traffic.requests if each.failed]
    told = dict.fromkeys([*(f"console: {error}" for error in errors), *failed])
    return [each[:LONGEST_TROUBLE] for each in [*told][-MOST_TROUBLE:]]


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
    """Return an action in words; its element is told by role and name, where it is known."""
    told = {
        key: key if value is True else str(value)
        for key, value in fields.items()
        if value not in ("", []) and value is not False
    }
    told.pop("clear", None)  # a field is emptied first, as people do
    if element and "index" in told:
        kind = element.get("role") or element.get("tag", "")
        told["index"] = f'{kind} "{element.get("name", "")}"'
    return " ".join([name, *told.values()])
