"""Calls of the command line, made in this process."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from strap.api.calls import Caller
from strap.api.questions import Confirm
from strap.api.results import Result
from strap.cli.answers import Answer, answer_of, show
from strap.cli.asking import terminal_confirm
from strap.cli.call_words import STDIN, Read, calls_of, to_arguments
from strap.config import Config
from strap.errors import UsageError
from strap.mcp.shutdown import leave_in_time
from strap.mcp.signals import ending
from strap.routing.assembly import make_router
from strap.routing.router import Router
from strap.text import replace_surrogates

ANSWERS = 5.0
"""Seconds for the answer of a call that a signal ends: a browser on a busy machine is slow.

After a second signal the process has as many left, whatever it does.
"""
NEEDS_AN_EARLIER = "not_running"
"""The error of a call for which another one has to be made before, in the same session."""
KEEPING = " Each `strap call` is in a session of its own; --keep keeps one."
YES = ("true", "1", "yes", "on", "t", "y")
"""Words that pydantic takes for a true `detach`."""


async def run_calls(
    config: Config, words: Sequence[str], *, as_json: bool, check_status: bool
) -> int:
    """Make the call of `words`, or those of standard input; return the exit status.

    A signal ends the call that runs, which is answered.
    """
    status, confirm, alone = 0, terminal_confirm(), list(words) != [STDIN]
    router = make_router(config)
    with ended_by_signals(router):
        async with router:
            for read in calls_of(words):
                answer = await make_call(router, read, confirm, alone=alone)
                if alone:
                    _tell_of_keeping(answer)
                status = max(status, show(answer, as_json=as_json, check_status=check_status))
                if ending.came:
                    break
    return status


@contextmanager
def ended_by_signals(router: Router) -> Iterator[None]:
    """Let a noted signal end the calls of a router, which are answered."""
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.call_soon_threadsafe(router.end_calls, ANSWERS)
        if ending.came > 1:
            leave_in_time(ANSWERS)

    with ending.answered_by(end):
        yield


async def make_call(router: Router, read: Read, confirm: Confirm, *, alone: bool = False) -> Answer:
    """Make a call; what is wrong with its words is an answer as well.

    `confirm` asks the person who makes it. `alone` says that the process ends after this call.
    """
    try:
        arguments = to_arguments(read(), router.catalog)
        if alone and str(arguments.get("detach")).lower() in YES:
            raise UsageError("A detached run ends with this call.", hint="--keep keeps a session.")
        caller = Caller(transport="cli", confirm=confirm)
        pending = router.answer(arguments, caller=caller, progress=_show_progress)
        return answer_of(*await pending)
    except UsageError as problem:
        return answer_of(Result(text=replace_surrogates(str(problem)), is_error=True), problem)


def _tell_of_keeping(answer: Answer) -> None:
    """Say in the answer to a call alone that no earlier one counts for it."""
    error = answer.get("error")
    if error is not None and error["code"] == NEEDS_AN_EARLIER:
        error["hint"] += KEEPING
        answer["text"] += KEEPING


async def _show_progress(message: str, done: float, total: float | None) -> None:
    if sys.stderr.isatty():
        of = f"/{total:g}" if total else ""
        click.echo(f"[{done:g}{of}] {message}", err=True)
