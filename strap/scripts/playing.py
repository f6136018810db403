"""Plays a script: each call waits for its element, acts, and the first that fails ends it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any

from strap.api.results import Result
from strap.errors import StrapError
from strap.records import record
from strap.scripts.repairs import MOST_TRIES, Repairs
from strap.scripts.script import Line

PATIENCE = 5.0
"""Seconds for which a call waits for its element, and a `wait` for what came of the last one."""
FIRST_STEP, LAST_STEP = 0.05, 0.4
"""Seconds between two attempts."""
NOT_YET = frozenset(
    (
        *("not_found", "ambiguous", "hidden", "disabled", "covered", "inert", "cut_off"),
        *("off_screen", "untouchable", "no_option", "option_disabled", "read_only"),
        *("not_focusable", "not_a_drop_down", "stale_ref"),
    )
)
"""Codes of refusals of which nothing was done: the same call may be made again."""
MakeCall = Callable[[dict[str, Any]], Awaitable[Result]]
"""Makes a call; raises `StrapError`."""


@record
class Failure:
    """The call that failed, and why."""

    line: Line
    why: str
    code: str = ""

    def __str__(self) -> str:
        """Return it as a sentence."""
        return f"line {self.line.number}: {self.line}: {self.why}"


async def play(
    calls: Sequence[tuple[Line, Mapping[str, Any]]],
    make: MakeCall,
    tell: Callable[[int, Line, Result], None] | None = None,
    repairs: Repairs | None = None,
    *,
    patience: float = PATIENCE,
) -> Failure | None:
    """Make the calls; returns the one that failed, None where all did what they were to do.

    A call waits `patience` seconds for its element.

    A request that is waited for was sent after the last one that was: what a page saves by itself
    may come a line sooner than when it was recorded.
    """
    since, attempt = monotonic(), partial(make_patiently, make=make, patience=patience)
    for number, (line, filled) in enumerate(calls, 1):
        arguments = dict(filled)
        if line.action == "wait" and "request" in filled:
            arguments["since"] = repr(since)
        try:
            result = await _repaired(line, arguments, attempt, repairs)
        except StrapError as error:
            return Failure(line=line, why=str(error), code=error.code)
        if has_failed(result):
            return Failure(line=line, why=result.text)
        since = (result.data or {}).get("sent") or since
        if tell is not None:
            tell(number, line, result)
    return None


def has_failed(result: Result) -> bool:
    """Whether a call ended with an error, without its condition, or beside its element."""
    data = result.data or {}
    return result.is_error or data.get("met") is False or data.get("reached") is False


async def _repaired(
    line: Line, arguments: dict[str, Any], attempt: MakeCall, repairs: Repairs | None
) -> Result:
    """Make a call, with another element where its own one has changed; raises `StrapError`."""
    if repairs is None:
        return await attempt(arguments)
    for _ in range(MOST_TRIES):
        try:
            return await attempt(arguments)
        except StrapError as error:
            other = await repairs.repaired(line, arguments, error)
            if other is None:
                raise
            arguments = other
    return await attempt(arguments)


async def make_patiently(
    arguments: dict[str, Any], make: MakeCall, patience: float = PATIENCE
) -> Result:
    """Make a call until its element can be acted on, or patience ends; raises `StrapError`."""
    if arguments["action"] == "wait" and "timeout" not in arguments:
        arguments["timeout"] = patience
    until, step = monotonic() + patience, FIRST_STEP
    while True:
        try:
            return await make(arguments)
        except StrapError as error:
            if error.code not in NOT_YET or monotonic() + step > until:
                raise
        await asyncio.sleep(step)
        step = min(step * 1.5, LAST_STEP)
