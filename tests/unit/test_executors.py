"""Engines of batches that plugins bring: one that works, and those that do not."""

import textwrap

import pytest

from strap import StartupError, StrapError, open_batch
from strap.batch.executors import engine_names
from strap.config import load as load_config
from strap.routing.assembly import make_router

pytestmark = pytest.mark.anyio
ENGINE = """
    import strap

    class Engine:
        slots = capacity = 2

        def refusal(self, calls):
            return None

        async def run(self, key, calls):
            {run}

        async def aclose(self):
            print("closed")

    async def open_engine(config, options):
        {open}

    @strap.hookimpl
    def strap_register_executors(config):
        return [strap.Executor({executor})]
"""
ITEM = {"id": "a", "resource": "http", "action": "fetch", "url": "http://127.0.0.1:1/"}


def source(
    run='return {"status": "ok", "text": key, "strange": 1, "key": "b"}',
    open="return Engine()",  # noqa: A002
    executor='name="queue", open=open_engine',
):
    return textwrap.dedent(ENGINE).format(run=run, open=open, executor=executor)


@pytest.fixture
def config(tmp_path):
    return load_config(environ={}, directory=tmp_path, home=tmp_path / "home")


async def rows(tmp_path, config):
    async with open_batch(tmp_path / "results", config=config, engine="queue") as batch:
        return [row async for row in batch.run([ITEM])]


async def test_a_plugin_brings_an_engine(site, tmp_path, config, capsys):
    site("queue", source())
    assert engine_names(config) == ("local", "ray", "queue")
    (row,) = await rows(tmp_path, config)
    assert (row.status, row.text) == ("ok", "a")
    assert capsys.readouterr().out == "closed\n"


async def test_an_engine_that_does_not_close_keeps_its_rows(site, tmp_path, config, caplog):
    site("queue", source().replace('print("closed")', "raise OSError('stuck')"))
    (row,) = await rows(tmp_path, config)
    assert row.status == "ok"
    assert "The engine 'queue' did not close: OSError: stuck" in caplog.text


RUNS = {
    "raise KeyError('queue')": "The engine 'queue' failed: KeyError: 'queue'",
    "raise SystemExit(3)": "The engine 'queue' failed: SystemExit: 3",
    "return None": "The engine 'queue' failed: it returned None, which is not an outcome",
    "return {'status': 'fine'}": "which is not an outcome",
    "return {'status': []}": "which is not an outcome",
    "return {'status': 'ok', 'text': [1]}": "its outcome has text [1]",
}


@pytest.mark.parametrize("run", RUNS)
async def test_an_item_fails_that_an_engine_fails_at(site, tmp_path, config, run):
    site("queue", source(run=run))
    (row,) = await rows(tmp_path, config)
    assert (row.status, row.code, row.key) == ("failed", "internal", "a")
    assert RUNS[run] in row.message


OPENS = {
    "raise OSError('no queue')": "The engine 'queue' did not start: OSError: no queue",
    "return None": "The engine 'queue' is None, without 'refusal'",
    "Engine.slots = 0; return Engine()": "The engine 'queue' has slots 0",
    "Engine.capacity = 'x'; return Engine()": "The engine 'queue' has capacity 'x'",
    "Engine.run = 5; return Engine()": "The engine 'queue' is",
}


@pytest.mark.parametrize("open_", OPENS)
async def test_an_engine_that_does_not_open_is_named(site, tmp_path, config, open_):
    site("queue", source(open=open_))
    with pytest.raises(StartupError) as caught:
        await rows(tmp_path, config)
    assert OPENS[open_] in str(caught.value)


EXECUTORS = {
    'name="local", open=open_engine': "an executor has a wrong name: 'local'",
    'name="Two words", open=open_engine': "an executor has a wrong name",
    'name=3, open=open_engine': "an executor has a wrong name: 3",
    'name="queue", open=5': "an executor has a wrong open: 5",
    'name="queue", open=open_engine, extra="x"': "an executor has a wrong extra: 'x'",
    'name="ray", open=open_engine': "There is an executor 'ray' already.",
}  # fmt: skip


@pytest.mark.parametrize("executor", EXECUTORS)
def test_an_executor_that_is_wrong_leaves_its_plugin_out(site, config, executor):
    site("queue", source(executor=executor))
    (found,) = (each for each in make_router(config).plugins.installed if each.name == "queue")
    assert EXECUTORS[executor] in found.problem
    assert engine_names(config) == ("local", "ray")


async def test_what_an_executor_needs_is_named_before_it_is_opened(site, tmp_path, config):
    extra = 'strap.Extra(name="queue", modules=("no_such_module",), distribution="strap-queue")'
    site("queue", source(executor=f'name="queue", open=5 .__add__, extra={extra}'))
    with pytest.raises(StrapError, match=r"needs the extra 'queue'\. Install it: .*strap-queue"):
        await rows(tmp_path, config)


async def test_an_engine_that_nobody_brings_makes_no_folder(tmp_path, config):
    with pytest.raises(StartupError, match=r"'batch\.engine': must be 'local' or 'ray'"):
        await rows(tmp_path, config)
    assert not (tmp_path / "results").exists()
