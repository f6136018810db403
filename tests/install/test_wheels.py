"""The built distributions, installed with plain pip and used from another directory."""

import json
import os
import shutil
import stat
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from strap.version import __version__
from tests.support.model_server import done, scripted

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "strap-wayback"
CHROME = "strap_browser/chrome_extension/"


def run(*command, cwd, check=True, **environ):
    keep = {key: value for key, value in os.environ.items() if not key.startswith("STRAP_")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=keep | {key: str(value) for key, value in environ.items()},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A fresh environment with nothing in it."""
    place = tmp_path_factory.mktemp("fresh")
    venv.create(place / "env")
    return place


@pytest.fixture(scope="module")
def pip(fresh):
    """Call pip for the environment: to install one there as well takes several seconds."""
    options = ("--disable-pip-version-check", "--python", fresh / "env" / "bin" / "python")
    command = (sys.executable, "-m", "pip", *options)

    def call(*words):
        return run(*command, *words, cwd=fresh)

    return call


@pytest.fixture(scope="module")
def wheels(pip, tmp_path_factory):
    """Build both wheels from copies, so that nothing is written into the project."""
    target = tmp_path_factory.mktemp("wheels")
    ignored = shutil.ignore_patterns(".venv", ".git", ".cache", "__pycache__", "node_modules")
    copy = tmp_path_factory.mktemp("source") / "strap"
    shutil.copytree(ROOT, copy, ignore=ignored)
    example = copy / "examples" / "strap-wayback"
    pip("wheel", "--no-deps", "-q", "-w", target, copy, example)
    return {path.name.split("-")[0]: path for path in target.glob("*.whl")}


@pytest.fixture(scope="module")
def installed(fresh, pip, wheels):
    """Both wheels with what they need, and an empty directory to work in."""
    # Compiling all that the libraries hold takes longer than what these tests import of it.
    pip("install", "-q", "--no-compile", "-c", ROOT / "constraints.txt", *wheels.values())
    work = fresh / "elsewhere"
    work.mkdir()
    program = fresh / "env" / "bin" / "strap"

    def strap(*words, check=True):
        home = fresh / "home"
        return run(program, *words, cwd=work, check=check, HOME=home, STRAP_HOME=home)

    return strap


def test_the_wheel_holds_all_packages_and_nothing_else(wheels):
    names = zipfile.ZipFile(wheels["strap_web"]).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {
        "strap",
        "strap_http",
        "strap_search",
        "strap_browser",
        "strap_agent",
        "strap_live",
        "strap_script",
        "strap_watch",
        "strap_firefox",
        "strap_cases",
        "strap_ray",
        f"strap_web-{__version__}.dist-info",
    }
    assert "strap/py.typed" in names
    assert "strap/mcp/demo_site/index.html" in names
    extension = {name.removeprefix(CHROME) for name in names if name.startswith(CHROME)}
    source = ROOT / "plugins" / "browser" / CHROME
    files = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    assert extension == files
    assert "manifest.json" in files


def test_both_are_found(installed):
    shown = installed("plugins").stdout
    assert "http (strap-web): http.crawl, http.extract, http.fetch, http.map" in shown
    assert "wayback (strap-wayback): http.fetch_archived, wayback.lookup" in shown


def test_the_plugin_is_in_the_schema(installed):
    tool = json.loads(installed("schema").stdout)
    assert "wayback" in tool["inputSchema"]["properties"]["resource"]["enum"]
    assert "fetch_archived url [date]" in tool["description"]


def test_without_the_extra_the_agent_is_not_advertised_and_the_error_says_why(installed):
    tool = json.loads(installed("schema").stdout)
    assert "browser" in tool["inputSchema"]["properties"]["resource"]["enum"]
    assert "eval url" not in tool["description"]
    assert "get_run_events" not in tool["description"]
    assert "list_runs" in tool["description"]  # a crawl may be a run, too
    shown = installed("call", "browser", "eval", "url=x", "task=y", check=False)
    assert shown.returncode == 1
    assert "pip install 'strap-web[agent]'" in shown.stdout
    assert "strap agent install" in shown.stdout


def test_a_page_without_the_extra_is_simple_markdown_that_says_so(installed, archive):
    found = installed("call", "http", "fetch", f"url={archive}/web/20010203/https://example.com/")
    assert "The page as it was" in found.stdout
    assert "Main parts need the extra 'extract': pip install 'strap-web[extract]'" in found.stdout


def test_the_name_of_the_distribution_is_a_command(installed, fresh):
    done = run(fresh / "env" / "bin" / "strap-web", "--version", cwd=fresh)
    assert done.stdout.startswith("strap, version ")


def test_calls_of_the_plugin_reach_its_archive(installed, archive, tmp_path):
    file = tmp_path / "strap.toml"
    file.write_text(f"[plugins.wayback]\nendpoint = '{archive}/available'\n")
    page = "url=https://example.com/"
    found = installed("call", "--config", file, "wayback", "lookup", page).stdout
    assert f"{archive}/web/20010203/https://example.com/" in found
    text = installed("call", "--config", file, "http", "fetch_archived", page).stdout
    assert "The page as it was" in text


def test_the_wrapper_adds_its_hint_to_somebody_elses_answer(installed, archive):
    shown = installed("call", "http", "fetch", f"url={archive}/missing").stdout
    assert shown.startswith("404 ")
    assert "web(resource: wayback, action: lookup" in shown


@pytest.mark.soak
def test_the_agent_runs_in_an_environment_of_its_own(installed, fresh, archive):
    python = fresh / "env" / "bin" / "python"
    importing = run(python, "-c", "import browser_use", cwd=fresh, check=False)
    assert "No module named 'browser_use'" in importing.stderr
    assert "not installed" in installed("agent", "status", check=False).stdout
    made = json.loads(installed("agent", "install", "--json").stdout)
    place = fresh / "home" / "environments" / "agent"
    assert Path(made["folder"]).parent == place
    assert {stat.S_IMODE(path.stat().st_mode) for path in (place, Path(made["folder"]))} == {0o700}
    assert json.loads(installed("agent", "status", "--json").stdout) == made
    assert "list_runs" in json.loads(installed("schema").stdout)["description"]
    assert f"its own: {made['folder']}" in installed("doctor", check=False).stdout
    page = f"{archive}/web/20010203/https://example.com/"
    with scripted([done("It is the page as it was.")]) as model:
        settings = fresh / "agent.toml"
        settings.write_text(
            "[plugins.browser]\nmodel = 'openai/scripted'\nmodel_key = 'none'\n"
            f"model_url = '{model.url}'\n"
        )
        words = ("browser", "eval", f"url={page}", "task=What is it?")
        answer = json.loads(installed("call", "--config", settings, *words).stdout)
    assert (answer["status"], answer["result"]) == ("success", "It is the page as it was.")
    assert "The page as it was" in json.dumps([body["messages"] for body in model.asked])
    stamp = place / "environment.json"
    stamp.write_text(stamp.read_text().replace(f'"{__version__}"', '"0.0.9"'))
    shown = installed("call", "--config", settings, *words, check=False).stdout
    assert "Make it anew: strap agent install" in shown
    assert json.loads(installed("agent", "uninstall", "--json").stdout) == {
        "removed": True,
        "in_use": 0,
    }
    assert not (fresh / "home" / "environments").exists()
    assert "list_runs" not in json.loads(installed("schema").stdout)["description"]
