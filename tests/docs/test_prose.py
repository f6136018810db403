"""Documents show only what the code takes: commands, calls, variables, links, Python."""

import ast
import importlib.util
import re
import tomllib
from pathlib import Path

import click
import pytest

from docs.recording import COMMANDS
from strap.api.params import fields_of
from strap.cli.call_words import to_arguments
from strap.cli.main import cli
from strap.config import load
from strap.routing.assembly import make_router

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "examples").rglob("*.md"),
    *(ROOT / "benchmarks").rglob("*.md"),
]
OWN = "https://github.com/strap-web/strap/blob/main/"
"""Prefix of links in the README: a registry shows it without the files around it."""
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(language):
    """All fenced blocks of a language as (page, text)."""
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [
        (str(page.relative_to(ROOT)), match.group(1))
        for page in PAGES
        for match in pattern.finditer(page.read_text("utf-8"))
    ]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    import strap_wayback.plugin

    home = tmp_path_factory.mktemp("home")
    config = load(environ={}, directory=home, home=home)
    return make_router(config, extra=[("wayback", strap_wayback.plugin)]).catalog


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(OWN):
            assert (ROOT / target.removeprefix(OWN).partition("#")[0]).exists(), target
        elif not re.match(r"[a-z]+:", target):
            assert page != ROOT / "README.md", f"{target} leads nowhere where a registry shows it"
            path = (page.parent / target.partition("#")[0]).resolve()
            assert path.exists(), f"{target} in {page.name}"


def test_the_readme_names_every_action(tmp_path):
    catalog = make_router(load(environ={}, directory=tmp_path, home=tmp_path)).catalog
    table = re.findall(
        r"^\| `(\w+)` \| (.*) \|$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    named = {resource: re.findall(r"`(\w+)`", actions) for resource, actions in table}
    assert set(named) >= set(catalog.advertised_names())
    for resource, actions in catalog.advertised_names().items():
        assert set(actions) - {"help"} <= set(named[resource]), resource


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_calls_name_what_there_is(page, catalog):
    for call in re.findall(r"web\(([^()]*?)\)", page.read_text("utf-8"), re.DOTALL):
        fields = dict(re.findall(r"(\w+)\s*[:=]\s*[\"']?([^,\"']*)", call))
        if not {"resource", "action"} <= set(fields) or fields["resource"] == "…":
            continue
        action = catalog.find(fields.pop("resource"), fields.pop("action"))
        known = set(fields_of(action.params))
        assert set(fields) <= known, f"{call} in {page.name}"


def shown_commands():
    for command in COMMANDS:
        if command.startswith("strap "):
            yield "docs/recording.py", command.removeprefix("strap ")
    for page, text in [*blocks("console"), *blocks("sh"), *blocks("bash")]:
        if page == "docs/tutorial.md":
            continue  # its own test runs them
        for line in text.replace("\\\n", " ").splitlines():
            match = re.match(r"(?:\$ )?(?:\.venv/bin/)?strap (.*?)(?:\s+#.*|\s*[|<>&].*)?$", line)
            if match:
                yield page, match.group(1)


@pytest.mark.parametrize(("page", "command"), list(shown_commands()))
def test_commands_parse(page, command, catalog):
    import shlex

    words = shlex.split(command)
    context = click.Context(cli, info_name="strap")
    found = cli.get_command(context, words[0])
    for word in words[1:]:
        if isinstance(found, click.Group):
            child = found.get_command(context, word)
            found = found if child is None and found.invoke_without_command else child
    assert found is not None, command
    if words[0] == "call" and "-" not in words:
        positional = [w for w in words[1:] if not w.startswith("-")]
        arguments = to_arguments(positional, catalog)
        action = catalog.find(arguments.pop("resource", None), arguments.pop("action"))
        assert set(arguments) <= set(fields_of(action.params))
    elif words[0] != "call":
        options = {o for p in found.params for o in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
        given = {w.split("=")[0] for w in words[1:] if w.startswith("-")}
        assert given <= options, command


def test_a_recipe_begins_the_browser_that_it_uses():
    page = (ROOT / "docs" / "recipes.md").read_text("utf-8")
    for recipe in page.split("\n## ")[1:]:
        calls = re.findall(r"^\$ strap call browser (\w+)", recipe, re.MULTILINE)
        assert not calls or calls[0] == "launch", recipe.splitlines()[0]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_variables_exist(page):
    known = (ROOT / "docs" / "reference" / "configuration.md").read_text("utf-8")
    # The tutorial's plugin is no part of strap, so neither are its variables.
    for name in set(re.findall(r"\bSTRAP_(?!WAYBACK__)[A-Z_]+[A-Z]\b", page.read_text("utf-8"))):
        assert name in known, f"{name} in {page.name}"


@pytest.mark.parametrize(("page", "text"), blocks("python"))
def test_python_compiles_and_its_imports_exist(page, text):
    if "<!-- Generated" in (ROOT / page).read_text("utf-8"):
        pytest.skip("signatures, not programs")
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("strap"):
            module = importlib.import_module(node.module)
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                known = hasattr(module, alias.name) or importlib.util.find_spec(submodule)
                assert known, f"{alias.name} in {page}"


@pytest.mark.parametrize(("page", "text"), blocks("toml"))
def test_configuration_examples_are_valid(page, text, tmp_path):
    import strap_spawned.plugin
    import strap_wayback.plugin

    table = tomllib.loads(text)
    if "project" in table or "mcp_servers" in table:
        return
    (tmp_path / "strap.toml").write_text(text)
    config = load(environ={}, directory=tmp_path, home=tmp_path)
    examples = [("wayback", strap_wayback.plugin), ("spawned", strap_spawned.plugin)]
    make_router(config, extra=examples)


def test_every_hook_is_in_the_tutorial_or_how_to():
    from strap.api import hookspecs

    prose = "".join(page.read_text("utf-8") for page in PAGES if "reference" not in page.parts)
    for name in vars(hookspecs):
        if name.startswith("strap_"):
            assert name in prose, name


def test_every_measurement_is_described():
    from benchmarks.__main__ import MEASUREMENTS

    page = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(MEASUREMENTS)
