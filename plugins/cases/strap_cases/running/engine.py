"""Runs cases, several at a time: a browser for each slot, a session for each attempt."""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from itertools import count

from strap import Router, StrapError, record
from strap_cases.cases import Case
from strap_cases.replays.modes import Mode, mode_of
from strap_cases.replays.recordings import Recording
from strap_cases.running.attempt import run_attempt
from strap_cases.running.case_attempts import CaseAttempts
from strap_cases.running.configuring import PROFILE
from strap_cases.running.results import Attempt, CaseResult
from strap_cases.running.selecting import with_setups
from strap_cases.running.session import CaseSession
from strap_cases.running.usage import tokens
from strap_cases.verdict import AGAIN, Verdict

RESTART = 50
"""Cases after which a browser is started anew: what pages leave behind adds up."""
Tell = Callable[[CaseResult], Awaitable[None]]


@record
class Options:
    """How cases are run."""

    jobs: int = 1
    retries: int = 0
    max_failures: int = 0
    """Cases that may fail before no more are begun; 0: all."""
    max_tokens: int = 0
    """Tokens that models may take before no more cases are begun; 0: any number."""
    params: Mapping[str, str] = field(default_factory=dict)
    replay: Mode | None = None
    """Replay mode that overrides those of the cases."""
    update: bool = False


class Engine:
    """Runs the cases of one run; `stopped` says why not all were begun."""

    def __init__(self, router: Router, options: Options) -> None:
        self.stopped = ""
        self._tokens = 0
        self._router = router
        self._options = options
        self._numbers = count(1)
        self._failures = 0
        self._setups: dict[str, asyncio.Future[bool]] = {}
        self._loading = asyncio.Lock()
        self._loaded = False

    async def prepare(self, *, agent: bool) -> None:
        """Start a browser and load the `agent` unless it can wait; raises `StrapError`."""
        first = CaseSession(self._router, PROFILE.format(1), "prepare")
        work = (first.launch(), *((self.load_agent(),) if agent else ()))
        for failed in await asyncio.gather(*work, return_exceptions=True):
            if failed is not None:
                raise failed
        await first.end()

    async def load_agent(self) -> None:
        """Load the agent, if that is not done yet; raises `StrapError`."""
        async with self._loading:
            if not self._loaded:
                await self._router.prepare("browser.eval")
                self._loaded = True

    async def run(self, cases: Sequence[Case], tell: Tell) -> int:
        """Run cases, those that make a state before those that need it.

        Returns how many were not begun: `stopped` says why.

        Each result is given to `tell` as it comes, and nothing goes on in its slot before that is
        done.
        """
        left = deque(in_order(cases))
        loop = asyncio.get_running_loop()
        self._setups = {case.setup: loop.create_future() for case in cases if case.setup}
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(1, min(self._options.jobs, len(cases)) + 1):
                    group.create_task(self._slot(PROFILE.format(number), left, tell))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return len(left)

    async def _slot(self, profile: str, left: deque[Case], tell: Tell) -> None:
        since = 0
        while left and not self.stopped:
            result = await self._case(left.popleft(), profile, self._options.params)
            self._count(result)
            await tell(result)
            if (since := since + 1) % RESTART == 0:
                await self._restart(profile)

    def _count(self, result: CaseResult) -> None:
        options = self._options
        self._failures += result.verdict.status in AGAIN
        used = tokens(result.usage)
        self._tokens += used or 0
        if options.max_failures and self._failures >= options.max_failures:
            self.stopped = f"{self._failures} cases failed (--max-failures)"
        elif options.max_tokens and used is None:
            self.stopped = "the model does not tell its tokens, so --max-tokens cannot be kept"
        elif options.max_tokens and self._tokens >= options.max_tokens:
            self.stopped = f"{self._tokens:,} tokens were taken (--max-tokens)"

    async def run_one(
        self, case: Case, known: Sequence[Case], params: Mapping[str, str]
    ) -> CaseResult:
        """Run a case, after those of `known` that make its state, each of which is run once."""
        *setups, last = in_order(with_setups([case], known))
        for setup in setups:
            if setup.setup not in self._setups:
                await self._making(setup, params)
        return await self._making(last, params)

    async def _making(self, case: Case, params: Mapping[str, str]) -> CaseResult:
        if case.setup:
            self._setups[case.setup] = asyncio.get_running_loop().create_future()
        return await self._case(case, PROFILE.format(1), params)

    async def _case(self, case: Case, profile: str, params: Mapping[str, str]) -> CaseResult:
        made = self._setups.get(case.setup)
        try:
            result = await self._begun(case, profile, params)
        except BaseException:
            if made is not None and not made.done():
                made.set_result(False)
            raise
        if made is not None and not made.done():
            made.set_result(result.verdict.status == "passed")
        return result

    async def _begun(self, case: Case, profile: str, params: Mapping[str, str]) -> CaseResult:
        if reason := _left_out(case):
            return CaseResult(case=case, verdict=Verdict(status="skipped", reason=reason))
        state = self._setups.get(case.state)
        if state is not None and not await state:
            verdict = Verdict(status="skipped", reason=f"setup {case.state} failed")
            return CaseResult(case=case, verdict=verdict, waited_for=case.state)
        retries = case.settings.retries

        async def attempt(number: int, recording: Recording | None) -> Attempt:
            return await self._attempt(case, profile, number, params, recording)

        trying = CaseAttempts(
            case=case,
            attempt=attempt,
            mode="off" if self._logs_in(case) else mode_of(case, self._options.replay),
            anew=self._options.update,
            retries=self._options.retries if retries is None else retries,
            params=params,
        )
        try:
            return await trying.result()
        except StrapError:
            raise
        except Exception as error:  # noqa: BLE001 - it is told as what became of this case
            why = f"{type(error).__name__}: {error}"
            broken = Verdict(status="error", reason=why, cause="infrastructure")
            return CaseResult(case=case, verdict=broken, attempts=trying.attempts)

    def _logs_in(self, case: Case) -> bool:
        """Whether a script of the configuration makes the state of a case."""
        return bool(case.setup) and case.setup in self._router.config.logins

    async def _attempt(
        self,
        case: Case,
        profile: str,
        number: int,
        params: Mapping[str, str],
        recording: Recording | None,
    ) -> Attempt:
        login = case.setup if self._logs_in(case) else ""
        if not login and (recording is None or case.expectations or case.settings.judge):
            try:
                await self.load_agent()
            except StrapError as error:
                broken = Verdict(status="error", reason=str(error), cause="infrastructure")
                return Attempt(number=number, verdict=broken)
        session = CaseSession(self._router, profile, f"{profile}-{next(self._numbers)}")
        return await run_attempt(case, session, number, params, recording, login=login)

    async def _restart(self, profile: str) -> None:
        last = CaseSession(self._router, profile, f"{profile}-restart")
        await last.call("browser", "close", profile=profile)


def _left_out(case: Case) -> str:
    missing = [name for name in case.settings.needs if not os.environ.get(name)]
    return case.settings.skip or (f"{', '.join(missing)} not set" if missing else "")


def in_order(cases: Sequence[Case]) -> list[Case]:
    """Return the cases, each behind the one that makes the state it needs."""
    setups = {case.setup: case for case in cases if case.setup}
    ordered: dict[str, Case] = {}

    def add(case: Case) -> None:
        if case.id in ordered:
            return
        if needed := setups.get(case.state):
            add(needed)
        ordered[case.id] = case

    for case in sorted(cases, key=lambda case: not case.setup):
        add(case)
    return list(ordered.values())
