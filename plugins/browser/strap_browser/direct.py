"""A page's DevTools session on the pipe of a browser of ours.

Playwright's driver takes most of the time of a short command; here it is not asked.
"""

import asyncio
from typing import Any

from strap_browser.pipe import Answer, Pipe

WITHOUT_BODIES = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}


class Direct:
    """Runs code in a page, and tells whether the page did anything else meanwhile."""

    def __init__(self, pipe: Pipe, session: str) -> None:
        self._pipe = pipe
        self._session = session
        self._events = 0
        pipe.listen(session, self._on_event)

    @classmethod
    async def attach(cls, pipe: Pipe, target_id: str) -> "Direct":
        """Open a session with a page; raises `Refused`."""
        attached = await pipe.send("Target.attachToTarget", targetId=target_id, flatten=True)
        direct = cls(pipe, attached["sessionId"])
        await direct._send("Page.enable")
        return direct

    async def evaluate(self, **options: Any) -> Answer:
        """Return the answer of `Runtime.evaluate`; raises `Refused`."""
        return await self._send("Runtime.evaluate", **options)

    async def run(self, **options: Any) -> tuple[Answer, bool]:
        """Return the answer of `Runtime.evaluate`, and whether the page stayed at rest meanwhile.

        The page tells of the requests that it makes and of the ways it goes before it answers.
        Raises `Refused`.
        """
        before = self._events
        self._send("Network.enable", **WITHOUT_BODIES)
        try:
            answer = await self.evaluate(**options)
        finally:
            self._send("Network.disable")
        return answer, self._events == before

    async def insert(self, text: str) -> None:
        """Put `text` where the focus is, as an input method would; raises `Refused`."""
        await self._send("Input.insertText", text=text)

    def _send(self, method: str, **params: Any) -> asyncio.Future[Answer]:
        return self._pipe.send(method, self._session, **params)

    def _on_event(self, _: str) -> None:
        self._events += 1
