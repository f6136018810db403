"""Nothing heavy is imported before it is needed, and the public names are what they seem."""

import json
import subprocess
import sys

import pytest

import strap
from tests.mcp.conversation import call, initialize, notification

HEAVY = (
    "browser_use",
    "jsonschema",
    "playwright.async_api",
    "sqlite3",
    "websockets",
    "ddgs",
    "primp",
    "lxml",
    "html_to_markdown",
    "httpx2",
    "httpcore2",
    "trafilatura",
    "resiliparse",
    "pypdfium2",
)


def modules_after(code, tmp_path):
    program = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )
    return set(json.loads(done.stdout))


def test_listing_the_tool_imports_no_library_of_a_resource(tmp_path):
    loaded = modules_after(
        "from strap.config import load\n"
        "from strap.routing.assembly import make_router\n"
        "from strap.routing.tool_schema import tool_definition\n"
        "tool_definition(make_router(load()).catalog)",
        tmp_path,
    )
    assert "strap_browser.plugin" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert "mcp" not in loaded
    assert "asyncio" in loaded
    assert loaded.isdisjoint({"strap_http.fetch", "strap_search.query"})
    assert not {name for name in loaded if name.startswith("strap_browser.actions.")}


LATER = (
    *("difflib", "html", "http.cookies", "logging.handlers", "mimetypes", "tomllib"),
    *("cdp_use", "strap_browser.relay.server", "strap_search.engine"),
    *("strap_browser.drivers.leased", "strap_browser.drivers.leasing.recipes"),
    *("strap_browser.drivers.playwright_server", "strap_browser.drivers.remote"),
    *("strap.documents.content", "strap.documents.converting", "strap.workers.pool"),
    *("strap_agent.actions.runs", "strap_browser.actions.elements.click", "http.client"),
    *("strap_browser.action_list", "strap_http.fetch", "strap_search.query"),
    *("strap_browser.actions.login_state", "platformdirs"),
)
"""Modules that a first page does without: its caller waits for every import."""


def test_what_the_first_page_does_without_is_not_imported_before_it(tmp_path):
    loaded = modules_after(
        "import asyncio, strap\n"
        "async def main():\n"
        "    async with strap.open_router() as web:\n"
        "        await web(resource='browser', action='status')\n"
        "asyncio.run(main())",
        tmp_path,
    )
    assert "strap_browser.drivers.managed" in loaded
    assert loaded.isdisjoint(LATER)


def served(said, tmp_path):
    """Return a server's answers to these lines, and the modules that it imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "strap", "serve"],
        input="".join(f"{json.dumps(line)}\n" for line in said),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    return done.stdout, {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_a_server_without_options_imports_nothing_that_reads_them(tmp_path):
    said = (
        *(initialize(), notification("notifications/initialized")),
        call(1, resource="browser", action="help"),
    )
    served(said, tmp_path)  # prepares the answers to the handshake, without which the SDK is needed
    answers, loaded = served(said, tmp_path)
    assert "launch" in answers
    assert "strap.mcp.stdio.session" in loaded
    assert loaded.isdisjoint({"click", "mcp", "strap.cli.main", "strap.cli.options"})


def test_importing_strap_imports_nothing_else(tmp_path):
    loaded = modules_after("import strap", tmp_path)
    assert loaded.isdisjoint({*HEAVY, "pydantic", "pluggy", "click", "asyncio", "mcp"})


def test_every_public_name_is_there():
    for name in strap.__all__:
        assert getattr(strap, name) is not None
    assert set(strap.__all__) == set(strap._HOME)


def test_a_name_that_is_not_public():
    assert not hasattr(strap, "nothing")


@pytest.mark.parametrize(("old", "new"), strap._RENAMED.items())
def test_names_of_the_last_release_still_work(old, new):
    with pytest.warns(DeprecationWarning, match=f"strap.{old} is called strap.{new} now"):
        assert getattr(strap, old) is getattr(strap, new)
