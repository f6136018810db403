"""Parts within the main element that its text leaves out, counted by kind."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import groupby, takewhile

from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.text import counted
from strap_http.extraction.text_blocks import (
    LISTS,
    TextBlock,
    holder_of,
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
    for part, some in groupby(own, lambda run: _part(run, around)):
        if part not in around:
            count.update(_kind(part, list(some)))
    return ", ".join(counted(n, kind, _MANY.get(kind, "")) for kind, n in count.most_common() if n)


def _part(run: TextBlock, around: Container[HtmlElement]) -> HtmlElement:
    """The comment, table, code or list that a run is in, else its block."""
    outer = takewhile(lambda place: place not in around, upwards(run.block))
    comments = (place for place in outer if COMMENT in named(place, "class", "itemprop"))
    return next(comments, run.block if run.unit is None else run.unit)


def _kind(part: HtmlElement, own: Sequence[TextBlock]) -> Iterator[str]:
    size = word_count(own)
    is_short = size < _LEAST and part.tag not in ("table", "pre")
    if is_short or own[0].is_heading:
        return
    if COMMENT in named(part, "class", "itemprop"):
        yield COMMENT
    elif 2 * sum(run.linked for run in own) < size:
        yield _KINDS.get(part.tag, PARAGRAPH)
    elif part.tag in _KINDS:
        yield LINKS
