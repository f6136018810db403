"""Parts of a Word document that are HTML, as programs write it that make one of a page."""

from collections.abc import Iterator
from email import message_from_bytes
from itertools import islice

from strap.documents.charset import decode
from strap_http.extraction.files.parts import Parts
from strap_http.extraction.markdown import convert as markdown

MOST = 1_000
"""Parts that are read."""
_PAGES, _MESSAGES = (".htm", ".html", ".xhtml"), (".mht", ".mhtml")


def chunks(parts: Parts, main: str) -> Iterator[str]:
    """Yield the Markdown of what `main` imports (`<w:altChunk>`: ECMA-376, part 1, 17.17.2.1)."""
    for name in islice(parts.related(main, "/aFChunk"), MOST):
        kind = name.lower()
        if kind.endswith(_PAGES):
            yield markdown(decode(parts.raw(name), "", markup=True), "")
        elif kind.endswith(_MESSAGES):
            yield markdown(_page(parts.raw(name)), "")


def _page(message: bytes) -> str:
    """The page in a web archive (RFC 2557); empty if there is none that can be read."""
    try:
        parts = message_from_bytes(message).walk()
        page = next((part for part in parts if part.get_content_type() == "text/html"), None)
        content = page.get_payload(decode=True) if page is not None else b""
        kind = str(page.get("content-type", "")) if page is not None else ""
    except (RecursionError, LookupError, ValueError):
        return ""
    return decode(content, kind, markup=True) if isinstance(content, bytes) else ""
