"""A file tells of actions what their functions declare, and no module is imported for it."""

import json
from dataclasses import replace
from importlib import import_module, invalidate_caches

import pytest

from strap import (
    ActionError,
    Context,
    Extra,
    Params,
    Resource,
    Result,
    StartupError,
    StringList,
    action,
    hookimpl,
    testing,
)
from strap.api.action_lists import FILE, PLAIN, read_actions, write_actions
from strap.api.actions import declaration
from strap.cli import doctor, plugin_list
from strap_browser import action_list as of_browser
from strap_http import action_list as of_http
from strap_search import query as of_search

FUNCTIONS = (*of_browser.ACTIONS, *of_http.ACTIONS, of_search.query)
CALLED = []

pytestmark = pytest.mark.anyio


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


GOOD = """
from strap import Context, Params, Result, action
class Fields(Params):
    where: str
@action("toys", effect="read")
async def good(params: Fields, ctx: Context) -> Result:
    "Good."
    return Result(text=params.where)
"""
BROKEN = {
    "ModuleNotFoundError": "import no_such_module",
    "AttributeError": "other = 1",
    "SystemExit": "raise SystemExit(3)",
    "StartupError": GOOD.replace('"read"', '"write"').replace("good(", "bad("),
    "SyntaxError": "upgrade in the middle of",
}


class Toys:
    """A plugin with a list of two actions, one of which cannot be loaded."""

    def __init__(self, folder, monkeypatch, broken):
        names = (f"toys_{folder.name}_good".lower(), f"toys_{folder.name}_bad".lower())
        for name, text in zip(names, (GOOD, broken), strict=True):
            (folder / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(folder)
        (line,) = json.loads(write_actions([import_module(names[0]).good]))
        bad = line | {"name": "bad", "place": f"{names[1]}:bad"}
        (folder / FILE).write_text(json.dumps([line, bad]))
        self.actions = read_actions(str(folder / "plugin.py"))

    @hookimpl
    def strap_register_resources(self, config):
        return [Resource(name="toys", summary="Toys.")]

    @hookimpl
    def strap_register_actions(self, config):
        return self.actions


@pytest.mark.parametrize("kind", BROKEN)
async def test_what_cannot_be_loaded_is_told_and_the_others_work(
    kind, tmp_path, monkeypatch, caplog
):
    plugin = Toys(tmp_path, monkeypatch, BROKEN[kind])
    async with testing.router(plugin, home=tmp_path) as web:
        for fields in ({"where": "x"}, {"nothing": 1}):
            caplog.clear()
            with pytest.raises(ActionError) as caught:
                await web(resource="toys", action="bad", **fields)
            assert caught.value.message.startswith(f"toys.bad cannot be loaded ({kind});")
            assert "restart it" in caught.value.hint
            assert [each.exc_info[0].__name__ for each in caplog.records] == [kind]
        assert (await web(resource="toys", action="good", where="here")).text == "here"
        overview = (await web(resource="toys", action="help")).text
        assert "- good where: Good." in overview
        assert "- bad where: (cannot be loaded: strap's log says why)" in overview
        assert "Good." in (await web(resource="toys", action="help", value="good")).text
        with pytest.raises(ActionError, match=r"^toys\.bad cannot be loaded"):
            await web(resource="toys", action="help", value="bad")


async def test_what_is_mended_meanwhile_works(tmp_path, monkeypatch):
    plugin = Toys(tmp_path, monkeypatch, "import no_such_module")
    async with testing.router(plugin, home=tmp_path) as web:
        with pytest.raises(ActionError):
            await web(resource="toys", action="bad", where="x")
        (place,) = tmp_path.glob("*_bad.py")
        place.write_text(GOOD.replace("good(", "bad("))
        invalidate_caches()
        assert (await web(resource="toys", action="bad", where="here")).text == "here"


def test_an_interrupt_goes_on_its_way(tmp_path, monkeypatch):
    text = "import signal\nsignal.raise_signal(signal.SIGINT)"
    plugin = Toys(tmp_path, monkeypatch, text)
    with pytest.raises(KeyboardInterrupt):
        plugin.actions[1].code.load()


async def test_doctor_and_plugins_name_what_cannot_be_loaded(tmp_path, monkeypatch):
    plugin = Toys(tmp_path, monkeypatch, "import no_such_module")
    async with testing.router(plugin, home=tmp_path) as web:
        told = "ModuleNotFoundError: No module named 'no_such_module' ("
        *_, added, broken = plugin_list.listed(web.router)
        assert added == "Toys (this process): toys.good"
        assert broken.startswith(f"    cannot be loaded: toys.bad: {told}")
        assert broken.endswith("_bad.py:1)")
        monkeypatch.setattr(doctor, "make_router", lambda config: web.router)
        (found,) = (
            each
            for each in doctor.examine(lambda: web.router.config)
            if each.subject == "plugin Toys"
        )
        assert not found.ok
        assert f"toys.bad cannot be loaded: {told}" in found.detail
