"""Plays a script from the command line: reads it, checks each call, and tells where it ended."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import click

from strap.api.calls import Caller
from strap.api.results import Result
from strap.cli.asking import terminal_confirm, terminal_invite
from strap.cli.scripts import healing
from strap.cli.scripts.healing import Heal
from strap.config import Config
from strap.errors import StrapError, UsageError
from strap.json.writing import to_json
from strap.mcp.shutdown import leave_in_time
from strap.mcp.signals import ending
from strap.records import record
from strap.routing.assembly import make_router
from strap.routing.router import Router
from strap.scripts.answers import Answers
from strap.scripts.playing import Failure, play
from strap.scripts.script import Line, load_script
from strap.text import counted, replace_surrogates

STATE_TOKENS = 600
"""Size of the picture in words of the page on which a script ended."""
LEAVING = 5.0
"""Seconds for the call that a signal ends."""


async def play_file(
    config: Config,
    path: Path,
    params: Mapping[str, str],
    *,
    as_json: bool,
    heal: Heal = "no",
) -> int:
    """Play the script in a file and tell how it went; returns the exit status."""
    script = load_script(path)
    caller = Caller(
        transport="cli",
        confirm=terminal_confirm(),
        invite=terminal_invite(),
        awaits_news=False,
    )
    values = script.values(params)
    began = monotonic()
    async with make_router(config) as router:
        calls = [(line, line.filled(values)) for line in script.lines]
        for line, arguments in calls:
            _check(router, line, arguments, caller)

        async def make(arguments: dict[str, Any]) -> Result:
            return await router.call(arguments, caller=caller)

        progress = _Progress(of=len(calls))
        repairs = None if heal == "no" else healing.repairs_of(path, script, make, heal)
        with ending.answered_by(lambda: _end(router)):
            failure = await play(calls, Answers(make).make, progress.tell, repairs)
            seen = await _seen(router, caller) if failure and not ending.came else ""
    notes = repairs.notes if repairs else []
    if repairs and not failure:
        healing.write(path, repairs)
    tell = _tell_json if as_json else _tell
    tell(path, failure, seen, notes, progress, monotonic() - began)
    return int(failure is not None)


@record(frozen=False)
class _Progress:
    """How many calls are made, which a terminal shows."""

    of: int
    done: int = 0

    def tell(self, number: int, line: Line, result: Result) -> None:
        self.done = number
        if sys.stderr.isatty():
            click.echo(f"[{number}/{self.of}] {line}", err=True)


def _tell(
    path: Path,
    failure: Failure | None,
    seen: str,
    healed: Sequence[str],
    progress: _Progress,
    seconds: float,
) -> None:
    for note in healed:
        click.echo(replace_surrogates(f"{path}: healed {note}"), err=failure is not None)
    if failure is None:
        click.echo(f"{path}: {counted(progress.of, 'call')} in {seconds:.1f} s.")
    else:
        click.echo(replace_surrogates(f"{path}: {failure}\n{seen}".rstrip()), err=True)


def _check(router: Router, line: Line, arguments: Mapping[str, Any], caller: Caller) -> None:
    try:
        router.planned(caller, **arguments)
    except StrapError as error:
        raise UsageError(f"line {line.number}: {error.message}", hint=error.hint) from None


def _end(router: Router) -> None:
    router.end_calls(LEAVING)
    if ending.came > 1:
        leave_in_time(LEAVING)


async def _seen(router: Router, caller: Caller) -> str:
    with suppress(StrapError):
        asked = {"resource": "browser", "action": "snapshot", "max_tokens": STATE_TOKENS}
        return f"The page now: {(await router.call(asked, caller=caller)).text}"
    return ""


def _tell_json(
    path: Path,
    failure: Failure | None,
    seen: str,
    healed: Sequence[str],
    progress: _Progress,
    seconds: float,
) -> None:
    told: dict[str, Any] = {"ok": failure is None, "file": str(path)}
    told |= {"done": progress.done, "of": progress.of}
    told |= {"seconds": round(seconds, 3), "healed": list(healed)}
    if failure is not None:
        line = failure.line
        told["failed"] = {"line": line.number, "call": str(line), "why": failure.why}
        told["failed"] |= {"code": failure.code, "page": seen}
    click.echo(replace_surrogates(to_json(told)))
