"""Documents of others by `http.fetch`, next to their reference texts; and hostile ones.

The tests of docling have documents (Word, PowerPoint, Excel, OpenDocument, EPUB, CSV), and beside
each its Markdown, which is docling's own output; `DRAWN` of them are drawn by a seed. Recall is the
share of the reference's words that the answer has: as often as there, and at all, as docling says
a merged cell once for each cell, and the numbers of a chart once more. The hostile ones are those
of the tests of strap: none may lead to a request, or keep the next document from being read.
"""

import asyncio
import html
import random
import re
from collections import Counter
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.scoring import plain, words
from benchmarks.peers import CACHE, Absent, once
from tests.plugins.http.documents import DOCX
from tests.plugins.http.hostile import REPORT, hostile
from tests.site.server import Reply, Site, serve

REPOSITORY = "https://github.com/docling-project/docling"
COMMIT = "e1cb2b234c48ff29746b0f2f843d07f8e23905a0"
DRAWN = 40
WHOLE = 100_000
"""Tokens in which any of the documents has room."""
SAID = "They rose by 5 %."
"""What the document says that is asked for after each hostile one."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def measure(bench: Bench) -> list[Table]:
    try:
        some = drawn(bench.runs(DRAWN, 8))
    except Absent as error:
        return [Table(title="Documents", columns=["absent"], rows=[[str(error)]])]
    return [asyncio.run(_read(some)), asyncio.run(_survived())]


def drawn(count: int) -> list[Path]:
    """Return that many documents with a reference."""
    folder = CACHE / "docling"
    git = ("git", "-C", str(folder))
    once(
        folder,
        COMMIT,
        (*git, "init", "--quiet"),
        (*git, "fetch", "--quiet", "--depth=1", REPOSITORY, COMMIT),
        (*git, "checkout", "--quiet", COMMIT, "--", "tests/data"),
    )
    kinds = ("csv", "docx", "epub", "odf", "pptx", "xlsx")
    found = (path for kind in kinds for path in (folder / f"tests/data/{kind}/sources").iterdir())
    named = sorted(path for path in found if _reference(path).is_file())
    return random.Random(public.SEED).sample(named, count)


def _reference(path: Path) -> Path:
    return path.parent.parent / "groundtruth" / f"{path.name}.md"


async def _read(some: list[Path]) -> Table:
    table = Table(title="Documents", columns=["document", "words", "as often", "at all"])
    pages: dict[str, Any] = {f"/{path.name}": Reply(body=path.read_bytes()) for path in some}
    shares = []
    with serve(pages) as site, TemporaryDirectory() as home:
        async with strap.open_router(network="local", home=home) as web:
            for path in some:
                text = await _fetched(web, f"{site}/{path.name}")
                wanted, found = (_words(each) for each in (_reference(path).read_text(), text))
                often = (wanted & found).total() / (wanted.total() or 1)
                shares.append((often, len(wanted & found) / (len(wanted) or 1)))
                table.rows.append([path.name, wanted.total(), *(f"{s:.3f}" for s in shares[-1])])
    means = (f"{mean(each):.3f}" for each in zip(*shares, strict=True))
    table.rows.append([f"mean of {len(some)}", "", *means])
    return table


def _words(text: str) -> Counter[str]:
    return Counter(words(plain(_COMMENT.sub("", html.unescape(text)))))


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
