"""Sessions that are recorded and replayed: a router with a browser of its own, calls of a flow."""

import json
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.of_cases.mutations import Flow
from strap import Config, Result, Router, open_router
from strap.scripts.evidence import read_evidence, with_marks
from strap.scripts.playing import Failure, make_patiently, play
from strap.scripts.repairs import Repairs
from strap.scripts.script import read_script

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
        fields = (
            {"action": "fill", "value": "abc"} if step.role == "textbox" else {"action": "click"}
        )
        await make_patiently({"resource": "browser", "ref": ref, **fields}, web)
    for form, name in files.items():
        await call(web, "script", value=form, output=name)
    await call(web, "close")


async def replayed(
    web: Web, file: Path, given: Mapping[str, str], *, heal: bool, patience: float
) -> Failure | None:
    """Play a script with its evidence, as `strap run` does; the browser stays open.

    A call waits `patience` seconds for its element.
    """
    script = read_script(await to_thread(file.read_text, "utf-8"))

    async def make(arguments: dict[str, Any]) -> Result:
        return await web(arguments)

    async def agree(_: str) -> bool:
        return True

    data = await to_thread(file.with_name(f"{file.name}.json").read_bytes)
    document, entries = read_evidence(data, script.lines)
    repairs = Repairs(document=document, entries=entries, make=make, agree=agree) if heal else None
    known = {name: value for name, value in given.items() if name in script.names()}
    calls = with_marks(script.filled(known), entries)
    return await play(calls, make, repairs=repairs, patience=patience)
