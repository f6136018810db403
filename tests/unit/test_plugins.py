"""Finding, isolating and verifying plugins."""

import json
import re
import textwrap
import traceback
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from strap import Caller, StartupError, StrapError, hookimpl
from strap.cli.main import cli
from strap.config import load as load_config
from strap.routing.assembly import make_router
from strap.routing.plugins.discovery import discover

from .installed import GOOD, HOOK, OWN_PLUGINS


def open_router(tmp_path):
    return make_router(load_config(environ={}, directory=tmp_path, home=tmp_path))


def problem(router, name):
    return next(f.problem for f in router.plugins.installed if f.name == name)


def test_an_installed_plugin_is_found(site, tmp_path):
    site("almanac", GOOD)
    router = open_router(tmp_path)
    assert "almanac.lookup" in router.catalog.actions
    found = next(f for f in router.plugins.installed if f.name == "almanac")
    assert (found.distribution, found.value, found.problem) == (
        "strap-almanac",
        "strap_almanac",
        "",
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import does_not_exist", "ModuleNotFoundError: No module named 'does_not_exist'"),
        ("def broken(:", "SyntaxError: "),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("x = 1", "'broken' implements no hook"),
        (
            """
            import strap
            @strap.hookimpl
            async def strap_check_call(call):
                return None
            """,
            "hook strap_check_call must not be async",
        ),
        (
            """
            import strap
            @strap.hookimpl(wrapper=True)
            def strap_wrap_call(call):
                return (yield)
            """,
            "hook strap_wrap_call must not be a pluggy wrapper",
        ),
        (
            """
            import strap
            @strap.hookimpl
            def strap_register_action(config):
                return []
            """,
            "which is not a hook. Did you mean 'strap_register_actions'?",
        ),
        (
            """
            import strap
            @strap.hookimpl
            def strap_check_call(call, colour):
                return None
            """,
            "has no argument 'colour' (valid: call)",
        ),
    ],
)
def test_a_broken_plugin_is_reported_and_the_rest_work(site, tmp_path, caplog, source, said):
    site("broken", source)
    site("almanac", GOOD)
    router = open_router(tmp_path)
    assert said in problem(router, "broken")
    assert problem(router, "almanac") == ""
    assert "almanac.lookup" in router.catalog.actions
    assert caplog.text == ""
    router.plugins.report()
    assert "Plugin 'broken' of strap-broken is not in use" in caplog.text


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("def lookup(params: Nothing, ctx: Context) -> Result:", "must be an async function"),
        ("async def lookup(params, ctx: Context) -> Result:", "must be annotated as"),
        ("async def lookup(params: Nothing) -> Result:", "must be annotated as"),
        ("async def lookup(params: Nothing, ctx: Context):", "must be annotated as"),
    ],
)
def test_an_action_that_is_none(site, tmp_path, definition, said):
    whole = "async def lookup(params: Nothing, ctx: Context) -> Result:"
    site("odd", GOOD.replace(whole, definition))
    assert said in problem(open_router(tmp_path), "odd")


def test_an_action_without_documentation(site, tmp_path):
    site("mute", GOOD.replace('"Look up."', "..."))
    assert "has no docstring" in problem(open_router(tmp_path), "mute")


def test_strap_comes_first_and_then_the_order_is_that_of_the_names(site):
    for name in ("zebra", "ant", "mole"):
        site(name, GOOD)
    names = [installed.name for installed in discover()]
    assert names == [*OWN_PLUGINS, "ant", "mole", "zebra"]


def test_an_extra_plugin_that_is_broken_stops_the_start(tmp_path):
    class Broken:
        @hookimpl
        async def strap_check_call(self, call):
            return None

    config = load_config(environ={}, directory=tmp_path, home=tmp_path)
    with pytest.raises(StrapError, match="must not be async"):
        make_router(config, extra=[("broken", Broken())])


BODIES = {
    "raise ValueError('boom')": "ValueError: boom",
    "raise SystemExit(3)": "SystemExit: 3",
    "return 5": "it returned 5, not a list",
    "return 'none'": "it returned 'none', not a list",
}
HOOKS = {
    "strap_register_resources": "which is not a resource",
    "strap_register_actions": "is not an action",
    "strap_register_converters": "which is not a converter",
    "strap_register_executors": "which is not an executor",
    "strap_diagnose": "which is not a diagnosis",
}


@pytest.mark.parametrize("body", [*BODIES, "return [object()]", "return strap.Resource"])
@pytest.mark.parametrize("hook", ["strap_register_resources", "strap_register_actions"])
def test_a_plugin_that_does_not_declare_well_is_left_out(site, tmp_path, hook, body):
    site("almanac", GOOD)
    site("broken", HOOK.format(hook=hook, arguments="config", body=body))
    router = open_router(tmp_path)
    assert f"Plugin 'broken': {hook}: " in problem(router, "broken")
    assert BODIES.get(body, "is") in problem(router, "broken")
    assert "almanac.lookup" in router.catalog.actions
    assert "broken" not in [name for name, _ in router.plugins.implementations(hook)]


@pytest.mark.parametrize("hook", HOOKS)
def test_entries_of_another_kind_are_named(site, tmp_path, hook):
    site("broken", HOOK.format(hook=hook, arguments="config", body="return [len]"))
    answers = list(open_router(tmp_path).plugins.collect("strap_diagnose", config=None))
    said = problem(open_router(tmp_path), "broken") or str(answers[-1])
    assert said.startswith(f"Plugin 'broken': {hook}: ")
    assert "<built-in function len>" in said
    assert HOOKS[hook] in said


def test_a_resource_of_a_broken_plugin_goes_with_it(site, tmp_path):
    site("broken", GOOD.replace("return [lookup]", "return 1 / 0"))
    router = open_router(tmp_path)
    assert "ZeroDivisionError" in problem(router, "broken")
    assert "almanac" not in router.catalog.resources


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("hook", ["strap_diagnose", "strap_register_commands"])
def test_a_hook_that_fails_when_it_is_asked(site, tmp_path, hook, body):
    arguments = "cli" if hook == "strap_register_commands" else "config"
    site("broken", HOOK.format(hook=hook, arguments=arguments, body=body))
    router = open_router(tmp_path)
    given = {"cli": click.Group(), "config": router.config}[arguments]
    answers = list(router.plugins.collect(hook, **{arguments: given}))
    (error,) = [answer for answer in answers if isinstance(answer, StartupError)]
    assert str(error).startswith(f"Plugin 'broken': {hook}: {BODIES[body]}")
    assert len(answers) > 1


@pytest.mark.parametrize(
    "helper",
    [
        "lambda env: 1 / 0",
        "lambda env: 5",
        "lambda env: strap.Prestart(starter='x', arguments={}, actions=())",
        "lambda env: strap.Prestart(starter='a:b', arguments={'c': ...}, actions=())",
        "lambda env: strap.Prestart(starter='a:b', arguments={}, actions=(5,))",
    ],
)
def test_a_helper_that_cannot_be_declared(site, tmp_path, caplog, helper):
    source = GOOD.replace('summary="Archive."', f'summary="Archive.", helper={helper}')
    site("almanac", "import strap\n" + textwrap.dedent(source))
    assert "almanac" not in open_router(tmp_path).helpers()
    assert "The helper of resource 'almanac' cannot be declared" in caplog.text


def test_commands_show_a_broken_plugin_in_one_line(site, tmp_path, monkeypatch):
    site("broken", HOOK.format(hook="strap_register_commands", arguments="cli", body="cli.x"))
    site("ailing", HOOK.format(hook="strap_diagnose", arguments="config", body="config.x"))
    site("wrong", HOOK.format(hook="strap_register_actions", arguments="config", body="return 5"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "home"))
    shown = CliRunner().invoke(cli, ["--help"])
    assert shown.exit_code == 0
    assert "browser" in shown.stdout
    problem = "strap: Plugin 'broken': strap_register_commands: AttributeError: 'AddedCommands'"
    assert shown.stderr.count(problem) == 1
    shown = CliRunner().invoke(cli, ["doctor"])
    assert isinstance(shown.exception, SystemExit)
    assert "FAIL     plugin ailing: Plugin 'ailing': strap_diagnose: AttributeError" in shown.stdout
    assert "→ pip install --upgrade strap-ailing" in shown.stdout
    shown = CliRunner().invoke(cli, ["plugins"])
    assert "wrong (strap-wrong): not in use: Plugin 'wrong': strap_register_actions: it" in (
        shown.stdout
    )


@pytest.mark.parametrize("name", ["doctor", "browser"])
def test_a_command_that_is_there_already(site, tmp_path, monkeypatch, name):
    body = f"cli.add_command(strap.cli.main.click.Command({name!r}, help='Mine.'))"
    site("later", HOOK.format(hook="strap_register_commands", arguments="cli", body=body))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "home"))
    shown = CliRunner().invoke(cli, ["--help"])
    assert "Mine." not in shown.stdout
    said = f"Plugin 'later': strap_register_commands: there is a command {name!r} already."
    assert said in shown.stderr


@pytest.mark.parametrize("plugins", [{"http": {"retries": 0}}, 3, ["http"], "ab", [("a", 1, 2)]])
def test_plugins_of_a_program_that_are_none_are_named(tmp_path, plugins):
    """Settings are given so to `strap.testing.router`."""
    config = load_config(environ={}, directory=tmp_path, home=tmp_path)
    with pytest.raises(StartupError, match=r"pairs of a name and a plugin\. Their settings"):
        make_router(config, extra=plugins)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import does_not_exist", r"No module named 'does_not_exist' \(.*strap_broken\.py:1\)$"),
        ("\n1 / 0", r"^ZeroDivisionError: division by zero \(.*strap_broken\.py:2\)$"),
        (
            "from strap import action\naction('broken')",
            r"'effect' \(.*strap_broken\.py:2\)$",
        ),
        (
            GOOD.replace("[lookup]", "[lookup, lookup]"),
            r"^'almanac.lookup' is declared twice: by plugin 'broken'\.$",
        ),
    ],
)
def test_a_broken_plugin_is_told_with_its_line(site, tmp_path, source, said):
    site("broken", source)
    assert re.search(said, problem(open_router(tmp_path), "broken"))


def test_an_editable_plugin_is_to_be_fixed_in_its_file(site, tmp_path):
    site("broken", "\n1 / 0")
    (about,) = site.folder.glob("*.dist-info")
    told = {"url": site.folder.as_uri(), "dir_info": {"editable": True}}
    (about / "direct_url.json").write_text(json.dumps(told))
    (found,) = open_router(tmp_path).plugins.broken
    assert found.fix == f"fix it at {site.folder / 'strap_broken.py'}:2"


@pytest.mark.anyio
async def test_the_traceback_of_a_failing_action_begins_with_the_plugin(site, tmp_path, caplog):
    site("almanac", GOOD.replace('return Result(text="found")', "return {}['k']"))
    async with open_router(tmp_path) as router:
        call = {"resource": "almanac", "action": "lookup"}
        _, error = await router.answer(call, caller=Caller(transport="python"))
    assert error.code == "internal"
    (record,) = [each for each in caplog.records if "Unexpected error" in each.message]
    first = traceback.extract_tb(record.exc_info[2])[0]
    assert Path(first.filename).name == "strap_almanac.py"


def test_a_plugin_that_takes_long_to_import_is_told(site):
    site("almanac", "import time; time.sleep(1.2)\n" + textwrap.dedent(GOOD))
    assert "s to import; import large libraries at use" in site.strap("plugins").stdout
