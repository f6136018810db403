"""The tool definition: flat, small, the same bytes from run to run."""

import json
import os
import subprocess
import sys

import pytest

from strap import Config, hookimpl
from strap.routing.assembly import make_router
from strap.routing.tool_schema import BUILTIN_OWNERS, MAX_DESCRIPTION, tool_definition

from . import full_surface


def tokens_of(tool, o200k):
    return len(o200k.encode(json.dumps(tool, separators=(",", ":"))))


@pytest.fixture
def full(catalog_of):
    return catalog_of(full_surface)


def test_the_whole_surface_fits_the_budget(full, o200k):
    tool = tool_definition(full)
    assert tokens_of(tool, o200k) <= 850
    assert len(tool["description"]) <= MAX_DESCRIPTION


def test_the_schema_is_flat_and_has_no_combinator_at_the_root(full):
    schema = tool_definition(full)["inputSchema"]
    assert set(schema) == {"type", "properties", "required"}
    for name, field in schema["properties"].items():
        assert field["type"] in ("string", "integer", "number", "boolean", "array", "object"), name
        assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(field), name
    names = list(schema["properties"])[2:]
    assert names == sorted(names)


def test_every_action_is_in_the_description_with_its_required_fields(full):
    text = tool_definition(full)["description"]
    for resource, lines in full_surface.ACTIONS.items():
        assert f"{resource}: " in text or f"{resource} (" in text
        for line in lines:
            name, *fields = line.split()
            required = [f for f in fields if not f.endswith("?")]
            assert " ".join([name, *required]) in text


def test_a_foreign_action_does_not_change_the_lines_of_our_own(catalog_of, full):
    class Neighbour:
        @hookimpl
        def strap_register_actions(self, config):
            return [full_surface.declare("http", "fetch_archived url date?")]

    text = tool_definition(catalog_of(full_surface, Neighbour()))["description"]
    own = tool_definition(full)["description"].splitlines()
    assert set(own) < set(text.splitlines())
    assert "http: fetch_archived url [date]" in text


def _foreign(count, fields):
    """A third party's plugin with `count` actions of `fields` fields each."""

    class Foreign:
        @hookimpl
        def strap_register_actions(self, config):
            return [
                full_surface.declare(
                    "http", f"foreign_{i} " + " ".join(f"field_{i}_{j}?" for j in range(fields))
                )
                for i in range(count)
            ]

    return Foreign()


@pytest.mark.parametrize(
    ("count", "fields", "said"),
    [
        (2, 3, "http: foreign_0 [field_0_0 field_0_1 field_0_2]"),
        (20, 30, "http also: foreign_0 foreign_1"),
        (200, 30, "200 more actions of plugins: see help of each resource"),
    ],
)
def test_foreign_signatures_shrink_and_own_ones_never(catalog_of, full, count, fields, said):
    own = tool_definition(full)["description"].splitlines()[1:-1]
    text = tool_definition(catalog_of(full_surface, _foreign(count, fields)))["description"]
    assert said in text
    assert all(line in text for line in own)
    assert len(text) <= MAX_DESCRIPTION


def test_the_bytes_are_the_same_in_every_process():
    code = (
        "import json, sys; sys.path.insert(0, '.')\n"
        "from tests.contract.conftest import make_catalog\n"
        "from tests.contract import full_surface\n"
        "from strap.routing.tool_schema import tool_definition\n"
        "print(json.dumps(tool_definition(make_catalog(full_surface))))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        ).stdout
        for seed in (1, 2)
    }
    assert len(seen) == 1


def told_of(action):
    fields = {name: each for name, each in action.fields.items() if each.advertised}
    return sorted(fields), sorted(name for name, each in fields.items() if each.required)


def test_the_installed_actions_are_those_that_were_planned(full, o200k, tmp_path):
    """They have the names and fields that the budget was measured with."""
    built = make_router(Config(home=tmp_path, outputs=tmp_path)).catalog
    for action in built.advertised():
        if built.owners[action.qualified] in BUILTIN_OWNERS:
            planned = full.actions[action.qualified]
            assert told_of(action) == told_of(planned), action.qualified
    assert tokens_of(tool_definition(built), o200k) <= 850


def test_detaching_costs_thirteen_tokens(full, o200k):
    whole = tool_definition(full)
    text = whole["description"]
    less = text.replace(" detach]", "]").replace("get_run session_id; ", "")
    assert "detach" not in less
    fields = {k: v for k, v in whole["inputSchema"]["properties"].items() if k != "detach"}
    without = {"description": less, "inputSchema": {**whole["inputSchema"], "properties": fields}}
    assert tokens_of(whole, o200k) - tokens_of({**whole, **without}, o200k) <= 13
