"""The main parts of labelled public pages, as strap and others find them, on the unread halves.

Each corpus has the score that its makers give: runs of four words (`news`, and so `press` and
`older`), words (`web`, `readable`), pieces of text that a main part has and has not (`mixed`).
Markdown, and a title that was put before the text, count for nobody. `main_parts:CORPUS` measures
one. Who works on extraction measures the other halves, those that may be read, by
`main_parts:read`, or `main_parts:read-CORPUS`.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from html import unescape
from itertools import islice
from statistics import mean, median

from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.extractors import Extractor, extractors
from benchmarks.of_content.public import Half, Labelled
from benchmarks.of_content.scoring import plain, runs
from benchmarks.peers import Absent

CORPORA = ("news", "press", "older", "web", "mixed", "readable")
_BY_RUNS = ("news", "press", "older")
Marks = tuple[float, float, float]
"""Precision, recall and F1 of a page."""
_WORD = re.compile(r"\w+")
_SYNTAX = re.compile(
    r"^(?:[ \t]*(?:#{1,6} |> |[-*+] |\d+\. |\|))+|\*\*|__|`|\\(?=\W)|\|", re.MULTILINE
)
"""Syntax of Markdown; a line may begin with several marks, as a list in a quote does."""
_RULE = re.compile(r"^[\s|:-]+$", re.MULTILINE)
_TITLE = re.compile(r"<title[^>]*>([^<]*)</title", re.IGNORECASE)
_HEADLINE = re.compile(r"<h1\b[^>]*>(.*?)</h1", re.IGNORECASE | re.DOTALL)
_HEADLINES = 3
_TAG = re.compile(r"<[^>]*>")


def measure(bench: Bench) -> list[Table]:
    contenders = extractors(bench.tools)
    half, some = of_part(bench.part)
    return [table for corpus in some for table in tables(corpus, half, contenders)]


def of_part(part: str) -> tuple[Half, list[str]]:
    """Half and corpora that a part of this measures."""
    first, _, corpus = part.partition("-")
    half: Half = "read" if first == "read" else "unread"
    wanted = corpus if half == "read" else part
    return half, [corpus for corpus in CORPORA if wanted in ("", corpus)]


def tables(corpus: str, half: Half, contenders: Mapping[str, Extractor]) -> list[Table]:
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
    for who, extract in contenders.items():
        try:
            marks, took[who] = scored(extract, pages)
        except Absent as error:
            table.rows.append([who, str(error)])
            continue
        figures = (f"{value:.3f}" for value in summed(corpus, marks))
        table.rows.append([who, *figures, f"{median(took[who]):.1f}"])
        of_kind = [
            [m for m, page in zip(marks, pages, strict=True) if page.kind == k] for k in kinds
        ]
        by_kind.rows.append([who, *(f"{summed(corpus, some)[2]:.3f}" for some in of_kind)])
    for row in (row for row in table.rows if row[0] in took):
        row.append(f"{_times(took[row[0]], took['trafilatura']):.2f}")
    return [table, by_kind] if kinds else [table]


def _times(took: Sequence[float], by: Sequence[float]) -> float:
    """The median, over the pages, of how often the computing of another extractor goes into it."""
    return median(one / max(other, 1e-3) for one, other in zip(took, by, strict=True))


def scored(extract: Extractor, pages: Sequence[Labelled]) -> tuple[list[Marks], list[float]]:
    """The marks of each page, and the milliseconds of computing that it took."""
    found = extract(pages)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        marks = list(pool.map(judged, (text for text, _ in found), pages, chunksize=4))
    return marks, [1_000 * seconds for _, seconds in found]


def summed(corpus: str, marks: Iterable[Marks]) -> Marks:
    """Precision, recall, F1 of a corpus: by runs the first two are averaged, else the last."""
    precision, recall, f1 = map(mean, zip(*marks, strict=True))
    if corpus in _BY_RUNS:
        f1 = _f1(precision, recall)
    return precision, recall, f1


def judged(text: str, page: Labelled) -> Marks:
    """Compare a text with the labels of its page."""
    titles = titles_of(page.html)
    text = bare(text, titles)
    if page.having:
        return _pieces(text, page)
    compared = _words if page.by_words else runs
    found, wanted = compared(text), compared(bare(page.main, titles))
    common = (found & wanted).total()
    precision, recall = common / (found.total() or 1), common / (wanted.total() or 1)
    return precision, recall, _f1(precision, recall)


def bare(text: str, titles: Sequence[Counter[str]]) -> str:
    """The text without Markdown, and without the titles of its page that stand before it.

    A page has one for its tab and one for its readers; which of them an extractor puts before the
    text, marked as a heading or not, is no matter of the text.
    """
    text = plain(text)
    for _ in titles:
        first, _, rest = text.lstrip().partition("\n")
        said = _words(first)
        if not any(said <= title and 2 * said.total() >= title.total() > 0 for title in titles):
            break
        text = rest
    return _SYNTAX.sub(" ", _RULE.sub("", text))


def titles_of(html: str) -> list[Counter[str]]:
    """Titles of a page: that in its head, and its first headings of the first rank."""
    named = [*_TITLE.findall(html)[:1], *islice(_HEADLINE.findall(html), _HEADLINES)]
    return [_words(unescape(_TAG.sub(" ", each))) for each in named]


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
