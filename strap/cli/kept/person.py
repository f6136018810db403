"""The person before the client of a connection: the keeper itself has no terminal to ask at."""

import asyncio
import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from strap.api.questions import Question
from strap.errors import ActionError


class Person:
    """Asks over one connection; an answer names the number of its question."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = count(1)
        self._turn = asyncio.Lock()
        self._open: dict[int, asyncio.Future[bool | None]] = {}

    async def confirm(self, question: Question) -> bool:
        """Ask, one question after the other; raises `ActionError` where nobody can be."""
        async with self._turn:
            number = next(self._numbers)
            self._open[number] = answer = asyncio.get_running_loop().create_future()
            try:
                message = {"question": question.text, "number": number}
                self._writer.write(json.dumps(message).encode() + b"\n")
                await self._writer.drain()
                yes: bool | None = await answer
            finally:
                del self._open[number]
            if yes is None:
                raise ActionError("Its client has no terminal to ask at.", code="no_terminal")
            return yes

    def take(self, request: Mapping[str, Any]) -> bool:
        """Take an answer; returns whether the request is one, be it too late."""
        if request["do"] != "reply":
            return False
        answer = self._open.get(request["number"])
        if answer is not None and not answer.done():
            answer.set_result(None if request["yes"] is None else request["yes"] is True)
        return True
