"""A small plugin that the tests of the core route calls to."""

import asyncio
from contextlib import asynccontextmanager
from typing import Literal

from pydantic import BaseModel, Field

from strap import ActionError, Context, Image, Params, Resource, Result, StringMap, action, hookimpl


class Settings(BaseModel):
    model_config = {"extra": "forbid"}
    greeting: str = "hello"
    path: str | None = Field(default=None, json_schema_extra={"env": "STRAP_SAMPLE_PATH"})


class State:
    def __init__(self) -> None:
        self.events: list[str] = []
        self.gate = asyncio.Event()
        self.waiting = asyncio.Event()


OPENED: list[State] = []


@asynccontextmanager
async def open_state(env):
    state = State()
    OPENED.append(state)
    yield state
    state.events.append("closed")


async def end_session(state, key):
    state.events.append(f"end {key}")


sample = Resource(
    name="sample", summary="A sample.", settings=Settings, open=open_state, end_session=end_session
)


class Greet(Params):
    name: str
    """Person to greet."""
    times: int = Field(default=1, ge=1, le=3)
    mood: Literal["kind", "curt"] = "kind"
    headers: StringMap | None = None
    tags: list[str] | None = None
    url: str | None = None


class Nothing(Params):
    pass


@action(sample, effect="read", timeout=5)
async def greet(params: Greet, ctx: Context[State]) -> Result:
    """Greet somebody.

    More about greeting.
    """
    text = " ".join([f"{ctx.settings.greeting} {params.name}"] * params.times)
    return Result(text=text, data={"params": params, "key": ctx.caller_key})


@action(sample, effect="write", timeout=5)
async def fail(params: Nothing, ctx: Context[State]) -> Result:
    """Fail as told."""
    raise ActionError("The sample failed.", hint="Call greet.", code="sample", retryable=True)


@action(sample, effect="write", timeout=5)
async def crash(params: Nothing, ctx: Context[State]) -> Result:
    """Raise something foreign."""
    raise KeyError("secret detail")


@action(sample, effect="read", timeout=0.2)
async def hang(params: Nothing, ctx: Context[State]) -> Result:
    """Wait for ever."""
    ctx.state.waiting.set()
    try:
        await ctx.state.gate.wait()
    except asyncio.CancelledError:
        ctx.state.events.append("cancelled")
        raise
    return Result(text="released")


@action(sample, effect="read")
async def flood(params: Nothing, ctx: Context[State]) -> Result:
    """Answer with too much."""
    return Result(text="many words here\n" * 20_000, images=(Image(data=b"x"),))


@action(sample, effect="read")
async def count(params: Nothing, ctx: Context[State]) -> Result:
    """Report progress."""
    await ctx.progress("one")
    await ctx.progress("two", 2, 2)
    return Result(text="counted")


@action(sample, effect="read")
async def relay(params: Greet, ctx: Context[State]) -> Result:
    """Call another action."""
    fields = {"name": "Ada"} if params.name == "greet" else {}
    return await ctx.web(resource="sample", action=params.name, **fields)


@action(sample, effect="read")
async def halves(params: Nothing, ctx: Context[State]) -> Result:
    """Answer with half a character."""
    return Result(text="left \ud83d right")


def as_object(failed):
    return Result(text=f"object: {failed.error.code}", is_error=True)


@action(sample, effect="read", timeout=0.2, render_error=as_object)
async def contract(params: Greet, ctx: Context[State]) -> Result:
    """Answer with an object on every path."""
    if params.name == "crash":
        raise KeyError("secret detail")
    await ctx.state.gate.wait()
    return Result(text="object: done")


@hookimpl
def strap_register_resources(config):
    return [sample]


@hookimpl
def strap_register_actions(config):
    return [greet, fail, crash, hang, flood, count, contract, relay, halves]
