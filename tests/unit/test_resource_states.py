"""States that plugins add to a resource: theirs alone, and nobody else's trouble."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from strap import (
    Context,
    Params,
    Resource,
    ResourceState,
    Result,
    StartupError,
    action,
    hookimpl,
    testing,
)
from strap.routing import lifespans

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def open_garden(environment):
    events = []
    yield events
    events.append("garden closed")


garden = Resource(
    name="garden",
    summary="A garden.",
    open=open_garden,
    gauges=lambda events: {"beds": 1},
    archive=lambda events, session_id: None,
)


@action(garden, effect="read")
async def look(params: Params, ctx: Context) -> Result:
    """Look at it."""
    ctx.state.append("looked")
    return Result(text="green")


@action("garden", effect="read", before="look")
async def water(params: Params, ctx: Context) -> Result:
    """Water it."""
    return Result(text=f"{type(ctx.state).__name__} {ctx.state.name}")


class Garden:
    @hookimpl
    def strap_register_resources(self, config):
        return [garden]

    @hookimpl
    def strap_register_actions(self, config):
        return [look]


class Hose:
    def __init__(self, name, base):
        self.name, self.base = name, base


class Watering:
    """Adds a state, and an action that has it."""

    def __init__(self, *, fails=None, around=None):
        self.fails, self.around, self.ended = fails, around, []

    @asynccontextmanager
    async def open(self, environment, states):
        if self.fails is not None:
            await self.fails()
        hose = Hose("green", states["garden"])
        yield hose
        hose.base.append("hose closed")

    async def end_session(self, hose, key):
        self.ended.append(key)

    @hookimpl
    def strap_resource_state(self, config):
        return [
            ResourceState(
                resource="garden",
                open=self.open,
                end_session=self.end_session,
                around=self.around,
                gauges=lambda hose: {"hoses": 2},
                archive=lambda hose, session_id: session_id.encode(),
            )
        ]

    @hookimpl
    def strap_register_actions(self, config):
        return [water]


async def test_an_action_has_the_state_of_its_plugin(tmp_path):
    async with testing.router(Garden(), Watering(), home=tmp_path) as web:
        assert (await web(resource="garden", action="water")).text == "Hose green"
        assert (await web(resource="garden", action="look")).text == "green"
        names = web.router.catalog.advertised_names("garden")["garden"]
        assert names.index("water") == names.index("look") - 1
        events = web.router.lifespans["garden"].of("nobody")
    assert events == ["looked", "hose closed", "garden closed"]


async def test_all_states_of_a_resource_are_asked(tmp_path):
    watering = Watering()
    async with testing.router(Garden(), watering, home=tmp_path) as web:
        span = web.router.lifespans["garden"]
        assert span.gauges() == {}
        await web(resource="garden", action="look")
        assert span.gauges() == {"beds": 1, "hoses": 2}
        assert span.archive("x") == b"x"
        await web.router.end_session("local/1")
    assert watering.ended == ["local/1"]


async def test_what_runs_around_an_action_has_its_own_state(tmp_path):
    async def around(hose, context, go_on):
        hose.base.append(f"before {context.call.action}")
        return await go_on()

    async with testing.router(Garden(), Watering(around=around), home=tmp_path) as web:
        await web(resource="garden", action="look")
        await web(resource="garden", action="water")
        events = [*web.router.lifespans["garden"].of("nobody")]
    assert events == ["before look", "looked", "before water"]


async def raises():
    raise SystemExit(3)


async def hangs():
    await asyncio.Event().wait()


@pytest.mark.parametrize("fails", [raises, hangs])
async def test_one_that_cannot_be_opened_fails_its_plugin_alone(
    tmp_path, monkeypatch, caplog, fails
):
    monkeypatch.setattr(lifespans, "PATIENCE", 0.2)
    async with testing.router(Garden(), Watering(fails=fails), home=tmp_path) as web:
        assert (await web(resource="garden", action="look")).text == "green"
        error = await web.fails(resource="garden", action="water")
        assert "could not be opened" in str(error)
        assert "Watering" in str(error)
        assert error.code == "internal"
        assert web.router.lifespans["garden"].gauges() == {"beds": 1}


async def test_a_fault_around_an_action_is_blamed_on_its_plugin(tmp_path):
    async def around(hose, context, go_on):
        raise RuntimeError("wet")

    async with testing.router(Garden(), Watering(around=around), home=tmp_path) as web:
        error = await web.fails(resource="garden", action="look")
    assert "(RuntimeError) in the state of plugin" in str(error)


async def test_a_fault_of_the_action_is_not_blamed_on_what_runs_around_it(tmp_path):
    @action("garden", effect="read")
    async def dig(params: Params, ctx: Context) -> Result:
        """Dig."""
        raise RuntimeError("stone")

    class Digging:
        @hookimpl
        def strap_register_actions(self, config):
            return [dig]

    async def around(hose, context, go_on):
        return await go_on()

    plugins = Garden(), Watering(around=around), Digging()
    async with testing.router(*plugins, home=tmp_path) as web:
        error = await web.fails(resource="garden", action="dig")
    assert "(RuntimeError) in garden.dig of" in str(error)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("x", "not a list"),
        ([3], "3, which is not a state"),
        ([ResourceState(resource="garden", open=None)], "has no function where one is needed"),
        ([ResourceState(resource="forest", open=open_garden)], "unknown resource 'forest'"),
        ([ResourceState(resource="garden", open=open_garden)] * 2, "two states"),
    ],
)
async def test_what_is_no_state_is_named(tmp_path, given, problem):
    class Wrong:
        @hookimpl
        def strap_resource_state(self, config):
            return given

    with pytest.raises(StartupError, match=problem):
        async with testing.router(Garden(), Wrong(), home=tmp_path):
            pass
