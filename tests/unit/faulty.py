"""A plugin whose code does what ends a process, or holds up everybody."""

import asyncio
import threading
import time
from contextlib import asynccontextmanager

from strap import Context, Params, Resource, Result, action, hookimpl


class Own(BaseException):
    """Error of no class that anybody catches."""


KINDS = {
    "exit": SystemExit(3),
    "interrupt": KeyboardInterrupt(),
    "close": GeneratorExit(),
    "cancel": asyncio.CancelledError(),
    "own": Own("x"),
    "stop": StopIteration(),
}
RELEASED = threading.Event()
LATE = []


@asynccontextmanager
async def open_state(env):
    if env.config.deny:  # the test of what happens here denies something that is not there
        raise SystemExit(3)
    yield None
    raise SystemExit(4)


async def end_session(state, key):
    raise SystemExit(5)


faulty = Resource(name="faulty", summary="Faulty.", open=open_state, end_session=end_session)


class Kind(Params):
    kind: str = ""
    """Key of the error to raise."""


class Seconds(Params):
    seconds: float = 0
    """How long it takes."""


@action(faulty, effect="read")
async def fail(params: Kind, ctx: Context) -> Result:
    """Raise it."""
    await asyncio.sleep(0)
    raise KINDS[params.kind]


@action(faulty, effect="read", blocking=True)
def fail_in_thread(params: Kind, ctx: Context) -> Result:
    """Raise it in a thread."""
    raise KINDS[params.kind]


@action(faulty, effect="read")
async def fine(params: Kind, ctx: Context) -> Result:
    """Answer."""
    return Result(text="fine")


@action(faulty, effect="read")
async def block(params: Seconds, ctx: Context) -> Result:
    """Block the loop."""
    time.sleep(params.seconds)  # noqa: ASYNC251
    return Result(text="blocked")


@action(faulty, effect="read")
async def load(params: Kind, ctx: Context) -> Result:
    """Import what takes long."""
    import slow_to_import

    return Result(text=slow_to_import.__name__)


@action(faulty, effect="read", blocking=True, timeout=0.2)
def wait_in_thread(params: Seconds, ctx: Context) -> Result:
    """Wait in a thread until a test releases it."""
    RELEASED.wait(params.seconds)
    LATE.append(params.seconds)
    return Result(text=threading.current_thread().name)


@action(faulty, effect="read", blocking=True)
def nothing_in_thread(params: Kind, ctx: Context) -> Result:
    """Answer with no result."""
    return "text"


@hookimpl
def strap_register_resources(config):
    return [faulty]


@hookimpl
def strap_register_actions(config):
    return [fail, fail_in_thread, fine, block, load, wait_in_thread, nothing_in_thread]
