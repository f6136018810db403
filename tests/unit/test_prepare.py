"""Loading what the first call would wait for, and routers of a configuration that is there."""

from contextlib import asynccontextmanager

import pytest

import strap
from strap import ActionError, Extra, Params, Resource, Result, UsageError, action, hookimpl

pytestmark = pytest.mark.anyio


class Slow:
    """A plugin whose state takes long to be of use."""

    def __init__(self):
        slow, prepared = self, []
        self.prepared = prepared

        @asynccontextmanager
        async def opening(environment):
            yield prepared

        async def prepare(state, settings):
            state.append(settings)
            if slow.broken:
                raise ActionError("There is no model.", code="no_model")

        @action("slow", effect="read", prepare=prepare)
        async def ask(params: Params, ctx) -> Result:
            """Ask."""
            return Result(text="")

        @action("slow", effect="read", extra=Extra(name="x", modules=("not_there",)))
        async def miss(params: Params, ctx) -> Result:
            """Miss."""
            return Result(text="")

        self.broken = False
        self.actions = [ask, miss]
        self.resource = Resource(name="slow", summary="slow things", open=opening)

    @hookimpl
    def strap_register_resources(self, config):
        return [self.resource]

    @hookimpl
    def strap_register_actions(self, config):
        return self.actions


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
async def web(tmp_path, slow):
    config = strap.Config(home=tmp_path, outputs=tmp_path / "outputs")
    async with strap.open_router(plugins=[("slow", slow)], config=config) as opened:
        yield opened


async def test_an_action_is_prepared_in_its_state(web, slow):
    await web.prepare("slow.ask")
    assert slow.prepared == [None]


@pytest.mark.parametrize("name", ["slow.help", "http.fetch"])
async def test_what_needs_no_preparation_is_ready(web, name):
    await web.prepare(name)


@pytest.mark.parametrize(
    ("name", "said"),
    [("slow.aks", "Did you mean 'ask'?"), ("slo.ask", "Unknown resource"), ("slow", "Unknown")],
)
async def test_unknown_names_are_told(web, name, said):
    with pytest.raises(UsageError, match=said):
        await web.prepare(name)


async def test_what_cannot_work_is_told_before_the_first_call(web, slow):
    with pytest.raises(ActionError, match="needs the extra 'x', which is not installed"):
        await web.prepare("slow.miss")
    slow.broken = True
    with pytest.raises(ActionError, match="There is no model"):
        await web.prepare("slow.ask")


async def test_a_whole_configuration_takes_no_further_settings(tmp_path):
    config = strap.Config(home=tmp_path, outputs=tmp_path)
    with pytest.raises(UsageError, match="'network' does not go with it"):
        async with strap.open_router(config=config, network="all"):
            pass


async def test_a_configuration_is_taken_as_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "other"))
    config = strap.Config(home=tmp_path, outputs=tmp_path, network="all")
    async with strap.open_router(config=config) as web:
        assert (web.config, web.guard.mode) == (config, "all")
