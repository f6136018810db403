"""The main parts of labelled public pages, as strap and others find them, on the unread halves.

Each corpus has the score that its makers give: runs of four words (`news`), words (`web`,
`readable`), pieces of text that a main part has and has not (`mixed`). Markdown, and a title
that was put before the text, count for nobody.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from statistics import mean, median

from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.public import Half, Labelled
from benchmarks.of_content.scoring import plain, runs
from benchmarks.peers import Absent

CORPORA = ("news", "web", "mixed", "readable")
Marks = tuple[float, float, float]
"""Precision, recall and F1 of a page."""
_WORD = re.compile(r"\w+")
_SYNTAX = re.compile(r"^[ \t]*(?:#{1,6} |> |[-*+] |\d+\. |\|)|\*\*|__|`|\\(?=\W)|\|", re.MULTILINE)
_RULE = re.compile(r"^[\s|:-]+$", re.MULTILINE)
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)


def measure(bench: Bench) -> list[Table]:
    return [table for corpus in CORPORA for table in tables(corpus, "unread")]


def tables(corpus: str, half: Half) -> list[Table]:
    """Return the figures of all contenders over a half of a corpus."""
    try:
        pages = public.pages(corpus, half)
    except Absent as error:
        return [Table(title=corpus, columns=["absent"], rows=[[str(error)]])]
    table = Table(
        title=f"{corpus}, half {half!r} ({len(pages)})",
        columns=["", "precision", "recall", "F1", "ms a page", "by trafilatura's"],
    )
    took: dict[str, list[float]] = {}
    kinds = sorted({page.kind for page in pages} - {""})
    by_kind = Table(title=f"F1 of {corpus} by kind of page", columns=["", *kinds])
    for who in EXTRACTORS:
        marks, took[who] = scored(who, pages)
        figures = (f"{value:.3f}" for value in summed(corpus, marks))
        table.rows.append([who, *figures, f"{median(took[who]):.1f}"])
        of_kind = [
            [m for m, page in zip(marks, pages, strict=True) if page.kind == k] for k in kinds
        ]
        by_kind.rows.append([who, *(f"{summed(corpus, some)[2]:.3f}" for some in of_kind)])
    for row in table.rows:
        row.append(f"{_times(took[row[0]], took['trafilatura']):.2f}")
    return [table, by_kind] if kinds else [table]


def _times(took: Sequence[float], by: Sequence[float]) -> float:
    """The median, over the pages, of how often the computing of another extractor goes into it."""
    return median(one / max(other, 1e-3) for one, other in zip(took, by, strict=True))


def scored(who: str, pages: Sequence[Labelled]) -> tuple[list[Marks], list[float]]:
    """The marks of each page, and the milliseconds of computing that it took."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(partial(_one, who), pages, chunksize=4))
    return [marks for marks, _ in found], [1_000 * seconds for _, seconds in found]


def summed(corpus: str, marks: Iterable[Marks]) -> Marks:
    """Precision, recall, F1 of a corpus: `news` averages the first two, others the last."""
    precision, recall, f1 = map(mean, zip(*marks, strict=True))
    if corpus == "news":
        f1 = _f1(precision, recall)
    return precision, recall, f1


def _one(who: str, page: Labelled) -> tuple[Marks, float]:
    started = time.process_time()
    try:
        text = EXTRACTORS[who](page.html, page.url)
    except Exception:  # noqa: BLE001 - what breaks has found nothing
        text = ""
    seconds = time.process_time() - started
    return judged(text, page), seconds


def judged(text: str, page: Labelled) -> Marks:
    """Compare a text with the labels of its page."""
    text = bare(text, page.html)
    if page.having:
        return _pieces(text, page)
    compared = runs if not page.kind and "fakehost" not in page.url else _words
    found, wanted = compared(text), compared(page.main)
    common = (found & wanted).total()
    precision, recall = common / (found.total() or 1), common / (wanted.total() or 1)
    return precision, recall, _f1(precision, recall)


def bare(text: str, html: str) -> str:
    """The text without Markdown, and without the title of the page before it.

    Titles of pages often have more, as the name of the site.
    """
    text = plain(text)
    first, _, rest = text.lstrip().partition("\n")
    title = _TITLE.search(html)
    if title and first.startswith("# ") and _words(first) <= _words(title.group(1)):
        text = rest
    return _SYNTAX.sub(" ", _RULE.sub("", text))


def _pieces(text: str, page: Labelled) -> Marks:
    """How many of the wanted pieces are there, and of those that must not be.

    They are compared by their words: a link or emphasis in a piece counts for nobody.
    """
    flat = _flat(text)
    there = sum(_flat(piece) in flat for piece in page.having)
    wrong = sum(_flat(piece) in flat for piece in page.lacking)
    precision, recall = there / ((there + wrong) or 1), there / len(page.having)
    return precision, recall, _f1(precision, recall)


def _flat(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / ((precision + recall) or 1)


def _strap(html: str, url: str) -> str:
    from strap_http.extraction.pages import SMALL, read_page, read_small

    return (read_small if len(html) <= SMALL else read_page)(html, url).text


def _trafilatura(html: str, url: str) -> str:
    import trafilatura

    return trafilatura.extract(html, url=url, include_comments=False) or ""


def _readability(html: str, _: str) -> str:
    from lxml.html import fromstring
    from readability import Document

    return "\n".join(map(str, fromstring(Document(html).summary()).itertext()))


def _resiliparse(html: str, _: str) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True, alt_texts=False, links=False))


EXTRACTORS: dict[str, Callable[[str, str], str]] = {
    "strap": _strap,
    "trafilatura": _trafilatura,
    "resiliparse": _resiliparse,
}
if find_spec("readability"):  # by hand: older pips cannot install it beside strap
    EXTRACTORS["readability-lxml"] = _readability
