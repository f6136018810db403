"""A file tells of actions what their functions declare, and no module is imported for it."""

import json
from dataclasses import replace

import pytest

from strap import Context, Extra, Params, Result, StartupError, StringList, action, read_actions
from strap.api.action_lists import FILE, PLAIN, write_actions
from strap.api.actions import declaration
from strap_browser import action_list as of_browser
from strap_http import action_list as of_http
from strap_search import query as of_search

FUNCTIONS = (*of_browser.ACTIONS, *of_http.ACTIONS, of_search.query)
CALLED = []


class Look(Params):
    where: str
    tags: StringList | None = None


async def _prepare(state, settings):
    CALLED.append("prepared")


@action(
    "browser",
    effect="read",
    timeout=None,
    name="look",
    extra=Extra(name="eyes", modules=("json", "no_such_module"), apart=True),
    asks_person=True,
    acts_as=("click", "fill"),
    prepare=_prepare,
    advertised=False,
)
async def look_(params: Look, ctx: Context) -> Result:
    """Look around.

    At everything.
    """
    return Result(text=params.where)


def listed(tmp_path, *functions):
    (tmp_path / FILE).write_text(write_actions(functions))
    return read_actions(str(tmp_path / "plugin.py"))


@pytest.mark.parametrize("function", [*FUNCTIONS, look_], ids=lambda each: each.__name__)
def test_a_listed_action_is_what_its_function_declares(function, tmp_path):
    (told,), declared = listed(tmp_path, function), declaration(function)
    for name in (*PLAIN, "extra", "fields", "qualified"):
        assert getattr(told, name) == getattr(declared, name), name
    for name in ("function", "params", "doc", "render_error", "prepare", "origin"):
        assert getattr(told, name) == getattr(declared, name), name


def test_a_list_has_them_in_their_order(tmp_path):
    names = [each.name for each in listed(tmp_path, look_, *of_http.ACTIONS)]
    assert names == ["look", *(declaration(each).name for each in of_http.ACTIONS)]


def test_a_declaration_is_one_already(tmp_path):
    (told,) = listed(tmp_path, look_)
    assert declaration(told) is told
    with pytest.raises(StartupError, match="is not an action"):
        declaration(replace)


def test_a_place_that_is_no_more_is_told_when_it_is_needed(tmp_path):
    lines = json.loads(write_actions([look_]))
    lines[0]["place"] = f"{__name__}:gone"
    (tmp_path / FILE).write_text(json.dumps(lines))
    (told,) = read_actions(str(tmp_path / "plugin.py"))
    assert list(told.fields) == ["timeout", "max_tokens", "session", "where", "tags"]
    with pytest.raises(AttributeError, match="gone"):
        told.function  # noqa: B018
