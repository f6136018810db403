"""A person who is asked: what a test scripts, and what they were shown."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from strap import Question


@dataclass
class Person:
    """Says `answer` to each question; `meanwhile` is awaited while the question is open."""

    answer: bool = True
    meanwhile: Callable[[], Awaitable[object]] | None = None
    silent: bool = False
    asked: list[Question] = field(default_factory=list)

    async def __call__(self, question: Question) -> bool:
        """Answer."""
        self.asked.append(question)
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.silent:
            await asyncio.Event().wait()
        return self.answer

    @property
    def texts(self) -> list[str]:
        """Texts that were shown."""
        return [question.text for question in self.asked]
