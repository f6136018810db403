"""Element on which the agent acts: told beside each picture while it does, and shortly after."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any

from strap_browser.api import Box, CdpError, CdpSession

SHOWN = 2.0
"""Seconds after an action for which its element is told: the picture of what it did has come."""
LIMIT = 1.0
"""Seconds for a page to say where the element is; the next picture asks it again."""


class Aims:
    """Tells where the agent acts; at other times its page is asked nothing."""

    def __init__(
        self,
        aim: Callable[[CdpSession], Awaitable[Box | None]],
        tell: Callable[[Box | None], None],
    ) -> None:
        """`aim` returns in CSS pixels where on the page of a session the element is."""
        self._aim = aim
        self._tell = tell
        self._acting = 0
        self._until = -inf
        self._asking: asyncio.Task[Any] | None = None

    def action_began(self) -> None:
        """The agent begins to act."""
        self._acting += 1

    def action_ended(self) -> None:
        """The agent has acted."""
        self._acting -= 1
        self._until = monotonic() + SHOWN

    def drawn(self, session: CdpSession) -> None:
        """A picture of the current page was taken: tell where the element is on it."""
        asking = self._asking is not None and not self._asking.done()
        if not asking and (self._acting or monotonic() < self._until):
            self._asking = asyncio.create_task(self._ask(session), name="mark an element")

    async def aclose(self) -> None:
        """Ask no more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})

    async def _ask(self, session: CdpSession) -> None:
        box = None
        with suppress(CdpError, TimeoutError):
            async with asyncio.timeout(LIMIT):
                box = await self._aim(session)
        self._tell(box)
