"""The state of the resource: everything that outlives one query."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from difflib import get_close_matches
from typing import Any, Self, cast

from strap import ActionError, Guard, StrapError, UsageError
from strap_search import failures
from strap_search.capabilities import Requirements, missing_features
from strap_search.engine import Engine, Value
from strap_search.paging import PageCursors
from strap_search.rate_limit import RateLimiter
from strap_search.registry import installed
from strap_search.settings import SearchSettings

log = logging.getLogger("strap.search")


class SearchState:
    """State that engines share, closed at its end; `guard` checks addresses of APIs."""

    def __init__(self, settings: SearchSettings, guard: Guard) -> None:
        self.settings = settings
        self.guard = guard
        self.registry = installed()
        self.trails = PageCursors()
        self._paces: dict[str, RateLimiter] = {}
        self._opened: dict[str, Any] = {}
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def resolve(self, name: str) -> type[Engine]:
        """Return the class that answers for `name`; imported on first use, off the loop.

        Raises `UsageError` for an unknown name, `ActionError` if it is not set up or broken.
        """
        if name not in self.registry.listed:
            raise _unknown(name, self.registry.names)
        return await asyncio.to_thread(self.registry.resolve, name, self.settings)

    async def open(self, engine_class: type[Engine]) -> Engine:
        """Make an engine for one query, off the loop: it may load certificates."""
        try:
            return await asyncio.to_thread(engine_class, self)
        except StrapError:
            raise
        except (Exception, SystemExit) as error:
            log.exception("Search engine %r cannot be opened", engine_class.name)
            raise failures.broken(engine_class.name, error) from error

    async def others(self, name: str, requirements: Requirements) -> tuple[str, ...]:
        """Return the engines that are set up and meet the requirements, but for `name`."""
        names = []
        for other in self.registry.names:
            try:
                engine_class = await self.resolve(other) if other != name else None
            except ActionError:
                continue
            if engine_class is not None and not any(missing_features(requirements, engine_class)):
                names.append(other)
        return tuple(names)

    def pace(self, engine_class: type[Engine]) -> RateLimiter:
        """Return the pace that all queries to an engine share."""
        if engine_class.name not in self._paces:
            interval = self.settings.interval if engine_class.keyless else 0
            self._paces[engine_class.name] = RateLimiter(
                interval=interval, cooldown=self.settings.cooldown
            )
        return self._paces[engine_class.name]

    async def kept(
        self, name: str, make: Callable[[], AbstractAsyncContextManager[Value]]
    ) -> Value:
        """Return what `make` opens: made once, on first use, off the loop."""
        async with self._opening:
            if name not in self._opened:
                made = await asyncio.to_thread(make)
                self._opened[name] = await self._stack.enter_async_context(made)
        return cast("Value", self._opened[name])


def _unknown(name: str, valid: list[str]) -> UsageError:
    near = get_close_matches(name.lower(), valid, n=1)
    return UsageError(
        f"Unknown engine: {name[:60]!r} (valid: {', '.join(valid)}).",
        hint=f"Did you mean {near[0]!r}?" if near else "",
        code="unknown_engine",
    )
