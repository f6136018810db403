"""Runs cases one by one, on an event loop in a thread of its own, for pytest."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from strap import Config, StrapError, open_router
from strap_cases.cases import Case
from strap_cases.running.configuring import at_home, for_cases, forget
from strap_cases.running.engine import Engine, Options
from strap_cases.running.readiness import (
    check_addresses,
    check_calls,
    check_recordings,
    check_secrets,
)
from strap_cases.running.results import as_record

START_LIMIT = 300.0
"""Seconds until the browser is there: many on a cold disk under load."""
Order = tuple[Case, Sequence[Case], Mapping[str, str], Future[dict[str, Any]]]


class Host:
    """A browser and an agent for the cases of one process."""

    def __init__(
        self, config: Config, report: Path, options: Options, *, model: str, headed: bool
    ) -> None:
        """Pictures and the runs of the agent are kept below `report`."""
        home = report.absolute() / "data"
        self._users = config
        self._config = for_cases(config, home, jobs=1, model=model, headed=headed)
        self._report = report
        self._options = options
        self._ready: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._orders: asyncio.Queue[Order | None] = asyncio.Queue()
        self._thread = Thread(target=self._main, name="strap cases", daemon=True)
        self._thread.start()

    def run(self, case: Case, known: Sequence[Case], params: Mapping[str, str]) -> dict[str, Any]:
        """Run a case and return its record; raises `StrapError`, or `BadCases` for this case."""
        check_secrets([case], self._config)
        self._ready.result(START_LIMIT)
        answer: Future[dict[str, Any]] = Future()
        self._put((case, known, params, answer))
        return answer.result()

    def close(self) -> None:
        """End the browser; what goes on is broken off."""
        self._put(None)
        self._thread.join()
        forget(self._config.home, self._users)

    def _put(self, order: Order | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._orders.put_nowait, order)

    def _main(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            if isinstance(error, StrapError):
                at_home(error, "--strap-report")
            if not self._ready.done():
                self._ready.set_exception(error)
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        async with open_router(config=self._config) as router:
            engine = Engine(router, self._options)
            await engine.prepare(agent=False)
            self._ready.set_result(None)
            ends = asyncio.create_task(self._orders.get())
            while (order := await ends) is not None:
                case, known, params, answer = order
                ends = asyncio.create_task(self._orders.get())
                work = asyncio.create_task(self._run_case(engine, router, case, known, params))
                await asyncio.wait({work, ends}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():  # somebody gave up waiting
                    work.cancel()
                    await asyncio.wait({work})
                _hand_over(work, answer)

    async def _run_case(
        self,
        engine: Engine,
        router: Any,
        case: Case,
        known: Sequence[Case],
        params: Mapping[str, str],
    ) -> dict[str, Any]:
        options = self._options
        if options.update or not check_recordings([case], params, options.replay):
            await engine.load_agent()
        check_calls([case], router)
        await check_addresses([case], router)
        result = await engine.run_one(case, known, params)
        return await asyncio.to_thread(as_record, result, self._report / "pictures")


def _hand_over(work: asyncio.Task[dict[str, Any]], answer: "Future[dict[str, Any]]") -> None:
    if work.cancelled():
        answer.cancel()
    elif (error := work.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(work.result())
