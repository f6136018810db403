"""Rows out of a page, in a worker."""

from dataclasses import replace

from strap.rows.extraction import Extracted, extract
from strap_http.extraction.slimming import MAX_HTML, is_tangled, slim


def read(content: bytes, *, url: str, **asked: object) -> Extracted:
    """Return the rows of a page as `strap.rows.extraction.extract` does, of its readable part."""
    page = slim(content.decode("utf-8", "replace"))
    cut, page = len(page) > MAX_HTML, page[:MAX_HTML]
    if is_tangled(page):
        return Extracted(about="records", problem="The page's tags cannot be read in time.")
    found = extract(page.encode(), url=url, **asked)  # type: ignore[arg-type]
    return replace(found, cut=True) if cut else found
