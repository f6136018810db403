"""How often browser-use looks whether something is so that nothing tells it.

It looks every 50 ms whether a page is attached and whether one has loaded, the first time a moment
before it is: so each run and each page that it goes to lost that time.
"""

import asyncio
from typing import Any

THEIRS, OURS = 0.05, 0.01
"""Seconds between two looks; one takes microseconds."""


class _Asyncio:
    """The module, as `browser_use.browser` sees it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, delay: float, result: Any = None) -> Any:
        return await asyncio.sleep(OURS if delay == THEIRS else delay, result)


def install() -> None:
    """Have it look more often."""
    from browser_use.browser import session, session_manager

    for module in (session, session_manager):
        vars(module)["asyncio"] = _Asyncio()
