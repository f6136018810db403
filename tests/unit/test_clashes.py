"""One plugin too many: it alone is refused, and what it forbids stays forbidden."""

import json
import re
import subprocess
import sys

import pytest

from strap import StartupError, hookimpl, testing
from strap.cli.doctor import examine
from strap.config import load as load_config
from strap.routing.assembly import make_router

from .installed import GOOD, HOOK, OWN_PLUGINS, Site, with_others

pytestmark = pytest.mark.anyio
OWN = ("guard", "spans", "audit", *OWN_PLUGINS)
LATER = GOOD.replace('"almanac"', '"other"')
ON_HTTP = GOOD.replace('@action("almanac"', '@action("http"')
UNKNOWN = GOOD.replace('name="almanac"', 'name="elsewhere"')
DEEP, EITHER = (GOOD.replace("pass", f) for f in ("deep: dict[str, list[str]]", "a: str | int"))
SETTINGS = """
    import pydantic
    class Settings(pydantic.BaseModel):
        model_config = {"extra": "forbid"}
        key: str
        @pydantic.model_validator(mode="after")
        def check(self):
            return [][0]
"""
HAS_SETTINGS = GOOD.replace('summary="Archive."', 'summary="Archive.", settings=Settings')


def config(tmp_path, **more):
    environ = more.pop("environ", {})
    return load_config(environ=environ, directory=tmp_path, home=tmp_path, **more)


def open_router(tmp_path, **more):
    return make_router(config(tmp_path, **more))


CLOSET = {"browser": {"profiles": {"other": {"driver": "closet"}}}}


def test_a_driver_that_no_plugin_has_is_refused(tmp_path):
    with pytest.raises(StartupError, match=r"'profiles\.other\.driver'.*driver 'closet'"):
        open_router(tmp_path, plugins=CLOSET)


def test_a_driver_that_a_broken_plugin_may_have_stops_nothing(site, tmp_path):
    site("newcomer", "import no_such_module")
    assert in_use(open_router(tmp_path, plugins=CLOSET)) == [*OWN]


def refused(router, name="newcomer"):
    (found,) = [f for f in router.plugins.broken if f.name == name]
    return found


def in_use(router):
    return [found.name for found in router.plugins.installed if not found.problem]


CLASHES = [
    (GOOD.replace("almanac", "http"), "'http' is declared twice: by plugin 'http' and by plugin"),
    (ON_HTTP.replace("lookup", "fetch"), "'http.fetch' is declared twice"),
    (ON_HTTP.replace("lookup", "help"), "strap itself adds 'http.help'"),
    (GOOD.replace("pass", "url: int"), "Field 'url' has two shapes: {'type': 'string'} in"),
    (GOOD.replace("pass", "timeout: str"), "Field 'timeout' has two shapes"),
]
FAULTS = [
    (GOOD.replace("pass", "action: int"), "no field can be called 'action'"),
    (GOOD.replace("almanac", "AlmaNac"), "'AlmaNac' is not a lower_snake_case name"),
    (DEEP, "Field 'deep' of strap_newcomer.Nothing is not flat"),
    (EITHER, "Field 'a' of strap_newcomer.Nothing is not flat"),
    (GOOD.replace("pass", "odd: type"), "PydanticInvalidForJsonSchema: Cannot generate"),
    (UNKNOWN, "Plugin 'newcomer' adds 'lookup' to unknown resource 'almanac'"),
    (GOOD.replace('"Archive."', "5"), "resource 'almanac' has a summary of the wrong type"),
    (GOOD.replace('"Archive."', '"", settings=dict'), "a settings of the wrong type"),
    (GOOD.replace('effect="read"', 'effect="delete"'), "effect must be 'read' or 'write'"),
    (GOOD.replace('effect="read"', 'effect="read", timeout="9"'), "timeout must be seconds"),
]


@pytest.mark.parametrize(("source", "said"), CLASHES + FAULTS)
async def test_a_newcomer_is_refused_alone(site, tmp_path, source, said):
    site("newcomer", with_others(source))
    site("zebra", LATER)
    async with testing.router(home=tmp_path) as web:
        assert in_use(web.router) == [*OWN, "zebra"]
        found = refused(web.router)
        assert said in found.problem
        assert found.checks == ("must be" not in said)  # that is found out at import already
        if not found.checks:
            return
        assert "almanac" not in web.router.catalog.resources
        assert (await web(resource="other", action="lookup")).text == "found"
        denied = await web.fails(resource="http", action="fetch", url="http://127.0.0.1:1/")
        assert str(denied) == "The newcomer objects."
        is_clash = (source, said) in CLASHES
        assert found.fix.startswith("pip uninstall strap-newcomer" if is_clash else "pip install")
        list(web.router.plugins.collect("strap_diagnose", config=web.router.config))


@pytest.mark.parametrize("name", [*OWN, "help", "bad name!", "../up", "é!"])
async def test_names_that_a_plugin_cannot_have(site, tmp_path, name):
    site("newcomer", with_others(GOOD), entry=name, distribution="a-newcomer")
    async with testing.router(home=tmp_path) as web:
        assert in_use(web.router) == [*OWN]
        found = refused(web.router, name)
        assert (found.distribution, found.fix) == ("a-newcomer", "pip uninstall a-newcomer")
        assert "(strap-web) already" in found.problem or "No plugin can be called" in found.problem
        denied = await web.fails(resource="http", action="fetch", url="http://127.0.0.1:1/")
        assert denied.code == "denied"


RAISED = ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit", "Own(1)", "ValueError(1)"]


@pytest.mark.parametrize("raised", [*RAISED, "CancelledError"])
async def test_whatever_is_raised_at_import(site, tmp_path, raised):
    site(
        "newcomer",
        f"from asyncio import CancelledError\nclass Own(BaseException): pass\nraise {raised}",
    )
    async with testing.router(home=tmp_path) as web:
        assert in_use(web.router) == [*OWN]
        assert refused(web.router).problem.startswith(raised.split("(")[0])


@pytest.mark.parametrize("hook", ["strap_register_resources", "strap_register_actions"])
@pytest.mark.parametrize(
    "body",
    [
        *(f"raise {each}" for each in RAISED if "Own" not in each),
        "yield 5; raise SystemExit",
        "yield from iter(int, 1)",
        "return (lambda: (yield))",
        "return run()",
    ],
)
def test_whatever_a_hook_does(site, tmp_path, hook, body):
    source = HOOK.format(hook=hook, arguments="config", body=body)
    site(
        "newcomer",
        with_others(
            source.replace("import strap", "import strap\n    async def run():\n        pass\n")
        ),
    )
    router = open_router(tmp_path)
    assert in_use(router) == [*OWN]
    assert hook in refused(router).problem
    assert refused(router).checks


def test_a_hook_that_does_not_fit_leaves_nothing_but_the_check(site, tmp_path):
    source = HOOK.format(
        hook="strap_register_actions", arguments="config, colour", body="return []"
    )
    site("newcomer", with_others(source))
    router = open_router(tmp_path)
    assert "has no argument 'colour' (valid: " in refused(router).problem
    for hook in ("strap_wrap_call", "strap_diagnose", "strap_register_commands"):
        assert "newcomer" not in [name for name, _ in router.plugins.implementations(hook)]
    assert "newcomer" in [name for name, _ in router.plugins.implementations("strap_check_call")]


def test_a_check_that_cannot_be_asked_is_told(site, tmp_path):
    site("newcomer", HOOK.format(hook="strap_check_call", arguments="call, colour", body="pass"))
    assert not refused(open_router(tmp_path)).checks


def test_of_two_newcomers_the_later_is_refused(site, tmp_path):
    site("almanac", GOOD, distribution="b")
    site("almanac", LATER, distribution="a")
    site("first", GOOD.replace("almanac", "third").replace("pass", "depth: int"))
    site("second", GOOD.replace("almanac", "fourth").replace("pass", "depth: str"))
    router = open_router(tmp_path)
    problems = {(f.name, f.distribution): f.problem for f in router.plugins.broken}
    assert problems == {
        ("almanac", "b"): "There is a plugin 'almanac' (a) already.",
        ("second", "strap-second"): problems["second", "strap-second"],
    }
    said = r"two shapes: .*'integer'.* in third.lookup \(plugin 'first'\), .*\(plugin 'second'\)"
    assert re.search(said, problems["second", "strap-second"])


def test_who_needs_a_plugin_that_is_refused_is_refused_too_and_makes_room(site, tmp_path):
    site("first", ON_HTTP.replace('name="almanac"', 'name="base"').replace("pass", "url: int"))
    site("second", GOOD.replace('@action("almanac"', '@action("base"').replace("pass", "n: int"))
    site("third", GOOD.replace("pass", "n: str"))
    router = open_router(tmp_path)
    assert in_use(router) == [*OWN, "third"]
    assert "unknown resource 'base'" in refused(router, "second").problem


def test_one_module_under_two_names(site, tmp_path):
    site("first", GOOD)
    site.write("strap-alias", "[strap.plugins]\nsecond = strap_first\n")
    router = open_router(tmp_path)
    assert refused(router, "second").problem == "It is the same as plugin 'first' (strap-first)."


@pytest.mark.parametrize(
    ("entry_points", "metadata"),
    [
        ("[strap.plugins]\nno equals sign\n", None),
        ("[strap.plugins]\nnewcomer = no_such_module\n", ""),
        ("[strap.plugins]\nnewcomer = !!!\n", None),
        ("[strap.plugins]\nnewcomer = os:no.such\n", None),
        ("[strap.plugins]\nnewcomer =\n", None),
    ],
)
def test_metadata_that_is_broken(site, tmp_path, entry_points, metadata):
    site.write("newcomer", entry_points, metadata)
    site("almanac", GOOD)
    router = open_router(tmp_path)
    assert in_use(router) == [*OWN, "almanac"]
    assert refused(router).problem


def test_settings_that_nobody_gave_refuse_the_plugin_and_wrong_ones_stop_the_start(site, tmp_path):
    site("newcomer", with_others(SETTINGS.replace("[][0]", "self") + HAS_SETTINGS))
    problem = refused(open_router(tmp_path)).whole_problem
    assert "Setting 'key' of plugin 'almanac': is missing. Set it in [plugins." in problem
    with pytest.raises(StartupError, match="Setting 'kee' of plugin 'almanac'"):
        open_router(tmp_path, plugins={"almanac": {"key": "x", "kee": "y"}})


def test_settings_whose_check_fails_refuse_the_plugin(site, tmp_path):
    site("newcomer", with_others(SETTINGS + HAS_SETTINGS))
    router = open_router(tmp_path, plugins={"almanac": {"key": "x"}})
    said = "The settings of plugin 'almanac' cannot be checked: IndexError: list index"
    assert refused(router).problem.startswith(said)


def test_what_is_set_for_a_plugin_that_is_not_in_use_stops_nothing(site, tmp_path, caplog):
    site("newcomer", "1 / 0")
    router = open_router(tmp_path, plugins={"almanac": {"key": "x"}}, deny=["almanac.lookup"])
    assert in_use(router) == [*OWN]
    assert "No installed plugin takes the settings of 'almanac'" in caplog.text
    assert "'almanac.lookup' is about no action" in caplog.text
    for typing_error in ("browser.evalute", "brwser.evaluate"):
        with pytest.raises(StartupError, match="is about no action"):
            open_router(tmp_path, deny=[typing_error])
    with pytest.raises(StartupError, match="Did you mean 'browser'"):
        open_router(tmp_path, plugins={"brwser": {"headless": True}})


async def test_a_call_for_a_plugin_that_is_not_in_use_says_so(site, tmp_path):
    site("newcomer", ON_HTTP.replace('name="almanac"', 'name="base"').replace("pass", "url: int"))
    async with testing.router(home=tmp_path) as web:
        for arguments in (("base", "lookup"), ("http", "lookup"), ("newcomer", "x")):
            error = await web.fails(resource=arguments[0], action=arguments[1])
            assert error.hint == (
                "It is of plugin 'newcomer' (strap-newcomer), which is not in use: "
                "'strap doctor' says why."
            )


def test_a_required_plugin_that_is_not_in_use_stops_the_start(site, tmp_path):
    site("almanac", GOOD)
    site("newcomer", GOOD)
    assert open_router(tmp_path, plugins_required=["almanac", "http"])
    environ = {"STRAP_PLUGINS_REQUIRED": "http,newcomer"}
    with pytest.raises(StartupError, match=r"'newcomer'.*'almanac' is declared twice") as caught:
        open_router(tmp_path, environ=environ)
    assert caught.value.hint == "pip uninstall strap-newcomer"
    with pytest.raises(StartupError, match="no plugin of that name is installed"):
        open_router(tmp_path, plugins_required=["policy"])
    lines = [line for line in examine(lambda: config(tmp_path, environ=environ)) if not line.ok]
    assert [line.fix for line in lines] == ["pip uninstall strap-newcomer"]


def test_a_plugin_is_not_replaced_by_another_of_its_name(site, tmp_path):
    site("policy", GOOD, distribution="a-newcomer")
    site("policy", GOOD.replace("almanac", "mine"), distribution="corp-policy")
    with pytest.raises(StartupError, match="of corp-policy is not in use"):
        open_router(tmp_path, plugins_required=["policy"])


async def test_the_same_plugin_may_be_given_and_installed(site, tmp_path):
    site("almanac", GOOD)
    import strap_almanac

    async with testing.router(strap_almanac, strap_almanac, home=tmp_path) as web:
        assert (await web(resource="almanac", action="lookup")).text == "found"
        assert web.router.plugins.broken == ()
    assert open_router(tmp_path, plugins_required=["almanac"])


async def test_what_is_given_wins_over_what_is_installed(site, tmp_path):
    site("almanac", GOOD)
    import strap_almanac

    class Given:
        @hookimpl
        def strap_register_resources(self, config):
            return strap_almanac.strap_register_resources(config)

    async with testing.router(Given(), home=tmp_path) as web:
        assert "by plugin 'Given'" in refused(web.router, "almanac").problem


def test_a_given_plugin_that_clashes_raises(tmp_path):
    class Given:
        @hookimpl
        def strap_register_resources(self, config):
            from strap_http.resource import http

            return [http]

    with pytest.raises(StartupError, match="'http' is declared twice"):
        make_router(config(tmp_path), extra=[("given", Given())])


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """A good plugin among bad ones, for real processes."""
    site = Site(tmp_path_factory.mktemp("crowded"))
    bad = {
        "exits": "raise SystemExit(3)",
        "interrupts": "raise KeyboardInterrupt",
        "resource": GOOD.replace("almanac", "http"),
        "field": LATER.replace("pass", "url: int"),
        "misfit": HOOK.format(hook="strap_wrap_call", arguments="call, x", body="pass"),
    }
    for name, source in bad.items():
        site(name, source, distribution=f"bad-{name}")
    site("http", GOOD, distribution="bad-name")
    site("zebra", LATER.replace("found", "the zebra"))
    site.bad = sorted(f"bad-{name}" for name in (*bad, "name"))
    return site


def test_plugins_and_doctor_name_every_bad_one_and_what_mends_it(crowded):
    for command, status in (("plugins", 0), ("doctor", 1)):
        shown = crowded.strap(command)
        assert shown.returncode == status, shown.stderr
        assert shown.stderr == ""
        assert shown.stdout.count("not in use: ") == len(crowded.bad)
        for distribution in crowded.bad:
            assert f"pip uninstall {distribution}" in shown.stdout
        assert "uninstall strap-web" not in shown.stdout
    assert "zebra (strap-zebra): other.lookup" in crowded.strap("plugins").stdout


def test_a_call_works_and_says_nothing_of_them(crowded):
    shown = crowded.strap("call", "other", "lookup")
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "the zebra\n", "")


def test_a_server_works_and_names_each_once(crowded):
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    client["clientInfo"] = {"name": "tests", "version": "1"}
    call = {"name": "web", "arguments": {"resource": "other", "action": "lookup"}}
    messages = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    with subprocess.Popen(
        [sys.executable, "-m", "strap", "serve"],
        cwd=crowded.folder,
        env=crowded.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        server.stdin.write(lines)
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        assert "the zebra" in server.stdout.readline()
        _, log = server.communicate(timeout=60)
    assert server.returncode == 0
    for distribution in crowded.bad:
        assert log.count(f"of {distribution} is not in use") == 1


def test_a_required_one_stops_every_command_but_doctor(crowded):
    shown = crowded.strap("call", "other", "lookup", STRAP_PLUGINS_REQUIRED="exits")
    assert shown.returncode == 1
    assert "Plugin 'exits' of bad-exits is not in use: SystemExit: 3" in shown.stderr
    shown = crowded.strap("doctor", STRAP_PLUGINS_REQUIRED="exits")
    assert "FAIL     plugin exits: plugins_required has 'exits'." in shown.stdout
    assert "pip uninstall bad-exits" in shown.stdout
