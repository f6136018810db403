"""Feeds as Markdown: their entries, newest as they stand."""

import io
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from strap.html_tree import joined
from strap.text import counted
from strap_http.extraction.markdown import convert as markdown

MOST = 1_000
"""Entries that are shown; no feed is read to its end that has more."""
HEAD = 4_096
"""Bytes before the first element that are read: feedparser takes the square of their time."""
_MARKUP = re.compile(rb"<(!--|\?|\0{0,3}\w)")
_ENDS = {b"!--": b"-->", b"?": b"?>"}
"""Comments and instructions are left out: the declaration tells how the bytes once were encoded."""
_BLANKS = re.compile(rb"\s{2,}")


def convert(content: bytes, media_type: str, url: str) -> str:
    """Return the entries of an RSS or Atom feed as Markdown; raises `ValueError` if it is none."""
    import feedparser

    # As a stream: feedparser takes bytes for the name of a file.
    feed = feedparser.parse(
        io.BytesIO(_bounded(content)),
        response_headers={"content-type": media_type, "content-location": url},
        sanitize_html=True,
    )
    if not feed.version or not (feed.entries or feed.feed.get("title")):
        raise ValueError("is not an RSS or Atom feed that can be read")
    entries = [_entry(entry, url) for entry in feed.entries[:MOST]]
    more = len(feed.entries) - len(entries)
    left = counted(more, "more entry", "more entries")
    rest = [f"[{left} in the source: value=raw]"] if more else []
    return "\n\n".join((*_about(feed.feed), *entries, *rest))


def _bounded(content: bytes) -> bytes:
    """Return a feed with little before its first element; raises `ValueError` if there is none."""
    parts, at, endless = list[bytes](), 0, set[bytes]()
    while match := _MARKUP.search(content, at):
        parts.append(content[at : match.start()])
        end = _ENDS.get(match[1])
        if end is None:
            head = _BLANKS.sub(b"\n", b"".join(parts))
            return (head if len(head) <= HEAD else b"") + content[match.start() :]
        after = -1 if end in endless else content.find(end, match.end())
        if after < 0:
            endless.add(end)
        at = match.end() if after < 0 else after + len(end)
    raise ValueError("is not an RSS or Atom feed that can be read")


def _about(feed: Any) -> Iterator[str]:
    yield f"# {_line(_text_of(feed, 'title')) or 'Feed without a title'}"
    if about := _text_of(feed, "subtitle"):
        yield about


def _entry(entry: Any, url: str) -> str:
    title, link = _line(_text_of(entry, "title")) or "Untitled", str(entry.get("link") or "")
    named = [str(anchor.get("href") or "") for anchor in entry.get("links", ())]
    heading = f"## [{title}]({link})" if link in named or _is_page(link) else f"## {title}"
    when = str(entry.get("published") or entry.get("updated") or "")
    facts = ", ".join(dict.fromkeys(filter(None, map(_line, (when, *_authors(entry))))))
    contents = entry.get("content", ())
    enclosed = [str(file.get("href") or "") for file in entry.get("enclosures", ())]
    files = [joined(url, file) for file in enclosed if file]
    files += map(_source, contents)
    texts = (*map(_text, contents), _text_of(entry, "summary"))
    text = next(filter(None, texts), "")
    return "\n\n".join(filter(None, ("\n".join(filter(None, (heading, facts, *files))), text)))


def _source(content: Any) -> str:
    """The address of what stands in place of a text, if something does (RFC 4287, 4.1.3.2)."""
    source, base = str(content.get("src") or ""), str(content.get("base") or "")
    return joined(base, source) if source else ""


def _is_page(link: str) -> bool:
    """Whether it leads to a page: an entry without a link has its id there, as `urn:…`."""
    try:
        return bool(link) and urlsplit(link).scheme in ("", "http", "https")
    except ValueError:
        return False


def _authors(entry: Any) -> Iterator[str]:
    """Their names: what feedparser says in one line mixes those of one with those of others."""
    people = entry.get("authors") or [{"name": entry.get("author")}]
    for person in people:
        yield str(person.get("name") or person.get("email") or "")


def _line(text: str) -> str:
    return " ".join(text.split())


def _text_of(element: Any, name: str) -> str:
    return _text(element.get(f"{name}_detail") or {})


def _text(detail: Any) -> str:
    """A text as Markdown; one that is declared to have no markup has none, whatever it shows."""
    text = str(detail.get("value") or "").strip()
    is_plain = detail.get("type") == "text/plain" or not ("<" in text or "&" in text)
    return text if is_plain else markdown(text, "")
