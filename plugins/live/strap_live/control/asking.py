"""What the agent asks of a person who watches."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from strap import StrapError
from strap_agent.person.pause import DECLINED, DONE, Inviting

log = logging.getLogger(__name__)
TOLD = 10.0
"""Seconds between two reports to the caller that waits."""
Report = Callable[[str], Awaitable[None]]


class Asking:
    """One question, until a person has had control, declines, or nobody does anything."""

    def __init__(self, text: str, limit: float) -> None:
        self.text = text
        self.until = time.time() + limit
        """When nobody is waited for any more, in seconds since 1970."""
        self._limit = limit
        self._answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def answer(self, text: str) -> None:
        """Tell the agent what came of it."""
        if not self._answer.done():
            self._answer.set_result(text)

    async def invited(self, invite: Inviting) -> None:
        """Ask elsewhere as well, and take the answer; who comes from there answers here."""
        try:
            done = await invite(self.text)
        except StrapError as error:
            log.debug("Nobody was invited: %s", error)
            return
        if done is not None:
            self.answer(DONE if done else DECLINED)

    async def wait(self, report: Report, busy: Callable[[], bool]) -> str:
        """Return what came of it; whoever is `busy` with it at the end of the time may finish."""
        began = time.monotonic()
        while not self._answer.done():
            waited = time.monotonic() - began
            if waited >= self._limit and not busy():
                return f"Nobody took control within {self._limit:.0f} s."
            left = self._limit - waited
            await asyncio.wait({self._answer}, timeout=min(TOLD, left) if left > 0 else TOLD)
            if not self._answer.done():
                await report(f"waiting for a person ({time.monotonic() - began:.0f} s)")
        return self._answer.result()
