"""Sessions that are recorded: a router with a browser of its own, and the calls of a flow."""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.of_cases.mutations import Flow
from strap import Config, Result, Router, open_router

Web = Callable[[dict[str, Any]], Awaitable[Result]]


def opened(folder: Path, **fields: Any) -> AbstractAsyncContextManager[Router]:
    """Open a router whose files go to the folder; `fields` are those of its configuration."""
    browser: dict[str, Any] = {"headless": True, "auto_launch": True}
    config = Config.load(network="local", home=folder / "home", outputs=folder, **fields)
    config = replace(config, plugins={**config.plugins, "browser": browser})
    return open_router(config=config)


async def call(web: Web, action: str, **fields: object) -> Any:
    return await web({"resource": "browser", "action": action, **fields})


async def recorded(web: Web, made: Flow, url: str, files: Mapping[str, str]) -> None:
    """Do what a flow does, and write it into files by their formats."""
    await call(web, "navigate", url=url)
    for step in made.steps:
        ref = f"{step.role} {json.dumps(step.name)}"
        if step.role == "textbox":
            await call(web, "fill", ref=ref, value="abc")
        else:
            await call(web, "click", ref=ref)
    for form, name in files.items():
        await call(web, "script", value=form, output=name)
    await call(web, "close")
