"""JSON feeds as Markdown (https://www.jsonfeed.org/version/1.1/)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from strap.html_tree import joined
from strap.text import counted
from strap_http.extraction.markdown import convert as markdown

MOST = 1_000
"""Entries that are shown."""


def convert(content: bytes, _: str, url: str) -> str:
    """Return the entries of a JSON feed as Markdown; raises `ValueError` if it is none."""
    try:
        feed = json.loads(content)
        items = [item for item in feed["items"] if isinstance(item, dict)]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError("is not a JSON feed that can be read") from error
    more = len(items) - MOST
    left = counted(more, "more entry", "more entries")
    rest = [f"[{left} in the source: value=raw]"] if more > 0 else []
    about = (f"# {_line(feed, 'title') or 'Feed without a title'}", _line(feed, "description"))
    entries = [_entry(item, url) for item in items[:MOST]]
    return "\n\n".join(filter(None, (*about, *entries, *rest)))


def _entry(item: Mapping[str, Any], url: str) -> str:
    title, own = _line(item, "title") or "Untitled", _line(item, "id")
    link = _line(item, "url", "external_url") or (own if own.startswith("http") else "")
    link = joined(url, link) if link else ""
    heading = f"## [{title}]({link})" if link else f"## {title}"
    when = _line(item, "date_published", "date_modified")
    facts = ", ".join(filter(None, (when, *_authors(item))))
    html = item.get("content_html")
    text = markdown(html, link or url) if isinstance(html, str) else _text(item)
    return "\n\n".join(filter(None, ("\n".join(filter(None, (heading, facts))), text)))


def _authors(item: Mapping[str, Any]) -> Iterator[str]:
    authors = item.get("authors") or [item.get("author")]
    for author in authors if isinstance(authors, list) else ():
        if isinstance(author, dict):
            yield _line(author, "name")


def _text(item: Mapping[str, Any]) -> str:
    texts = (item.get("content_text"), item.get("summary"))
    return next((text.strip() for text in texts if isinstance(text, str)), "")


def _line(data: Mapping[str, Any], *names: str) -> str:
    values = (data.get(name) for name in names)
    return next((" ".join(value.split()) for value in values if isinstance(value, str)), "")
