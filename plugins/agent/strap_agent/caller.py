"""Messages to the caller of a run: its steps, and requests to the client's own model."""

import asyncio
import logging

from strap_agent.contract import MAX_LINE
from strap_agent.request import RunRequest
from strap_agent.workers.pool import Message, Worker
from strap_browser.api import Tasks, clip

log = logging.getLogger(__name__)
PAUSED_TOLD = 10.0
"""Seconds between two reports that a person keeps the run waiting."""
TELL_LIMIT = 2.0
"""Seconds that a caller gets to take a line about progress; else it gets no more of them."""


class CallerChannel:
    """Channel to the caller of a run; the run goes on when the caller is gone."""

    def __init__(self, request: RunRequest) -> None:
        self._request = request
        self._progress = request.progress
        self._paused = 0.0
        """After how many seconds of waiting for a person it was last told of that."""
        self._samples = Tasks()

    async def tell(self, text: str, step: float) -> None:
        """Report a step; a caller that is gone or does not read is told no more."""
        if self._progress is None:
            return
        try:
            async with asyncio.timeout(TELL_LIMIT):
                await self._progress(text, float(step), float(self._request.limits.max_steps))
        except Exception as error:  # noqa: BLE001 - whatever becomes of the caller
            log.debug("Progress is not taken: %r", error)
            self._progress = None

    async def tell_paused(self, seconds: float, steps: int) -> None:
        """Report now and then that the run waits for a person; what is told always grows."""
        if seconds >= self._paused + PAUSED_TOLD:
            self._paused = seconds
            between = 1 - 1 / (2 + seconds)
            await self.tell(f"paused by a person ({seconds:.0f} s)", steps + between)

    def ask(self, message: Message, worker: Worker) -> None:
        """Ask the caller's model and pass its answer on, beside everything else."""
        self._samples(self._sample(message, worker))

    async def aclose(self) -> None:
        """Wait for no answer any more."""
        await self._samples.aclose()

    async def _sample(self, message: Message, worker: Worker) -> None:
        try:
            if self._request.sample is None:
                raise ConnectionError("The client does not offer its model.")
            text = await self._request.sample(message["system"], message["turns"])
        except Exception as error:  # noqa: BLE001 - whatever the client says goes to the agent
            rejected = getattr(error, "code", "") == "sampling_rejected"
            line = clip(str(error), MAX_LINE)
            await worker.send("sampled", id=message["id"], error=line, rejected=rejected)
        else:
            await worker.send("sampled", id=message["id"], text=text)
