"""Running a server's event loop: uvloop where there is one, as every call is many turns of it."""

import asyncio
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import Any


def run(serve: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
    """Run `serve` to its end."""
    with asyncio.Runner(loop_factory=_uvloop()) as runner:
        runner.run(serve(*arguments))


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if find_spec("uvloop") is None:
        return None
    from uvloop import new_event_loop

    factory: Callable[[], asyncio.AbstractEventLoop] = new_event_loop
    return factory
