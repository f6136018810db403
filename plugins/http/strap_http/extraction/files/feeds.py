"""Feeds as Markdown: their entries, newest as they stand."""

import io
import re
from collections.abc import Iterator
from typing import Any

from strap_http.extraction.markdown import convert as markdown

MOST = 1_000
"""Entries that are shown; no feed is read to its end that has more."""
HEAD = 4_096
"""Bytes before the first element that are read, if there are no more: feedparser needs the square
of their time."""
_MARKUP = re.compile(rb"<(!--|\?|\0{0,3}\w)")
_ENDS = {b"!--": b"-->", b"?": b"?>"}
"""Comments and instructions are left out: the declaration tells how the bytes once were encoded."""
_BLANKS = re.compile(rb"\s{2,}")


def convert(content: bytes, media_type: str) -> str:
    """Return the entries of an RSS or Atom feed: title, address, date, author, text.

    Raises `ValueError` if it is none.
    """
    import feedparser

    # As a stream: feedparser takes bytes for the name of a file.
    feed = feedparser.parse(
        io.BytesIO(_bounded(content)),
        response_headers={"content-type": media_type},
        sanitize_html=True,
    )
    if not feed.version or not (feed.entries or feed.feed.get("title")):
        raise ValueError("is no RSS or Atom feed that can be read")
    entries = [_entry(entry) for entry in feed.entries[:MOST]]
    more = len(feed.entries) - len(entries)
    rest = [f"[{more:,} more entries in the source: value=raw]"] if more else []
    return "\n\n".join((*_about(feed.feed), *entries, *rest))


def _bounded(content: bytes) -> bytes:
    """Return a feed with little before its first element; raises `ValueError` if there is none."""
    parts, at, endless = list[bytes](), 0, set[bytes]()
    while found := _MARKUP.search(content, at):
        parts.append(content[at : found.start()])
        end = _ENDS.get(found[1])
        if end is None:
            head = _BLANKS.sub(b"\n", b"".join(parts))
            return (head if len(head) <= HEAD else b"") + content[found.start() :]
        after = -1 if end in endless else content.find(end, found.end())
        if after < 0:
            endless.add(end)
        at = found.end() if after < 0 else after + len(end)
    raise ValueError("is no RSS or Atom feed that can be read")


def _about(feed: Any) -> Iterator[str]:
    yield f"# {_line(feed.get('title')) or 'Feed without a title'}"
    if about := _text(feed.get("subtitle")):
        yield about


def _entry(entry: Any) -> str:
    title, link = _line(entry.get("title")) or "Untitled", str(entry.get("link") or "")
    heading = f"## [{title}]({link})" if link else f"## {title}"
    when = entry.get("published") or entry.get("updated")
    facts = ", ".join(filter(None, (_line(when), _line(entry.get("author")))))
    files = (str(file.get("href") or "") for file in entry.get("enclosures", ()))
    contents = (part.get("value") for part in entry.get("content", ()))
    text = _text(next(filter(None, contents), None) or entry.get("summary"))
    return "\n\n".join(filter(None, ("\n".join(filter(None, (heading, facts, *files))), text)))


def _line(value: Any) -> str:
    """A value in one line, without markup."""
    return " ".join(_text(value).split())


def _text(value: Any) -> str:
    text = str(value or "")
    return markdown(text, "") if "<" in text or "&" in text else text.strip()
