"""One question to a person, put in several places at once: the first answer counts."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from strap.api.questions import Asker, Question
from strap.errors import StrapError, one_line

LEAVE = 1.0
"""Seconds that what asks gets to take its question back."""
log = logging.getLogger(__name__)


class Unasked(Exception):
    """Nobody is left who could answer; the text says why."""


class Asking:
    """Asks from the beginning on; `aclose` takes back what nobody has answered."""

    def __init__(self, askers: Sequence[Asker], question: Question) -> None:
        self.answer = False
        self._tasks = {asyncio.create_task(_put(asker, question)): asker for asker in askers}
        self._why = "nobody watches any more"

    async def answered(self, within: float) -> bool:
        """Wait so many seconds for an answer; raises `Unasked` where none can come."""
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        while (left := end - loop.time()) > 0:
            if not any(asker.there() for asker in self._tasks.values()):
                raise Unasked(self._why)
            done, _ = await asyncio.wait(self._tasks, timeout=left, return_when="FIRST_COMPLETED")
            answers = [answer for answer in map(self._take, done) if answer is not None]
            if answers:
                self.answer = all(answers)
                return True
        return False

    async def aclose(self) -> None:
        """Ask nobody any more."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVE)

    def _take(self, task: "asyncio.Task[Any]") -> bool | None:
        del self._tasks[task]
        try:
            return task.result() is True
        except StrapError as error:
            self._why = error.message
        except Exception as error:
            log.warning("A person could not be asked", exc_info=error)
            self._why = one_line(error)
        return None


async def _put(asker: Asker, question: Question) -> Any:
    return await asker.confirm(question)
