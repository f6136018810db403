"""Configuration: file < environment < flags, and what is wrong with it."""

from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from strap import StartupError
from strap.config import load
from strap.config.log_setup import configure_logging
from strap.routing.assembly import make_router


class Part(BaseModel):
    model_config = {"extra": "forbid"}
    size: int = 0
    colour: str = ""


class Settings(BaseModel):
    model_config = {"extra": "forbid"}
    headless: bool = True
    path: str | None = Field(default=None, json_schema_extra={"env": "STRAP_SAMPLE_PATH"})
    limit: int = 3
    parts: dict[str, Part] = Field(default_factory=dict)


def read(tmp_path, text="", environ=None, **flags):
    (tmp_path / "strap.toml").write_text(text)
    return load(environ=environ or {}, directory=tmp_path, **({"home": tmp_path} | flags))


def test_defaults(tmp_path):
    config = read(tmp_path)
    assert config.home == tmp_path
    assert config.outputs == tmp_path / "outputs"
    assert (config.network, config.allow, config.deny) == (None, ("*",), ())


def test_flags_win_over_environment_over_file(tmp_path):
    text = 'network = "all"\nlog = "debug"\ndeny = ["http.*"]'
    config = read(tmp_path, text, {"STRAP_NETWORK": "public", "STRAP_LOG": "info"}, log="error")
    assert (config.network, config.log, config.deny) == ("public", "error", ("http.*",))


def test_lists_in_the_environment(tmp_path):
    config = read(tmp_path, environ={"STRAP_ALLOW": "http.* search.query", "STRAP_DENY": "a.b,c.d"})
    assert (config.allow, config.deny) == (("http.*", "search.query"), ("a.b", "c.d"))


def test_the_file_may_be_named(tmp_path):
    other = tmp_path / "other.toml"
    other.write_text('network = "all"')
    assert read(tmp_path, environ={"STRAP_CONFIG": str(other)}).network == "all"
    assert read(tmp_path, file=str(other)).source == other


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('nettwork = "all"', "Unknown key 'nettwork' in .*Did you mean 'network'"),
        ('network = "everything"', "'network' is 'everything'; valid: 'public', 'local', 'all'"),
        ('log = "loud"', "'log' is 'loud'; valid: 'debug'"),
        ("allow = 3", "'allow' must be a list of strings, not 3"),
        ("plugins = 3", "'plugins' in .* must be tables"),
        ("home = 5", "'home' must be a path in quotes, not 5"),
        ("outputs = []", "'outputs' must be a path in quotes, not "),
        ('outputs = ["x"]', "'outputs' must be a path in quotes, not "),
        ("log = []", "'log' is "),
        ("network = {}", "'network' is {}"),
        ("network = ", "is not a readable TOML file"),
    ],
)
def test_a_bad_file_is_named_with_its_key(tmp_path, text, said):
    with pytest.raises(StartupError, match=said):
        read(tmp_path, text, home=None)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StartupError, match=r"'.*nowhere.toml' does not exist"):
        read(tmp_path, file=str(tmp_path / "nowhere.toml"))


def test_plugin_settings_from_everywhere(tmp_path):
    config = read(
        tmp_path,
        "[plugins.sample]\nlimit = 5\nheadless = true",
        {"STRAP_SAMPLE__HEADLESS": "false", "STRAP_SAMPLE_PATH": "/usr/bin/x"},
    )
    assert config.settings("sample", Settings) == Settings(
        headless=False, path="/usr/bin/x", limit=5
    )


def test_tables_in_tables_come_from_everywhere_too(tmp_path):
    config = read(
        tmp_path,
        "[plugins.sample.parts.lid]\nsize = 1\ncolour = 'red'",
        {"STRAP_SAMPLE__PARTS__LID__SIZE": "2", "STRAP_SAMPLE__PARTS__BOX__COLOUR": "blue"},
    )
    parts = config.settings("sample", Settings).parts
    assert parts == {"lid": Part(size=2, colour="red"), "box": Part(colour="blue")}


@pytest.mark.parametrize(
    ("text", "environ", "said"),
    [
        (
            "[plugins.sample.parts.lid]\ncolor = 'red'",
            {},
            "'parts.lid.color' of plugin 'sample'.*Valid keys: colour, size. .*mean 'colour'",
        ),
        ("", {"STRAP_SAMPLE__PARTS__LID__SIZE": "x"}, "Setting 'parts.lid.size' of plugin"),
        ("", {"STRAP_SAMPLE__PARTS__LID": "x"}, "Setting 'parts.lid' of plugin"),
        ("[plugins.sample]\nlimitt = 1", {}, "Setting 'limitt' of plugin 'sample'.*mean 'limit'"),
        (
            "[plugins.sample]\nlimit = 'x'",
            {},
            "Setting 'limit' of plugin 'sample':",
        ),
        ("", {"STRAP_SAMPLE__LIMIT": "x"}, "Setting 'limit' of plugin 'sample'"),
    ],
)
def test_bad_plugin_settings_are_named(tmp_path, text, environ, said):
    with pytest.raises(StartupError, match=said):
        read(tmp_path, text, environ).settings("sample", Settings)


@pytest.mark.parametrize(
    ("text", "environ"), [("[plugins.sampel]\na = 1", {}), ("", {"STRAP_SAMPEL__A": "1"})]
)
def test_settings_that_nobody_takes(tmp_path, text, environ):
    config = read(tmp_path, text, environ)
    with pytest.raises(StartupError, match=r"takes the settings of 'sampel'.*mean 'sample'"):
        config.check_claimed({"sample": Settings})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("STRAP_DENNY", "Did you mean 'STRAP_DENY'"),
        ("STRAP_NETWROK", "Did you mean 'STRAP_NETWORK'"),
        ("STRAP_SAMPEL_PATH", "Did you mean 'STRAP_SAMPLE_PATH'"),
    ],
)
def test_a_variable_that_nobody_takes(tmp_path, name, said):
    config = read(tmp_path, environ={name: "x"})
    with pytest.raises(StartupError, match=f"Nothing takes .*'{name}'.*{said}"):
        config.check_claimed({"sample": Settings})


def test_a_variable_that_resembles_none_is_taken_for_another_programs(tmp_path, caplog):
    read(tmp_path, environ={"STRAP_JOURNEY": "1"}).check_claimed({"sample": Settings})
    assert caplog.messages == ["Nothing takes the environment variable 'STRAP_JOURNEY'."]


def test_variables_that_are_known(tmp_path):
    (tmp_path / "other.toml").write_text("")
    names = ("STRAP_DENY", "STRAP_TOKEN", "STRAP_SAMPLE_PATH", "STRAP_SAMPLE__LIMIT")
    names += ("STRAP_SERVE__TOKENS__CI__VALUE", "STRAP_BATCH__RETRIES")
    file = {"STRAP_CONFIG": str(tmp_path / "other.toml")}
    config = read(tmp_path, environ=dict.fromkeys(names, "x") | file)
    config.check_claimed({"sample": Settings, "bare": None})


def test_a_log_that_cannot_be_written(tmp_path):
    config = read(tmp_path, "log_file = true", home="/proc/strap")
    with pytest.raises(StartupError, match=r"'/proc/strap/logs/strap.log' cannot be written"):
        configure_logging(config)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("BROWSER__ARGS", '["--a", "--b=c d"]', {"args": ("--a", "--b=c d")}),
        ("BROWSER__UPLOADS", '["/tmp"]', {"uploads": (Path("/tmp"),)}),
        ("BROWSER__EXTRA_HEADERS", '{"A": "b"}', {"extra_headers": {"A": "b"}}),
        ("BROWSER__PROFILES", '{"work": {"locale": "de"}}', {}),
        ("BROWSER__PROFILES__WORK__EXTRA_HEADERS", '{"A": "b"}', {}),
        ("SEARCH__ENGINES", '{"mojeek": {"key": "12345678"}}', {}),
    ],
)
def test_lists_and_tables_of_plugins_in_the_environment(tmp_path, name, value, expected):
    router = make_router(read(tmp_path, environ={f"STRAP_{name}": value}))
    plugin = name.partition("_")[0].lower()
    found = router.config.settings(plugin, router.catalog.resources[plugin].settings)
    assert {key: getattr(found, key) for key in expected} == expected
    if "PROFILES" in name:
        assert found.profiles["work"].locale == "de" or found.profiles["work"].extra_headers
    with pytest.raises(StartupError, match=r"must be a (list|map)"):
        make_router(read(tmp_path, environ={f"STRAP_{name}": "[x"}))


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("HTTP__NO_PROXY", ("a.b, c.d", "a.b c.d", '["a.b", "c.d"]'), ("a.b", "c.d")),
        ("BROWSER__VIEWPORT", ("800x600", "800, 600", "[800, 600]"), (800, 600)),
    ],
)
def test_lists_that_may_be_words_may_be_json_too(tmp_path, name, values, expected):
    """Hosts that were to be reached without a proxy went through it."""
    plugin, _, key = name.lower().partition("__")
    for value in values:
        router = make_router(read(tmp_path, environ={f"STRAP_{name}": value}))
        settings = router.config.settings(plugin, router.catalog.resources[plugin].settings)
        assert getattr(settings, key) == expected
