"""Shared parts of HTML reports: one page without script that fetches nothing, pictures inside."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
TAIL = "\n</main></body></html>\n"


def head(title: str) -> str:
    """Return the beginning of a page, which `TAIL` ends."""
    style = (files("strap.evidence") / "report.css").read_text("utf-8")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<style>\n{style}</style></head>\n'
        "<body><main>\n"
    )


def figure(data: bytes, kind: str, label: str, caption: str, marks: str = "") -> str:
    """Return a picture of a page, with `marks` in HTML on it."""
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    return (
        f'<figure><div class="seen"><img alt="{escape(label)}" src="{source}">{marks}'
        f"</div><figcaption>{escape(caption)}</figcaption></figure>"
    )


def table(
    label: str, columns: Sequence[str], rows: Iterable[tuple[bool, Sequence[str]]], *, is_open: bool
) -> Iterator[str]:
    """Yield a table that unfolds; a row that is true has an error."""
    yield f"<details{' open' if is_open else ''}><summary>{escape(label)}</summary>"
    heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
    yield f'<div class="wide"><table><tr>{heads}</tr>'
    for is_bad, cells in rows:
        shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        kind = ' class="error"' if is_bad else ""
        yield f"<tr{kind}>{shown}</tr>"
    yield "</table></div></details>"


def link(url: str) -> str:
    """Return a link where the address is one of the web, else plain text."""
    shown = escape(url)
    if not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{shown}" rel="noreferrer noopener">{shown}</a>'
