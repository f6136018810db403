"""Plays a script from the command line: reads it, checks each call, and tells where it ended."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from time import monotonic
from typing import Any

import click

from strap.api.calls import Caller
from strap.api.questions import Question
from strap.api.results import Result
from strap.atomic_files import write_atomically
from strap.cli.asking import terminal_confirm, terminal_invite
from strap.cli.calling import ended_by_signals
from strap.cli.scripts import healing
from strap.cli.scripts.healing import Heal
from strap.config import Config
from strap.errors import StrapError, UsageError
from strap.json.writing import to_json
from strap.mcp.signals import ending
from strap.records import record
from strap.routing.assembly import make_router
from strap.routing.policy import Policy
from strap.routing.router import Router
from strap.scripts.answers import Answers
from strap.scripts.evidence import load_evidence, with_marks
from strap.scripts.playing import Failure, MakeCall, play
from strap.scripts.script import Line, load_script
from strap.text import counted, replace_surrogates

STATE_TOKENS = 600
"""Size of the picture in words of the page on which a script ended."""


async def play_file(
    config: Config,
    path: Path,
    params: Mapping[str, str],
    *,
    as_json: bool,
    heal: Heal = "no",
    agreed: Sequence[str] = (),
) -> int:
    """Play the script in a file and tell how it went; returns the exit status.

    Calls that fit a pattern of `agreed` need no person's yes.
    """
    script, evidence = load_script(path), None
    caller = _caller(agreed)
    with suppress(OSError):
        evidence = load_evidence(path, script.lines)
    calls = with_marks(script.filled(params), evidence[1] if evidence else {})
    playback = _Playback(path=path, of=len(calls))
    async with make_router(config) as router:
        for line, arguments in calls:
            _check(router, line, arguments, caller)

        async def make(arguments: dict[str, Any]) -> Result:
            return await router.call(arguments, caller=caller)

        repairs = healing.repairs_of(path, evidence, make, heal)
        ending.note()
        with ended_by_signals(router):
            playback.failure = await play(calls, Answers(make).make, playback.tell, repairs)
            if playback.failure and not ending.came:
                await playback.look(make)
    playback.healed = repairs.notes if repairs else []
    if repairs and not playback.failure:
        healing.write(path, repairs)
    (_tell_json if as_json else _tell)(playback)
    return int(playback.failure is not None)


def _caller(agreed: Sequence[str]) -> Caller:
    """Return a caller that asks for a yes at the terminal, unless a pattern gives it."""
    policy, ask = Policy(confirm=agreed), terminal_confirm()

    async def confirm(question: Question) -> bool:
        urls = (question.url,) if question.url else ()
        return policy.confirms(question.action, urls) or await ask(question)

    return Caller(transport="cli", confirm=confirm, invite=terminal_invite(), awaits_news=False)


@record(frozen=False)
class _Playback:
    """How far a script is played, which a terminal shows, and the page where it failed."""

    path: Path
    of: int
    done: int = 0
    failure: Failure | None = None
    seen: str = ""
    """The page where a call failed, in words."""
    picture: str = ""
    """The file with a picture of it."""
    healed: Sequence[str] = ()
    began: float = field(default_factory=monotonic)

    def tell(self, number: int, line: Line, result: Result) -> None:
        self.done = number
        if sys.stderr.isatty():
            click.echo(f"[{number}/{self.of}] {line}", err=True)

    async def look(self, make: MakeCall) -> None:
        """Look at the page in which a call failed."""
        with suppress(StrapError):
            call = {"resource": "browser", "action": "snapshot", "max_tokens": STATE_TOKENS}
            self.seen = f"The page now: {(await make(call)).text}"
        with suppress(StrapError, OSError):
            taken = await make({"resource": "browser", "action": "screenshot"})
            for image in taken.images:
                kind = image.mime.rpartition("/")[2]
                file = self.path.with_name(f"{self.path.name}.{kind}")
                write_atomically(file, image.data, private=False)
                self.picture = str(file)


def _tell(playback: _Playback) -> None:
    failure = playback.failure
    for note in playback.healed:
        click.echo(replace_surrogates(f"{playback.path}: healed {note}"), err=failure is not None)
    if failure is None:
        seconds = monotonic() - playback.began
        click.echo(f"{playback.path}: {counted(playback.of, 'call')} in {seconds:.1f} s.")
        return
    picture = f"A picture of it: {playback.picture}" if playback.picture else ""
    text = "\n".join(filter(None, (f"{playback.path}: {failure}", playback.seen, picture)))
    click.echo(replace_surrogates(text), err=True)


def _tell_json(playback: _Playback) -> None:
    report: dict[str, Any] = {"ok": playback.failure is None, "file": str(playback.path)}
    report |= {"done": playback.done, "of": playback.of}
    report |= {"seconds": round(monotonic() - playback.began, 3), "healed": list(playback.healed)}
    if playback.failure is not None:
        line = playback.failure.line
        report["failed"] = {"line": line.number, "call": str(line), "why": playback.failure.why}
        report["failed"] |= {"code": playback.failure.code, "page": playback.seen}
        report["failed"] |= {"picture": playback.picture}
    click.echo(replace_surrogates(to_json(report)))


def _check(router: Router, line: Line, arguments: Mapping[str, Any], caller: Caller) -> None:
    try:
        router.planned(caller, **arguments)
    except StrapError as error:
        raise UsageError(f"line {line.number}: {error.message}", hint=error.hint) from None
