"""Plans: calls by names, made through the tools of strap and of its peers.

Everyone looks by the same rule: before it acts on an element that no answer since the last page
has shown, and after a call that failed. Then it tries again, three times at most.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmarks.bench import Bench
from benchmarks.of_apps.claims import untrue
from benchmarks.wire import Answer, Failed, Server
from strap.errors import UsageError
from strap.scripts.script import read_script
from strap.targets.grammar import parse_target

TRIES = 4
PAUSE = 1.0
"""Seconds before a call is made once more: applications draw late."""


@dataclass
class Score:
    """Cost of one try at a task."""

    calls: int = 0
    tokens: int = 0
    ms: float = 0
    problem: str = ""
    """The call that failed, and why."""
    untrue: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


class Cannot(Exception):
    """A call that a server has nothing for."""


class Speaker(Protocol):
    """How a server is spoken to."""

    def __init__(self, server: Server, uploads: str) -> None: ...

    def look(self) -> Answer:
        """Look at the page."""

    def knows(self, fields: Mapping[str, Any]) -> bool:
        """Whether what was answered shows the element that a call is about."""

    def turn(self, fields: Mapping[str, Any]) -> Callable[[], Answer] | None:
        """Return what brings the page of a call to the front, if that takes a call."""

    def calls(self, action: str, fields: Mapping[str, Any]) -> Iterator[Callable[[], Answer]]:
        """Yield what it takes to make a call: most take one; raises `Failed`."""

    def untrue(self, action: str, fields: Mapping[str, Any], answer: Answer) -> list[str]:
        """Return the claims of an answer that the page contradicts, if that can be checked."""


def play(plan: str, values: Mapping[str, str], speaker: Speaker, bench: Bench) -> Score:
    """Make the calls of a plan; the first that does not work ends it."""
    score = Score()

    def note(make: Callable[[], Answer]) -> Answer:
        started = time.perf_counter()
        score.calls += 1
        try:
            answer = make()
        except Failed as error:
            score.tokens += bench.tokens(str(error))
            score.answers.append(f"! {error}")
            raise
        finally:
            score.ms += (time.perf_counter() - started) * 1000
        score.tokens += bench.tokens(answer.text)
        score.answers.append(f"{answer.ms:.0f} ms\n{answer.text}")
        return answer

    for action, fields in steps(plan, values):
        try:
            answer = _make(action, fields, speaker, note)
            score.untrue += speaker.untrue(action, fields, answer)
        except (Failed, Cannot) as error:
            score.problem = f"{action} {json.dumps(fields)}: {error}"
            break
    return score


def _make(
    action: str,
    fields: Mapping[str, Any],
    speaker: Speaker,
    note: Callable[[Callable[[], Answer]], Answer],
) -> Answer:
    for number in range(1, TRIES + 1):
        try:
            if turn := speaker.turn(fields):
                note(turn)
            if not speaker.knows(fields):
                note(speaker.look)
            *_, answer = [note(call) for call in speaker.calls(action, fields)]
            return answer
        except Failed:
            if number == TRIES:
                raise
            time.sleep(PAUSE)
            note(speaker.look)
    raise AssertionError


def steps(plan: str, values: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls of a plan with their values."""
    for line in read_script(plan).lines:
        fields = line.filled(values)
        action = fields.pop("action")
        fields.pop("resource", None)
        yield action, fields


def named(fields: Mapping[str, Any]) -> list[str]:
    """Return the targets of a call that are in words."""
    words = [fields.get("ref"), fields.get("value") if "ref" in fields else None]
    return [word for word in words if isinstance(word, str) and _is_target(word)]


def _is_target(word: str) -> bool:
    try:
        return any(part.role for part in parse_target(word).parts)
    except UsageError:
        return False


class Strap:
    """strap takes the names themselves."""

    def __init__(self, server: Server, uploads: str) -> None:
        self._server = server
        self._seen = ""

    def untrue(self, action: str, fields: Mapping[str, Any], answer: Answer) -> list[str]:
        return untrue(self._server, action, fields, answer.text)

    def look(self) -> Answer:
        return self._keep(self._call("snapshot", {}))

    def turn(self, fields: Mapping[str, Any]) -> None:
        return None

    def knows(self, fields: Mapping[str, Any]) -> bool:
        return all(_is_in(self._seen, text) for text in named(fields))

    def calls(self, action: str, fields: Mapping[str, Any]) -> Iterator[Callable[[], Answer]]:
        if action in ("navigate", "new_page"):
            self._seen = ""
        yield lambda: self._keep(self._call(action, fields))

    def _call(self, action: str, fields: Mapping[str, Any]) -> Answer:
        return self._server.call("web", {"resource": "browser", "action": action, **fields})

    def _keep(self, answer: Answer) -> Answer:
        self._seen += "\n" + answer.text
        return answer


def _is_in(seen: str, target: str) -> bool:
    """Whether answers have shown the role and the name of an element."""
    element = parse_target(target).element
    name = "" if element.name is None else json.dumps(element.name, ensure_ascii=False)[1:-1]
    return any(element.role in line and name in line for line in seen.splitlines())
