"""The calls that the page of errors gives as examples cause these errors."""

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from strap import Caller, Config, StrapError, open_router
from tests.site.server import serve

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import errors

pytestmark = pytest.mark.anyio

PAGE = """<title>Shop</title><table><tr><td>A<td><button>Delete</button>
<tr><td>B<td><button>Delete</button></table>"""
ELSEWHERE = ("example.com", "badssl.com", "…")
"""Parts of calls that need another site, or more than is written."""
CALLS = {
    code: entry["call"]
    for code, entry in errors.CODES.items()
    if "call" in entry
    and ", " not in entry["call"]
    and not any(part in entry["call"] for part in (*ELSEWHERE, "strap "))
}
BLANK = ("not_running", "not_launchable")
"""Codes of `browser` that come before there is a page."""


def test_every_code_has_a_meaning():
    assert errors.found().keys() <= errors.CODES.keys()


@pytest.mark.parametrize("on_page", [False, True], ids=["anywhere", "on a page"])
async def test_each_example_causes_its_error(tmp_path, on_page):
    calls = {code: call for code, call in CALLS.items() if _needs_page(code, call) == on_page}
    config = Config.load(network="local" if on_page else "public")
    config = replace(config, home=tmp_path / "home", outputs=tmp_path / "files")
    config = replace(config, plugins={**config.plugins, "browser": {"headless": True}})
    caused = {}
    with serve({"/": PAGE}, folder=tmp_path) as site:
        async with open_router(config=config) as router:
            if on_page:
                for call in ("browser launch", f"browser navigate {site}", "browser snapshot"):
                    await router.call(_arguments(call), caller=Caller(session="reader"))
            for code, call in calls.items():
                caused[code] = await _caused(router, call)
    assert len(calls) >= 10
    assert caused == {code: code for code in calls}


def _needs_page(code, call):
    return "localhost" in call or (call.startswith("browser") and code not in BLANK)


async def _caused(router, call):
    try:
        return (await router.call(_arguments(call), caller=Caller(session="reader"))).text
    except StrapError as error:
        return error.code


def _arguments(call):
    resource, *rest = shlex.split(call)
    arguments = {"resource": resource, "action": rest[0]}
    for word in rest[1:]:
        name, equals, value = word.partition("=")
        if equals and re.fullmatch(r"\w+", name):
            arguments[name] = value
        else:
            arguments["query" if resource == "search" else "url"] = word
    return arguments
