"""The answer of a crawl: what was read, what was not and why, how it goes on."""

import asyncio
from collections.abc import Sequence
from functools import partial

from strap import count_tokens
from strap.documents.nearest import nearest_passages
from strap.documents.passages import Passages, matching_passages
from strap.text import counted
from strap_http.document.document_cache import Document
from strap_http.sites.folder import INDEX, Folder
from strap_http.sites.frontier import Crawl

LISTED = 1_200
"""Tokens of a list of pages, unless the call asks for more: an index has all of them."""
OF_A_PAGE = 400
"""Tokens of the passages of a page."""
_AROUND = 150
"""Tokens of passages as `http.fetch` shows them that are not shown here."""
_MOST_REASONS = 6


def head(crawl: Crawl, new: int, folder: Folder | None) -> str:
    """Return the lines that say how many pages there are, where, and what was left out."""
    count = len(crawl.pages)
    pages = counted(count, "page")
    so_far = f", {new:,} of them new" if 0 < new < count else ""
    place = f", in {folder.path} ({INDEX} lists them)" if folder is not None else ""
    more = f"{crawl.known:,} more address{'es are' if crawl.known > 1 else ' is'} known"
    known = f"; {more if crawl.known else 'no more are known'}"
    lines = [f"{pages} of {crawl.scope}{so_far}{place}{known}."]
    if crawl.left_out:
        reasons = crawl.left_out.most_common(_MOST_REASONS)
        lines.append(f"[Left out: {', '.join(f'{why} {count:,}' for why, count in reasons)}]")
    return "\n".join(lines)


def listing(crawl: Crawl, start: int, until: int, max_tokens: int) -> list[str]:
    """Return lines for the pages from `start` on, as many as `max_tokens` have room for."""
    lines: list[str] = []
    pages = crawl.pages[start:until]
    for number, page in enumerate(pages):
        place = page.file or page.url
        line = f"- {page.title}: {place} ({counted(page.characters, 'character')})"
        max_tokens -= count_tokens(line) + 1
        if max_tokens < 0 and lines:
            return [*lines, f"[and {counted(len(pages) - number, 'more page')}]"]
        lines.append(line)
    return lines


async def passages(read: Sequence[Document], text: str, max_tokens: int) -> list[str]:
    """Return the passages of all pages that have `text`; where none has, the nearest."""
    for find in (matching_passages, nearest_passages):
        show = partial(find, text=text, start=0, max_tokens=OF_A_PAGE + _AROUND)
        shown = [(document, await asyncio.to_thread(show, document)) for document in read]
        having = [
            (document, passages_of) for document, passages_of in shown if passages_of is not None
        ]
        if having:
            kind = "with" if find is matching_passages else "with most of the words of"
            return _shown(
                having, f"{len(having):,} of them have passages {kind} {text!r}:", max_tokens
            )
    return [f"None of them has {text!r}."]


def _shown(having: Sequence[tuple[Document, Passages]], top: str, max_tokens: int) -> list[str]:
    lines = [top]
    for number, (document, passages_of) in enumerate(having):
        block = "\n".join((f"\n{document.url}", *map(str, passages_of.passages)))
        max_tokens -= count_tokens(block) + 1
        if max_tokens < 0 and len(lines) > 1:
            return [
                *lines,
                f"\n[and {counted(len(having) - number, 'more page')}: raise max_tokens]",
            ]
        lines.append(block)
    return lines
