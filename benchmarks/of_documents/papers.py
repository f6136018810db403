"""Documents of others by `http.fetch`, next to their reference texts; and hostile ones.

The tests of docling have documents (Word, PowerPoint, Excel, OpenDocument, EPUB, CSV), and beside
each its Markdown, which is docling's own output; `DRAWN` of them are drawn by a seed. Recall is the
share of the reference's words that the answer has: as often as there, and at all, as docling says
a merged cell once for each cell, and the numbers of a chart once more; and of those that stand in
the file somewhere, as some are docling's own ("Line chart", "author:", the names of LaTeX).
`papers.json` has documents of other corpora, drawn by a seed before anybody looked at them; what
they are compared with is said in `readings`. The hostile ones are those of the tests of strap: none
may lead to a request, or keep the next document from being read.
"""

import asyncio
import html
import json
import random
import re
import subprocess
import zipfile
from collections import Counter
from collections.abc import Set as AbstractSet
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from lxml import etree  # type: ignore[import-untyped]

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.scoring import plain, words
from benchmarks.of_documents import readings
from benchmarks.peers import CACHE, Absent, once, pip
from tests.plugins.http.documents import DOCX
from tests.plugins.http.hostile import REPORT, hostile
from tests.site.server import Reply, Site, serve

COMMIT = "e1cb2b234c48ff29746b0f2f843d07f8e23905a0"
DRAWN = 40
OTHERS = Path(__file__).with_name("papers.json")
"""Commits of repositories, each with documents that nobody looked at, drawn by a seed."""
WHOLE = 100_000
"""Tokens in which any of the documents has room."""
SAID = "They rose by 5 %."
"""Text of the document that is read after each hostile one."""
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|~<>-])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def measure(bench: Bench) -> list[Table]:
    try:
        some = drawn(bench.runs(DRAWN, 8))
    except Absent as error:
        return [Table(title="Documents", columns=["absent"], rows=[[str(error)]])]
    return [asyncio.run(_read(some)), asyncio.run(_others()), asyncio.run(_survived())]


def drawn(count: int) -> list[Path]:
    """Return that many documents with a reference."""
    folder = _files_of("docling-project/docling", COMMIT, "tests/data")
    kinds = ("csv", "docx", "epub", "odf", "pptx", "xlsx")
    found = (path for kind in kinds for path in (folder / f"tests/data/{kind}/sources").iterdir())
    named = sorted(path for path in found if _reference(path).is_file())
    return random.Random(public.SEED).sample(named, count)


def _files_of(repository: str, commit: str, *paths: str) -> Path:
    folder = CACHE / repository.rpartition("/")[2]
    git = ("git", "-C", str(folder))
    address = f"https://github.com/{repository}"
    once(
        folder,
        commit,
        (*git, "init", "--quiet"),
        (*git, "fetch", "--quiet", "--depth=1", "--filter=blob:none", address, commit),
        (*git, "checkout", "--quiet", commit, "--", *paths),
    )
    return folder


def _reference(path: Path) -> Path:
    return path.parent.parent / "groundtruth" / f"{path.name}.md"


async def _read(some: list[Path]) -> Table:
    table = Table(title="Documents", columns=["document", "words", "as often", "at all", "in it"])
    shares = []
    for path, answer in zip(some, await _answers(some), strict=True):
        wanted, found = _words(_reference(path).read_text()), _words(answer)
        often = (wanted & found).total() / (wanted.total() or 1)
        own = wanted.keys() & _own(path)
        shares.append((often, _share(wanted.keys(), found), _share(own, found)))
        table.rows.append([path.name, wanted.total(), *(f"{s:.3f}" for s in shares[-1])])
    means = (f"{mean(each):.3f}" for each in zip(*shares, strict=True))
    table.rows.append([f"mean of {len(some)}", "", *means])
    return table


async def _others() -> Table:
    """Documents of other corpora, next to what other libraries read of them."""
    table = Table(title="Documents of others", columns=["document", "words", "at all"])
    try:
        python = pip("readers", *readings.NEEDS) / "bin" / "python"
        some = [
            _files_of(repository, commit, *paths) / path
            for repository, (commit, *paths) in json.loads(OTHERS.read_text()).items()
            for path in paths
        ]
    except Absent as error:
        return Table(title=table.title, columns=["absent"], rows=[[str(error)]])
    shares = []
    for path, answer in zip(some, await _answers(some), strict=True):
        wanted = _words(await asyncio.to_thread(_read_by_others, python, path))
        shares.append(_share(wanted.keys(), _words(answer)))
        table.rows.append([path.name, wanted.total(), f"{shares[-1]:.3f}"])
    table.rows.append([f"mean of {len(some)}", "", f"{mean(shares):.3f}"])
    return table


def _read_by_others(python: Path, path: Path) -> str:
    command = (str(python), readings.__file__, str(path))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


async def _answers(some: list[Path]) -> list[str]:
    pages: dict[str, Any] = {
        f"/{number}/{path.name}": Reply(body=path.read_bytes()) for number, path in enumerate(some)
    }
    with serve(pages) as site, TemporaryDirectory() as home:
        async with strap.open_router(network="local", home=home) as web:
            return [await _fetched(web, f"{site}{path}") for path in pages]


def _share(wanted: AbstractSet[str], found: Counter[str]) -> float:
    return len(wanted & found.keys()) / (len(wanted) or 1)


def _words(text: str) -> Counter[str]:
    return Counter(words(plain(_ESCAPED.sub(r"\1", _COMMENT.sub("", html.unescape(text))))))


def _own(path: Path) -> set[str]:
    """The words that stand in the file: its texts piece by piece and joined, and properties."""
    if not zipfile.is_zipfile(path):
        return set(words(path.read_text("utf-8", "replace")))
    found = set[str]()
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            part = package.read(name)
            if part and name.endswith((".xml", ".xhtml", ".html", ".opf", ".ncx")):
                root = etree.fromstring(part, etree.XMLParser(recover=True))
                pieces = list(root.itertext())
                values = (value for element in root.iter("*") for value in element.values())
                found.update(words(" ".join((*pieces, *values))), words("".join(pieces)))
    return found


async def _survived() -> Table:
    """Ask for each hostile document, and for another one after it."""
    table = Table(title="Hostile documents", columns=["document", "requests", "read after it"])
    routes: dict[str, Any] = {"/after": Reply(headers={"Content-Type": DOCX}, body=REPORT)}
    with serve(routes) as site, TemporaryDirectory() as home:
        async with strap.open_router(network="local", home=home) as web:
            for kind, make in hostile(site).items():
                body, media_type = make()
                routes["/f"] = Reply(headers={"Content-Type": media_type}, body=body)
                followed, is_read = await _survives(web, site)
                table.rows.append([kind, followed, is_read])
    done = [row for row in table.rows if row[1] == 0 and row[2]]
    table.rows.append([f"without harm: {len(done)} of {len(table.rows)}", "", ""])
    return table


async def _survives(web: Any, site: Site) -> tuple[int, bool]:
    """How many requests a document leads to, and whether another one is read after it."""
    before = len(site.requests)
    text = await _fetched(web, f"{site}/f")
    followed = len(site.requests) - before - 1
    after = await _fetched(web, f"{site}/after")
    return followed, SAID in after and "root:" not in text


async def _fetched(web: Any, url: str) -> str:
    answer = await web(resource="http", action="fetch", url=url, max_tokens=WHOLE)
    return str(answer.text)
