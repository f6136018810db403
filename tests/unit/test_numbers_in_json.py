"""JSON that strap writes can be read by every reader: no NaN and no Infinity is in it."""

import json
import math
import os
import sys

import pytest

from strap import Context, Params, Resource, Result, action, hookimpl, testing
from strap.batch.rows import Row
from strap.batch.table import export
from strap.batch.worker import run_calls
from strap.json.writing import to_json
from strap.rows.fitting import number_in

pytestmark = pytest.mark.anyio
stats = Resource(name="stats", summary="Computes.")
DATA = {"mean": math.nan, "all": [1.5, math.inf, {"least": -math.inf}], "many": 3}
AS_JSON = {"mean": None, "all": [1.5, None, {"least": None}], "many": 3}


class Nothing(Params):
    pass


@action(stats, effect="read")
async def mean(params: Nothing, ctx: Context) -> Result:
    """Compute a mean of nothing."""
    await ctx.progress("one", math.nan, math.inf)
    await ctx.progress("two")
    await ctx.progress("three", 3, 4)
    return Result(text="nan", data=DATA)


@hookimpl
def strap_register_resources(config):
    return [stats]


@hookimpl
def strap_register_actions(config):
    return [mean]


def parsed(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_the_command_line_writes_null(site):
    site("stats", "from tests.unit.test_numbers_in_json import *")
    path = os.pathsep.join([str(site.folder), *sys.path])
    done = site.strap("call", "--json", "stats", "mean", PYTHONPATH=path)
    assert parsed(done.stdout)["data"] == AS_JSON, done.stderr


async def test_a_row_of_a_batch_has_null(tmp_path):
    async with testing.router(sys.modules[__name__], home=tmp_path) as web:
        outcome = await run_calls(web.router, "one", ({"resource": "stats", "action": "mean"},))
    assert parsed(outcome["data"]) == AS_JSON


def test_what_an_item_was_has_null_in_a_table(tmp_path):
    row = Row(key="one", index=1, status="ok")
    export([row], tmp_path / "t.jsonl", {"one": DATA})
    assert parsed(parsed((tmp_path / "t.jsonl").read_text())["input"]) == AS_JSON


async def test_progress_is_told_in_numbers(tmp_path):
    told = []

    async def report(message, done, total):
        told.append((message, done, total))

    async with testing.router(sys.modules[__name__], home=tmp_path) as web:
        await web.router.call({"resource": "stats", "action": "mean"}, progress=report)
    assert told == [("one", 1, None), ("two", 2, None), ("three", 3, 4)]


def test_what_has_no_form_in_json_is_refused():
    circle = []
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        to_json([math.nan, circle])
    with pytest.raises(TypeError):
        to_json([math.nan, object()])


def test_the_rest_is_written_as_it_is():
    value = {"ä": ["\ud83d", 2**70, 1e300, True, None], 1: {}}
    assert to_json(value) == json.dumps(value, ensure_ascii=False)
    assert to_json({"a": [1, math.nan]}, compact=True) == '{"a":[1,null]}'
    assert to_json([math.nan, 1j], default=str) == '[null, "1j"]'


def test_a_text_of_too_many_digits_is_no_number_of_a_row():
    assert number_in("9" * 400) is None
