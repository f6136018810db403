"""The hooks of the agent: its actions on the resource `browser`, which are not for Windows."""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from strap import (
    Action,
    Call,
    Config,
    Detached,
    Diagnosis,
    Environment,
    ResourceState,
    Result,
    hookimpl,
)
from strap.api.action_lists import read_actions

if TYPE_CHECKING:
    from click import Group

    from strap_agent.state import AgentState

IS_SUPPORTED = os.name != "nt"


@asynccontextmanager
async def _open(environment: Environment, states: Mapping[str, Any]) -> "AsyncIterator[AgentState]":
    from strap_agent.state import open_agent

    async with open_agent(environment, states) as agent:
        yield agent


async def _end_session(agent: "AgentState", key: str) -> None:
    agent.end_session(key)


def _gauges(agent: "AgentState") -> dict[str, float]:
    return agent.gauges()


def _archive(agent: "AgentState", session_id: str) -> bytes | None:
    return agent.archive(session_id)


async def _detach(agent: "AgentState", call: Call, order: Detached) -> Result:
    return agent.detach(call, order)


@hookimpl
def strap_resource_state(config: Config) -> Iterable[ResourceState]:
    """The runs of the agent."""
    state = ResourceState(
        resource="browser",
        open=_open,
        end_session=_end_session,
        gauges=_gauges,
        archive=_archive,
        detach=_detach,
    )
    return [state] if IS_SUPPORTED else []


@hookimpl
def strap_register_actions(config: Config) -> Iterable[Action]:
    """The actions on runs of the agent."""
    return read_actions(__file__) if IS_SUPPORTED else []


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Check what the agent needs: its libraries, a model, the store of its runs."""
    if not IS_SUPPORTED:
        return []
    from strap_agent.cli import diagnose

    return diagnose(config)


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add the commands about runs and about the agent's environment."""
    if IS_SUPPORTED:
        from strap_agent.cli import runs
        from strap_agent.workers.commands import agent

        cli.add_command(runs)
        cli.add_command(agent)
