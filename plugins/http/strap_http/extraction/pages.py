"""Reading a page: its main part as Markdown, or all of it."""

from dataclasses import dataclass

from strap_http.extraction.markdown import bare, convert, title_of, titled
from strap_http.extraction.shingles import words
from strap_http.extraction.slimming import MAX_HTML, is_tangled, slim, with_body

LONG = 400_000
"""Characters of HTML beyond which a page is not searched for its main part: it is text for the
most part, and searching would take seconds."""
_SURE = 0.6
"""Share of the words of the main text that the Markdown must have, else it is the text itself."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What was read of a page: `text` is Markdown.

    `share` is the part of the words of the page that it has, 0 to 1; `whole` tells that no main
    part was found or looked for, `cut` that the page is longer than what was read.
    """

    text: str
    share: float = 1.0
    whole: bool = True
    cut: bool = False


def read_page(page: str, base_url: str, *, whole: bool = False) -> Reading:
    """Return the main part of `page` under its title, or, with `whole`, everything in it."""
    page = slim(page)
    cut, page = len(page) > MAX_HTML, page[:MAX_HTML]
    title, tangled = title_of(page), is_tangled(page)
    if not whole and not tangled:
        from strap_http.extraction import mainpart

        find = mainpart.of_article if len(page) <= LONG else mainpart.of_book
        found = find(with_body(page), title)
        if found is not None:
            text = convert(found.html, base_url)
            if found.main is not None and len(words(text)) < _SURE * found.main.count:
                text = found.main.text
            return Reading(text=titled(text, title), share=found.share, whole=False, cut=cut)
    text = ("" if tangled else convert(page, base_url)) or bare(page)
    return Reading(text=titled(text, title), cut=cut)
