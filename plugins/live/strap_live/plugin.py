"""The hooks of the live view: the action `live`, and what holds a page while a person has it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from strap import (
    Action,
    Config,
    Context,
    Diagnosis,
    Environment,
    ResourceState,
    Result,
    hookimpl,
)
from strap.api.action_lists import read_actions

if TYPE_CHECKING:
    from click import Group

    from strap_live.state import LiveState


@asynccontextmanager
async def _open(environment: Environment, states: Mapping[str, Any]) -> "AsyncIterator[LiveState]":
    from strap_live.state import open_live

    async with open_live(environment, states) as live:
        yield live


async def _end_session(live: "LiveState", key: str) -> None:
    live.end_session(key)


async def _around(
    live: "LiveState", ctx: Context[Any], go_on: Callable[[], Awaitable[Result]]
) -> Result:
    return await live.around(ctx, go_on)


@hookimpl
def strap_resource_state(config: Config) -> Iterable[ResourceState]:
    """The live view of the browser."""
    return [ResourceState(resource="browser", open=_open, end_session=_end_session, around=_around)]


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The action `live`."""
    return read_actions(__file__)


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Whether there is something to watch, and who may."""
    from strap_live.commands import diagnose

    return [diagnose(config)]


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap live`."""
    from strap_live.commands import live

    cli.add_command(live)
