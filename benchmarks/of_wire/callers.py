"""strap in this process, as one caller after the other."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from strap import Caller, Config, Result, open_router

Web = Callable[..., Awaitable[Result]]


@asynccontextmanager
async def callers(
    folder: Path, secrets: Mapping[str, Any] | None = None, **browser: Any
) -> AsyncIterator[Callable[[str], Web]]:
    """Give a function that returns the browser's actions for a caller of that name."""
    config = Config.load(network="local", secrets=dict(secrets or {}))
    settings = {"headless": True, "auto_launch": True, **browser}
    config = replace(config, home=folder / "home", outputs=folder / "files")
    config = replace(config, plugins={**config.plugins, "browser": settings})
    async with open_router(config=config) as router:

        def caller(name: str) -> Web:
            async def call(action: str, **fields: Any) -> Result:
                arguments = {"resource": "browser", "action": action, **fields}
                return await router.call(arguments, caller=Caller(session=name))

            return call

        yield caller
