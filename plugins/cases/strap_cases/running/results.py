"""Results of attempts and cases, as records of a journal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from strap import record, write_atomically
from strap_cases.cases import Case
from strap_cases.replays.recordings import Recording
from strap_cases.running.usage import NONE, Usage, together
from strap_cases.verdict import Seen, Verdict

FORMAT = 1
"""Version of the format; it rises when a reader of the last one would misread the records."""
LONGEST_NAME = 60
"""Characters of a title in the name of a file."""
CameTo = Literal["replayed", "recorded", "healed", "not recorded", "drift", "outdated", "missing"]


@dataclass(kw_only=True, slots=True)
class Attempt:
    """One time that a case was run."""

    number: int
    how: Literal["live", "replay"] = "live"
    drift: str = ""
    seconds: float = 0.0
    steps: int = 0
    runs: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    checks: list[Seen] = field(default_factory=list)
    word: str | None = None
    says: str = ""
    usage: Usage = field(default_factory=lambda: NONE)
    broken: str = ""
    """Reason why it did not reach its end: a call that failed, or an invalid answer."""
    notes: list[str] = field(default_factory=list)
    trouble: Sequence[str] = ()
    """Problems of an attempt that did not pass: in its pages, and in steps of the agent."""
    ended: str = ""
    """Address of the page at the end of an attempt that did not pass."""
    shown: str = ""
    """Beginning of the text that this page showed."""
    recorded: Recording | str = ""
    """Calls of the agent to replay, or why that cannot be done."""
    evidence: Sequence[Path] = ()
    """Recordings of an attempt that did not pass."""
    picture: bytes = field(default=b"", repr=False)
    verdict: Verdict = field(default_factory=lambda: Verdict(status="interrupted"))

    def as_json(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {
            "number": self.number,
            "how": self.how,
            "status": self.verdict.status,
            "reason": self.verdict.reason,
            "seconds": round(self.seconds, 2),
            "steps": self.steps,
            "runs": self.runs,
            "acts": self.acts,
            "checks": [_seen(check) for check in self.checks],
            "word": self.word,
            "says": self.says,
            "usage": self.usage,
            "notes": self.notes,
            "trouble": list(self.trouble),
            "ended": self.ended,
            "shown": self.shown,
            "evidence": [path.as_posix() for path in self.evidence],
        }


@record
class Recorded:
    """Outcome for the recording of a case, and why."""

    file: Path
    came_to: CameTo
    why: str = ""

    def as_json(self) -> dict[str, str]:
        """Return what is kept of it."""
        return {"file": self.file.as_posix(), "came_to": self.came_to, "why": self.why}


@record
class CaseResult:
    """Result of a case."""

    case: Case
    verdict: Verdict
    attempts: Sequence[Attempt] = ()
    recording: Recorded | None = None
    waited_for: str = ""
    """The state without which it was not run."""

    @property
    def seconds(self) -> float:
        """How long all attempts took."""
        return sum(attempt.seconds for attempt in self.attempts)

    @property
    def usage(self) -> Usage:
        """Calls and tokens of models in all attempts."""
        return together(attempt.usage for attempt in self.attempts)

    def as_json(self, pictures: Sequence[str]) -> dict[str, Any]:
        """Return the record; `pictures` are the names of their files, '' for none."""
        case, verdict = self.case, self.verdict
        attempts = [
            attempt.as_json() | ({"picture": picture} if picture else {})
            for attempt, picture in zip(self.attempts, pictures, strict=True)
        ]
        return {
            "format": FORMAT,
            "id": case.id,
            "file": case.path.as_posix(),
            "line": case.line,
            "name": case.name,
            "tags": list(case.tags),
            "status": verdict.status,
            "reason": verdict.reason,
            "cause": verdict.cause,
            "flags": sorted(verdict.flags),
            "waited_for": self.waited_for,
            "seconds": round(self.seconds, 2),
            "usage": self.usage,
            "source": case.source,
            "attempts": attempts,
            "recording": self.recording.as_json() if self.recording else None,
        }


def _seen(seen: Seen) -> Mapping[str, Any]:
    check = seen.check
    return {"check": check.source, "line": check.line, "met": seen.met, "seen": seen.seen}


def as_record(result: CaseResult, folder: Path) -> dict[str, Any]:
    """Return the record of a result, whose pictures are written into `folder`."""
    names = list[str]()
    for attempt in result.attempts:
        stem = re.sub(r"\W+", "-", result.case.name).strip("-")[:LONGEST_NAME]
        name = f"{stem}-{result.case.line}-{attempt.number}.jpg" if attempt.picture else ""
        if name:
            write_atomically(folder / name, attempt.picture)
        names.append(str(folder / name) if name else "")
    return result.as_json(names)
