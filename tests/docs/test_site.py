"""The site builds without a warning, and what its pages name is there."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import errors  # noqa: E402
from recording import COMMANDS  # noqa: E402
from site_pages import llms_txt, pages  # noqa: E402

RAW = "https://raw.githubusercontent.com/strap-web/strap/main/"
"""Prefix of the addresses from which a registry's page loads the README's pictures."""
TEXT = "{http://www.w3.org/2000/svg}text"
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E"]
    done = subprocess.run(
        [*command, "-d", target / "doctrees", ROOT / "docs", target / "html"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target / "html"


def test_every_page_is_built(site):
    built = {path.relative_to(site).with_suffix(".md") for path in site.rglob("*.html")}
    assert {path.relative_to(ROOT / "docs") for path in PAGES} <= built
    assert "DuckDuckGo" in (site / "searching.html").read_text("utf-8")
    assert (site / "llms.txt").read_text("utf-8") == llms_txt()


def test_every_link_and_picture_of_the_site_leads_somewhere(site):
    pages = {
        path: path.read_text("utf-8")
        for path in site.rglob("*.html")
        if not path.relative_to(site).parts[0].startswith("_")
    }
    anchors = {path: set(re.findall(r'\sid="([^"]+)"', text)) for path, text in pages.items()}
    for page, text in pages.items():
        for target in re.findall(r'<(?:a|img)\s[^>]*?(?:href|src)="([^"]+)"', text):
            if re.match("[a-z]+:", target):
                continue
            name, _, anchor = unquote(unescape(target)).partition("#")
            path = (page.parent / name).resolve() if name else page
            assert path.exists(), f"{target} in {page.name}"
            assert not anchor or anchor in anchors.get(path, {anchor}), f"{target} in {page.name}"


def test_links_beside_the_docs_lead_to_the_repository(site):
    beside = re.compile(r"\]\(\.\./([A-Za-z][^)]*)\)")
    for page in (ROOT / "docs").glob("*.md"):
        html = (site / f"{page.stem}.html").read_text("utf-8")
        for target in beside.findall(page.read_text("utf-8")):
            assert f'href="https://github.com/strap-web/strap/blob/main/{target}"' in html, target


def test_every_code_has_an_anchor(site):
    html = (site / "reference" / "errors.html").read_text("utf-8")
    anchors = set(re.findall(r'id="([\w-]+)"', html))
    assert {code.replace("_", "-") for code in errors.found()} <= anchors | {
        anchor.replace("_", "-") for anchor in anchors
    }


def test_codes_that_pages_name_are_those_of_the_source():
    named = set()
    for page in PAGES:
        named |= set(re.findall(r"errors\.md#(\w+)", page.read_text("utf-8")))
    assert named
    assert named <= errors.CODES.keys()


def test_messages_are_shown_as_they_are_written():
    assert "The scheme … of … is not allowed." in errors.found()["blocked_scheme"]


def test_the_recording_is_small_and_whole(site):
    picture = (site / "_images" / "recording.svg").read_text("utf-8")
    assert len(picture) < 20_000
    lines = ["".join(text.itertext()) for text in ET.fromstring(picture).iter(TEXT)]
    typed = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    assert typed == list(COMMANDS), "run docs/recording.py"
    assert "+ status: Thank you, Ada Lovelace." in lines


def test_pictures_of_the_readme_are_there():
    shown = re.findall(rf"{re.escape(RAW)}([\w./-]+)", (ROOT / "README.md").read_text("utf-8"))
    assert len(shown) > 1
    assert all((ROOT / name).is_file() for name in shown)


def test_the_list_for_models_is_current():
    assert (ROOT / "docs" / "llms.txt").read_text("utf-8") == llms_txt(), "run `make docs`"
    assert sum(map(len, pages().values())) == len(PAGES) - 1
