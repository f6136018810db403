"""All attempts at one case: its recording first, then the agent, and what is recorded of that."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from strap_cases.building import values_of
from strap_cases.cases import Case
from strap_cases.reading import SAMPLES
from strap_cases.replays import recordings
from strap_cases.replays.modes import Mode
from strap_cases.replays.recordings import Recording
from strap_cases.running.results import Attempt, CaseResult, Recorded
from strap_cases.verdict import AGAIN, Verdict, case_verdict

Attempted = Callable[[int, Recording | None], Awaitable[Attempt]]
"""Makes the attempt of a number; with a recording it is a replay."""


@dataclass(kw_only=True)
class CaseAttempts:
    """The attempts at a case."""

    case: Case
    attempt: Attempted
    mode: Mode
    anew: bool
    """Whether what there is of a recording is not used, but written over."""
    retries: int
    params: Mapping[str, str]
    attempts: list[Attempt] = field(default_factory=list)

    async def result(self) -> CaseResult:
        """Make the attempts that it takes, and return what they come to."""
        stored = None if self.mode == "off" or self.anew else recordings.read(self._file)
        fits = stored is not None and stored.steps == self._digest
        if self.mode == "only" and (why := self._unplayable(stored, fits=fits)):
            return self._refused(why, "outdated" if stored is not None and not fits else "missing")
        if stored is not None and fits:
            self.attempts.append(await self.attempt(1, stored))
            if self.attempts[-1].verdict.status == "passed" or self.mode == "only":
                return self._replayed()
        await self._live()
        return await self._recorded(stored, fits=fits)

    async def _live(self) -> None:
        for _ in range(1 + self.retries):
            self.attempts.append(await self.attempt(len(self.attempts) + 1, None))
            if self.attempts[-1].verdict.status not in AGAIN or self.case.settings.xfail:
                return

    def _unplayable(self, stored: Recording | None, *, fits: bool) -> str:
        if stored is None:
            return f"there is no recording {self._file}; run it once with --replay auto"
        if not fits:
            return f"the case has changed since {self._file}; run it once with --replay auto"
        if self.case.expectations or self.case.settings.judge:
            return "what is expected in plain words asks a model, and --replay only asks none"
        return ""

    def _refused(self, why: str, came_to: Literal["outdated", "missing"]) -> CaseResult:
        verdict = Verdict(status="failed", reason=why, cause="drift", flags=frozenset({"drift"}))
        recorded = Recorded(file=self._file, came_to=came_to, why=why)
        return CaseResult(case=self.case, verdict=verdict, recording=recorded)

    def _replayed(self) -> CaseResult:
        [attempt] = self.attempts
        came_to: Literal["drift", "replayed"] = "drift" if attempt.drift else "replayed"
        recorded = Recorded(file=self._file, came_to=came_to, why=attempt.drift)
        verdict = self._verdict()
        return self._result(replace(verdict, flags=verdict.flags | {came_to}), recorded)

    async def _recorded(self, stored: Recording | None, *, fits: bool) -> CaseResult:
        """Record what the agent did where it passed, and say what became of the recording."""
        verdict, last = self._verdict(), self.attempts[-1]
        tried = self.attempts[0] if self.attempts[0].how == "replay" else None
        why = (tried.drift or tried.verdict.reason) if tried else ""
        recorded = Recorded(file=self._file, came_to="drift", why=why) if tried else None
        if last.verdict.status == "passed" and self.mode == "auto" and not self.case.settings.xfail:
            recorded = await asyncio.to_thread(self._write, last, stored, why if tried else None)
        elif stored is not None and not fits:
            recorded = Recorded(
                file=self._file, came_to="outdated", why="the case has changed since"
            )
        if tried and (last.verdict.status == "passed" or tried.drift):
            is_healed = recorded is not None and recorded.came_to == "healed"
            flag: Literal["healed", "drift"] = "healed" if is_healed else "drift"
            cause = "drift" if last.verdict.status == "passed" else verdict.cause
            verdict = replace(verdict, flags=verdict.flags | {flag}, cause=cause)
        return self._result(verdict, recorded)

    def _write(self, attempt: Attempt, stored: Recording | None, drift: str | None) -> Recorded:
        """Write a recording; `drift` says why the one before could not be replayed."""
        recording = attempt.recorded
        if isinstance(recording, str):
            return Recorded(file=self._file, came_to="not recorded", why=recording)
        if drift is not None and stored is not None and stored.does_the_same(recording):
            why = f"what the agent did is recorded already, and could not be replayed: {drift}"
            return Recorded(file=self._file, came_to="not recorded", why=why)
        recording = replace(recording, steps=self._digest)
        try:
            recordings.write(recording, self.case.name, self._file)
        except OSError as error:
            why = f"{self._file} cannot be written: {error.strerror}"
            return Recorded(file=self._file, came_to="not recorded", why=why)
        came_to: Literal["recorded", "healed"] = "recorded" if drift is None else "healed"
        return Recorded(file=self._file, came_to=came_to, why=drift or "")

    def _verdict(self) -> Verdict:
        verdicts = [attempt.verdict for attempt in self.attempts if attempt.how == "live"]
        verdicts = verdicts or [attempt.verdict for attempt in self.attempts]
        return case_verdict(verdicts, xfail=self.case.settings.xfail or "")

    def _result(self, verdict: Verdict, recorded: Recorded | None) -> CaseResult:
        return CaseResult(
            case=self.case, verdict=verdict, attempts=self.attempts, recording=recorded
        )

    @cached_property
    def _file(self) -> Path:
        return recordings.place_of(self.case)

    @cached_property
    def _digest(self) -> str:
        return digest(self.case, self.params)


def digest(case: Case, params: Mapping[str, str]) -> str:
    """Return what a recording of the case is bound to."""
    built_in = {**SAMPLES, "base_url": case.settings.base_url, "case": case.name}
    return recordings.digest_of(case, built_in | values_of(case, params))
