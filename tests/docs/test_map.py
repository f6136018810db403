"""The map of the house in CONTRIBUTING.md names what there is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAP = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
HOUSES = (
    "strap",
    "plugins/http/strap_http",
    "plugins/search/strap_search",
    "plugins/browser/strap_browser",
    "plugins/agent/strap_agent",
    "plugins/live/strap_live",
    "plugins/script/strap_script",
    "plugins/watch/strap_watch",
    "plugins/drivers/strap_firefox",
    "plugins/cases/strap_cases",
    "plugins/ray/strap_ray",
)
MOST = 17
"""Modules of a folder: more than about so many names no reader keeps apart."""
PACKAGES = sorted(
    init.parent
    for house in HOUSES
    for init in (ROOT / house).rglob("__init__.py")
    if init.parent != ROOT / house
)


def name(package):
    return package.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("package", PACKAGES, ids=name)
def test_the_map_has_every_package(package):
    house = next(h for h in HOUSES if name(package).startswith(h + "/"))
    section = MAP.partition(f"### `{house}/`")[2].partition("### ")[0]
    assert f"`{name(package).removeprefix(house + '/')}/`" in section


@pytest.mark.parametrize("house", HOUSES)
def test_the_map_has_no_other_package(house):
    section = MAP.partition(f"### `{house}/`")[2].partition("### ")[0]
    for row in re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE):
        for place in re.findall(r"`([\w/]+)/`", row):
            assert (ROOT / house / place).is_dir()


FOLDERS = [
    *PACKAGES,
    *(ROOT / house for house in HOUSES),
    *(init.parent for init in (ROOT / "benchmarks").rglob("__init__.py")),
]


@pytest.mark.parametrize("package", FOLDERS, ids=name)
def test_a_folder_has_few_modules(package):
    modules = [path for path in package.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST
