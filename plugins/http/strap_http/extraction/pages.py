"""Reading a page: its main part as Markdown, all of it, or rows out of it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from strap import record
from strap.html_tree import with_body
from strap_http.extraction.extractor_choice import LEAST
from strap_http.extraction.facts.crawl_links import read_onward
from strap_http.extraction.facts.links import page_links
from strap_http.extraction.facts.metadata import read_metadata
from strap_http.extraction.markdown import bare, convert, title_of, titled
from strap_http.extraction.shingles import words
from strap_http.extraction.slimming import MAX_HTML, is_tangled, slim
from strap_http.extraction.text_blocks import word_count

if TYPE_CHECKING:
    from strap.rows.extraction import Extracted

SMALL = 8_192
"""Characters of HTML up to which a page is shown whole but for menus and forms: quicker."""
MANY = 24_000
"""Tags beyond which no main part is searched: that takes some 0.1 ms an element."""
_ARRANGED = re.compile(
    r"<table\b|<a\s[^<>]{0,2000}>[^<]{0,999}"
    r"(?:<(?!/?a\b|h[1-6]\b)[^<>]{0,2000}>[^<]{0,999}){0,9}<h[1-6]\b",
    re.IGNORECASE,
)
"""A table, or a link with a heading in it."""
_SURE = 0.4
"""Share of the words of the main text that must have been found in the page, else the lines of it
that are shown are given, if they are more: less than half is where it has copies of one passage
that no reader sees twice, or what the page hides. Where hardly a line is, all of the page is."""


@record
class Reading:
    """Text read from a page: `text` is Markdown.

    `share` is the part of the words of the page that it has, 0 to 1; `whole` tells that no main
    part was found or looked for, `cut` that the page is longer than what was read. `missing` counts
    by kind what is left out of the element that the main part stands in.
    """

    text: str
    share: float = 1.0
    whole: bool = True
    cut: bool = False
    missing: str = ""


def read_page(page: str, base_url: str, *, whole: bool = False) -> Reading:
    """Return the main part of `page` under its title, or, with `whole`, everything in it."""
    return _read(page, base_url, _all if whole else _main)


def read_small(page: str, base_url: str) -> Reading:
    """Return `page` without menus and forms, or all of it where there is little else."""
    return _read(page, base_url, _most)


def read_meta(page: str, base_url: str) -> Reading:
    """Return what `page` says of itself; an empty text if that is nothing."""
    return _listed(page, base_url, read_metadata)


def read_links(page: str, base_url: str) -> Reading:
    """Return the links of `page` as a list; an empty text if there are none."""
    return _listed(page, base_url, page_links)


def read_way(page: str, base_url: str) -> Reading:
    """Return where `page` leads a crawler, as `read_onward` writes it."""
    return _listed(page, base_url, read_onward)


def read(content: bytes, *, kind: str, url: str) -> Reading:
    """Return a page in UTF-8 as one of `READERS`."""
    return READERS[kind](content.decode(), url)


def read_rows(content: bytes, *, url: str, **query: object) -> "Extracted":
    """Return the rows of a page as `strap.rows.extraction.extract` does, of its readable part."""
    from strap.rows.extraction import Extracted, extract

    page = slim(content.decode("utf-8", "replace"))
    cut, page = len(page) > MAX_HTML, page[:MAX_HTML]
    if is_tangled(page):
        return Extracted(about="records", problem="The page's tags cannot be read in time.")
    rows = extract(page.encode(), url=url, **query)  # type: ignore[arg-type]
    return replace(rows, cut=True) if cut else rows


def _listed(page: str, base_url: str, lists: Callable[[str, str], str]) -> Reading:
    page = slim(page)
    cut, page = len(page) > MAX_HTML, page[:MAX_HTML]
    return Reading(text="" if is_tangled(page) else lists(page, base_url), cut=cut)


def _read(page: str, base_url: str, view: Callable[[str, str, str], Reading | None]) -> Reading:
    page = slim(page)
    cut, page = len(page) > MAX_HTML, page[:MAX_HTML]
    title = title_of(page)
    reading = None if is_tangled(page) else view(page, base_url, title) or _all(page, base_url)
    reading = reading or Reading(text=bare(page))
    return replace(reading, text=titled(reading.text, title), cut=cut)


def _main(page: str, base_url: str, title: str) -> Reading | None:
    from strap_http.extraction import mainpart

    find = mainpart.of_article if page.count("<") <= MANY else mainpart.of_book
    main = find(with_body(page), base_url, title)
    if main is None:
        return None
    text, share, missing = convert(main.html, main.base), main.share, main.missing
    if main.main is not None and len(words(text)) + main.around < _SURE * main.main.count:
        plain = main.plain()
        if len(words(plain)) > len(words(text)):
            text, missing = plain, ""  # it has what was left out of the elements
        if len(words(text)) < LEAST:
            return None
        share = max(share, min(len(words(text)) / max(word_count(main.runs), 1), 1.0))
    return Reading(text=text, share=share, whole=False, missing=missing)


def _most(page: str, base_url: str, _: str = "") -> Reading | None:
    page = _opened(page)
    every = len(words(convert(page, base_url, menus=True)))
    text = convert(page, base_url, forms=False)
    left = len(words(text))
    if left < LEAST or left == every:
        return None
    return Reading(text=text, share=left / every, whole=False)


def _all(page: str, base_url: str, _: str = "") -> Reading | None:
    text = convert(_opened(page), base_url, menus=True)
    return Reading(text=text) if text else None


def _opened(page: str) -> str:
    if not _ARRANGED.search(page):
        return page
    from strap_http.extraction.repeated_blocks import opened

    return opened(page)


READERS: Mapping[str, Callable[[str, str], Reading]] = {
    "main": read_page,
    "page": partial(read_page, whole=True),
    "meta": read_meta,
    "links": read_links,
    "onward": read_way,
}
