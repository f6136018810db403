"""Metadata of a page: title, author, dates, OpenGraph, JSON-LD, microdata; no guesses."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

from strap.html_tree import base_of, joined, parse
from strap_http.extraction.facts.linked_data import LinkedData

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

# Where each fact is looked for, best first: names of `meta` (https://ogp.me, Dublin Core, Highwire
# Press), `ld:` of JSON-LD, `md:` of microdata (https://schema.org), `html:` of the document itself.
_SOURCES = {
    "title": (
        *("og:title", "ld:headline", "citation_title", "dc.title", "md:headline", "html:title"),
    ),
    "author": (
        *("ld:author", "author", "citation_author", "dc.creator", "parsely-author"),
        *("md:author", "article:author"),
    ),
    "published": (
        *("article:published_time", "ld:datePublished", "citation_publication_date", "dc.date"),
        *("datepublished", "pubdate", "date", "md:datePublished"),
    ),
    "modified": (
        *("article:modified_time", "ld:dateModified", "og:updated_time", "datemodified"),
        "md:dateModified",
    ),
    "site": ("og:site_name", "application-name", "ld:publisher"),
    "canonical": ("html:canonical", "og:url"),
    "language": ("html:lang", "content-language", "og:locale", "ld:inLanguage"),
    "description": ("description", "og:description", "ld:description", "dc.description"),
    "picture": ("og:image", "og:image:url", "twitter:image", "html:image_src"),
    "feed": ("html:feed",),
    "Markdown": ("html:markdown",),
}
_DESCRIPTIONS = ("description", "og:description")
_LINKED = ("headline", "author", "datePublished", "dateModified", "publisher", "inLanguage",
           "description")  # fmt: skip
_SEVERAL = ("author", "feed", "Markdown")
_ADDRESSES = ("canonical", "picture", "feed", "Markdown")
_PEOPLE = ("author",)
_DATES = ("published", "modified")
_SECONDS = re.compile(r"\A(1[0-8]\d{8})(?:\d{3})?\Z", re.ASCII)
"""Those since 1970, or thousandths, up to 2030; what begins with 19 or 20 is a date in digits."""
_OPEN_GRAPH = ("og:", "article:", "book:", "product:", "profile:", "video:", "music:")
_ALTERNATES = {
    "application/rss+xml": "html:feed",
    "application/atom+xml": "html:feed",
    "application/feed+json": "html:feed",
    "text/markdown": "html:markdown",
}

Metadata = dict[str, list[str]]


def read_metadata(page: str, base_url: str) -> str:
    """Return facts of `page` a line each, then OpenGraph, JSON-LD and microdata; "" if none."""
    root = parse(page)
    if root is None:
        return ""
    base = base_of(root, base_url)
    data = LinkedData(root, base)
    stated = _stated(root, data)
    facts = dict(_facts(stated, base))
    lines = [f"{name}: {'; '.join(values)}" for name, values in facts.items()]
    shown = {value for values in facts.values() for value in values}
    graph = [
        f"{name}: {value}"
        for name in filter(lambda name: name.startswith(_OPEN_GRAPH), stated)
        for value in stated[name]
        if not {value, joined(base, value)} & shown
    ]
    graph = ["\n".join(("OpenGraph", *graph))] if graph else []
    return "\n\n".join(filter(None, ("\n".join(lines), *graph, *data.sections())))


def description_of(root: "HtmlElement") -> str:
    """How a page describes itself in its head, empty if it does not."""
    descriptions = (value for name, value in _meta(root) if name in _DESCRIPTIONS)
    return next(filter(None, map(str.strip, descriptions)), "")


def _facts(stated: Metadata, base_url: str) -> Iterator[tuple[str, list[str]]]:
    for fact, sources in _SOURCES.items():
        candidates = (stated[source] for source in sources if source in stated)
        if fact in _PEOPLE:  # the address of a profile is no name
            candidates = (
                [value for value in values if "://" not in value] for values in candidates
            )
        values = next(filter(None, candidates), [])
        values = values if fact in _SEVERAL else values[:1]
        if fact in _ADDRESSES:
            values = [joined(base_url, value) for value in values]
        elif fact in _DATES:
            values = [_SECONDS.sub(_date, value) for value in values]
        if values:
            yield fact, list(dict.fromkeys(values))


def _date(seconds: "re.Match[str]") -> str:
    return datetime.fromtimestamp(int(seconds[1]), UTC).isoformat()


def _stated(root: "HtmlElement", data: LinkedData) -> Metadata:
    stated: Metadata = {}
    for source, value in (*_meta(root), *_document(root)):
        if squeezed := " ".join(value.split()):
            stated.setdefault(source, []).append(squeezed)
    for source, name in product(data.subjects, _LINKED):
        if values := [" ".join(value.split()) for value in data.values(source, name)]:
            stated[f"{source}:{name}"] = values
    return stated


def _meta(root: "HtmlElement") -> Iterator[tuple[str, str]]:
    for element in root.iter("meta"):
        names = (element.get(key) for key in ("property", "name", "http-equiv"))
        name = next(filter(None, names), "") or _own_property(element)
        name = name.strip().lower()
        yield name, element.get("content") or ""


def _own_property(element: "HtmlElement") -> str:
    """Its property of the page, not of one of several things on it."""
    above = (
        iterancestor
        for iterancestor in element.iterancestors()
        if iterancestor.get("itemscope") is not None
    )
    is_own = next(above, element).tag in ("html", "body", "meta")
    return (element.get("itemprop") or "") if is_own else ""


def _document(root: "HtmlElement") -> Iterator[tuple[str, str]]:
    yield "html:lang", root.get("lang") or ""
    yield "html:title", root.findtext(".//title") or ""
    for element in root.iter("link"):
        rel, address = (element.get("rel") or "").lower().split(), element.get("href") or ""
        yield from ((f"html:{name}", address) for name in ("canonical", "image_src") if name in rel)
        media_type = (element.get("type") or "").lower().strip()
        if "alternate" in rel and media_type in _ALTERNATES:
            yield _ALTERNATES[media_type], address
