"""Running a server's event loop: uvloop where there is one, as every call is many turns of it."""

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import Any

log = logging.getLogger(__name__)
YOUNG = 2_000
"""Objects that are made before the young ones are searched for garbage.

With Python's 700 it takes a tenth of what a call does, and hardly anything is garbage so soon. Of
10,000 the memory of a server grows by 10 MB in 250 pages before the old ones are searched.
"""


def run(serve: Callable[..., Coroutine[Any, Any, None]], *arguments: Any) -> None:
    """Run `serve` to its end.

    A task or callback of a plugin that raises what ends a program, as by `sys.exit()`, makes the
    loop stop: it is logged, and the loop goes on.
    """
    gc.set_threshold(YOUNG)
    with asyncio.Runner(loop_factory=_uvloop()) as runner:
        loop = runner.get_loop()
        serving = loop.create_task(serve(*arguments))
        while not serving.done():
            try:
                loop.run_until_complete(serving)
            except BaseException as error:
                if serving.done() or not _is_fault(error):
                    raise
                log.exception("Unexpected error in a task of a plugin")


def _is_fault(error: BaseException) -> bool:
    from strap.faults import is_fault

    return is_fault(error)


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if find_spec("uvloop") is None:
        return None
    from uvloop import new_event_loop

    factory: Callable[[], asyncio.AbstractEventLoop] = new_event_loop
    return factory
