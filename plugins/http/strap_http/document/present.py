"""From a response to the document that is shown: what it is, and its text."""

import asyncio
import html
import re
from dataclasses import replace
from typing import Literal

from strap import Workers
from strap.documents.charset import guessed
from strap.documents.conversion import CUT
from strap.documents.converting import Readers
from strap.documents.media_types import Kind, kind_of, self_closed, text_of, visible
from strap.html_tree import joined
from strap_http.document import answer
from strap_http.document.document_cache import Document
from strap_http.document.render import read, render
from strap_http.extraction import EXTRACT
from strap_http.extraction.facts.links import text_links
from strap_http.extraction.files.pdf import NO_TEXT
from strap_http.extraction.slimming import MAX_HTML
from strap_http.message.response import Response

View = Literal["page", "raw", "meta", "links", "rendered"]
"""All, source, metadata or links of a page, or the main part that a browser drew."""
_NOTHING = {
    "meta": "The page says nothing of itself: neither title, meta, OpenGraph nor JSON-LD.",
    "links": "No links.",
}
_GUESSED = "No charset is declared; read by a guess as "
_LITTLE = 2 / 3
"""Share of the words of a page below which its main part is said to be only that."""
_EMPTY = "The page has no text; scripts may build it: try resource=browser, or value=rendered."
_DRAWN_EMPTY = "A browser shows no text there: screenshot of resource=browser has what there is."
_CUT_DRAWN = f"Only the first {MAX_HTML:,} characters of the HTML are rendered."
_CUT = f"{_CUT_DRAWN} value=raw has all of it."
_LOOK = " Look at it with resource=browser: navigate there, then screenshot."
_SHELL = "Hardly any text, and scripts: value=rendered has what a browser shows of it."
_MOUNT = re.compile(r"<([a-z][a-z-]{1,30})\b[^<>]{0,200}\bid=[^<>]{1,200}>\s{0,99}</\1>")
_HEAD = 200_000
"""Characters of the HTML that are looked at for that."""
_META = re.compile(r"<meta\b(?=[^<>]{0,500}\brefresh\b)[^<>]{0,2000}>", re.IGNORECASE)
_APART = re.compile(
    r"<!--(?:.*?-->|.*)|<(script|noscript|template)\b(?:.*?</\1|.*)", re.IGNORECASE | re.DOTALL
)
"""Comments, scripts, and elements that browsers ignore when they run scripts."""
_REFRESH = re.compile(
    r"\bcontent\s*=\s*[\"']?\s*\d[\d.]{0,9}\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"'<>\s]{1,2000})",
    re.IGNORECASE,
)
_LOCATION = re.compile(
    r"<script\b[^<>]{0,500}>\s*(?:(?:window|document|self|top)\.)?location"
    r"(?:\.href)?\s*(?:=|\.(?:replace|assign)\()\s*[\"']([^\"'<>\s]{1,2000})[\"']",
    re.IGNORECASE,
)
_STUB = 4_000
"""Characters of a page that may do nothing but lead on by a script."""
_HARDLY = 400
"""Characters up to which a page with scripts may be the shell of one that they draw."""


async def present(
    method: str, response: Response, readers: Readers, view: View | None = None
) -> Document:
    """Return what came back for a request of `method` as it is shown."""
    if not response.body:
        fields = answer.fields(response) if method in ("HEAD", "OPTIONS") else ""
        return described(response, response.media_type, fields)
    kind, media_type = kind_of(response.media_type, response.body)
    if kind == "binary":
        return await _shown(response, kind, media_type, "", readers, view)
    content_type = response.headers.get("content-type", "")
    source, charset = await asyncio.to_thread(_decoded, kind, response.body, content_type)
    document = await _shown(response, kind, media_type, source, readers, view)
    return replace(document, head=f"{document.head}\n{_GUESSED}{charset}.") if charset else document


def _decoded(kind: Kind, body: bytes, content_type: str) -> tuple[str, str]:
    """Return the text of a body, and its charset if that is a guess."""
    charset = guessed(body, content_type, markup=kind != "json")
    return text_of(kind, body, content_type), charset


async def _shown(
    response: Response,
    kind: Kind,
    media_type: str,
    source: str,
    readers: Readers,
    view: View | None,
) -> Document:
    if kind != "html":
        text, note = await _file(response, media_type, source, readers, view)
        return await _of_text(response, media_type, text, view, note)
    if view == "raw":
        return described(response, media_type, source)
    source = await asyncio.to_thread(self_closed, source, media_type)
    if view == "meta" or view == "links":
        return await _list(response, media_type, source, readers.workers, view)
    return await _page(response, media_type, source, readers.workers, view)


async def _file(
    response: Response, media_type: str, source: str, readers: Readers, view: View | None
) -> tuple[str, str]:
    """The text of a file: converted, as it is, or a description; then a note on a wrong type."""
    if source and view == "raw":
        return source, ""
    name = answer.file_name(response)
    text, why = await readers.read(response.body, name, media_type, source, response.url)
    saved = f"output={visible(name or 'download')!r}"
    if not text:
        look = _LOOK if media_type == "application/pdf" and NO_TEXT in why else ""
        return f"{why}{look} Save it with {saved}.", ""
    if text.endswith(CUT):
        text = f"{text[:-1]} All of it is in the file: {saved}.]"
    return text, f"{why} This is its source." if why else ""


async def _list(
    response: Response, media_type: str, source: str, workers: Workers, view: str
) -> Document:
    reading = await read(view, source, response.url, workers)
    if reading is None:
        note = f"Reading this page for value={view} takes too long; value=page shows all of it."
        return described(response, media_type, note)
    text = visible(reading.text) or _NOTHING[view]
    return described(response, media_type, text, _CUT if reading.cut else "")


async def _of_text(
    response: Response, media_type: str, text: str, view: View | None, note: str
) -> Document:
    if view == "links":
        links = await asyncio.to_thread(text_links, text, response.url)
        return described(response, media_type, links or _NOTHING[view])
    if view == "meta":
        text = "Only pages in HTML say what they are; read it without value."
    return described(response, media_type, text, note)


async def _page(
    response: Response, media_type: str, source: str, workers: Workers, view: View | None
) -> Document:
    is_drawn = view == "rendered"
    whole = view == "page"
    reading = await render(source, response.url, workers, whole=whole, drawn=is_drawn)
    text = visible(reading.text) or (_DRAWN_EMPTY if is_drawn else _EMPTY)
    if reading.cut:
        text += f"\n\n[{_CUT_DRAWN if is_drawn else _CUT}]"
    note = ""
    if reading.text and not is_drawn and is_shell(source, text):
        note = _SHELL
    elif not reading.whole and (reading.share < _LITTLE or reading.missing):
        way = "text of resource=browser" if is_drawn else "value=page"
        missing = f"left out: {reading.missing}; " if reading.missing else ""
        note = f"Main part, {reading.share:.0%} of the words; {missing}{way} shows the whole page."
    elif view is None and EXTRACT.missing:
        note = f"The whole page, simply. Main parts need the extra 'extract': {EXTRACT.install}"
    onward = leads_on(source, response.url)
    return described(response, media_type, text, onward, note, partial=not reading.whole)


def leads_on(source: str, url: str) -> str:
    """Return where a page sends its reader on by `meta` or, as a stub, by a script."""
    head = source[:_HEAD]
    for tag in _META.finditer(_APART.sub("", head)):
        match = _REFRESH.search(tag[0])
        target = joined(url, html.unescape(match[1])) if match else url
        if target != url and "http-equiv" in tag[0].lower():
            return f"The page leads on to {visible(target)}"
    script = _LOCATION.search(head) if len(source) <= _STUB else None
    return f"A script leads on to {visible(joined(url, script[1]))}" if script else ""


def is_shell(source: str, text: str) -> bool:
    """Whether scripts may draw this page: hardly any text, and an empty mount or a noscript."""
    if len(text) > _HARDLY:
        return False
    head = source[:_HEAD].lower()
    return "<script" in head and ("<noscript" in head or _MOUNT.search(head) is not None)


def described(
    response: Response, media_type: str, text: str, *notes: str, partial: bool = False
) -> Document:
    """Return a document of `text` under the lines that say what the response is."""
    lines = [answer.head(response, media_type), *filter(None, notes)]
    if not response.complete:
        lines.append("Incomplete: the stream was left at the time or size limit.")
    return Document(
        head="\n".join(lines),
        text=text,
        status=response.status,
        url=response.url,
        media_type=media_type,
        size=len(response.body),
        partial=partial,
    )
