"""Parts within the main element that its text leaves out, counted by kind."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.text import counted
from strap_http.extraction.text_blocks import (
    LISTS,
    TextBlock,
    holder_of,
    innermost,
    named,
    upwards,
    word_count,
)

COMMENT, PARAGRAPH, FORM, LINKS = "comment", "paragraph", "form", "list of links"
_KINDS = {"table": "table", "pre": "block of code", "figcaption": "caption"}
_KINDS |= dict.fromkeys(LISTS, "list")
_MANY = {LINKS: "lists of links", "block of code": "blocks of code"}
_LEAST = 10
"""Words from which a part is one that a reader may miss; a table and code count anyhow."""


def missing_parts(runs: Sequence[TextBlock], forms: Iterable[HtmlElement]) -> str:
    """Count the parts within the element of the text, and the `forms`: `28 comments, 1 form`."""
    main = [run for run in runs if run.is_main and run.image is None]
    if not main:
        return ""
    within = set(holder_of(main[0].block, main[-1].block).iter())
    around = {element for run in main for element in upwards(run.block)}
    in_forms = {element: form for form in forms if form in within for element in form.iter()}
    open_parts = within - in_forms.keys()
    own = (run for run in runs if not run.is_main and run.image is None and run.block in open_parts)
    count = Counter({FORM: len(set(in_forms.values()))})
    known: dict[HtmlElement, HtmlElement | None] = dict.fromkeys(around)
    for part, some in groupby(own, lambda run: _part(run, known)):
        if part not in around:
            count.update(_kind(part, list(some)))
    return ", ".join(counted(n, kind, _MANY.get(kind, "")) for kind, n in count.most_common() if n)


def _part(run: TextBlock, known: dict[HtmlElement, HtmlElement | None]) -> HtmlElement:
    """The comment, table, code or list that a run is in, else its block."""
    comment = innermost(run.block, _is_comment, known)
    return next(part for part in (comment, run.unit, run.block) if part is not None)


def _is_comment(element: HtmlElement) -> bool:
    return COMMENT in named(element, "class", "itemprop")


def _kind(part: HtmlElement, own: Sequence[TextBlock]) -> Iterator[str]:
    size = word_count(own)
    is_short = size < _LEAST and part.tag not in ("table", "pre")
    if is_short or own[0].is_heading:
        return
    if _is_comment(part):
        yield COMMENT
    elif 2 * sum(run.linked for run in own) < size:
        yield _KINDS.get(part.tag, PARAGRAPH)
    elif part.tag in _KINDS:
        yield LINKS
