"""Alternates in Markdown that a page names: of itself, or an index of its site."""

import html
import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin, urlsplit

from strap import record
from strap.documents.media_types import kind_of
from strap_http.message.response import Response

MARKDOWN = ("text/markdown", "text/x-markdown")
_HEAD = 200_000
"""Bytes of a page that its links are looked for in: styles may stand before them."""
# Bounded repetitions: a hostile page must not make the search quadratic.
_ELEMENT = re.compile(rb"<link\b([^<>]{1,2000})>", re.IGNORECASE)
_FIELD = re.compile(r"<([^<>]{1,2000})>([^<>]{0,2000})")  # RFC 8288 3
_ATTRIBUTE = re.compile(r"([a-zA-Z]{1,20})\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"';,>]+))")
_INDEX = "/llms.txt"
"""Path of a site's index in Markdown (https://llmstxt.org)."""


@record
class Alternates:
    """URLs: `markdown` of the page itself, `index` of the site; empty where none is named."""

    markdown: str = ""
    index: str = ""


def alternates(response: Response) -> Alternates:
    """Return what a page names in its head or its Link field, as far as it is of its own origin."""
    kind, _ = kind_of(response.media_type, response.body)
    if response.status != 200 or kind != "html":
        return Alternates()
    markdown = index = ""
    for attributes in _links(response):
        url = _absolute(response.url, attributes.get("href", ""))
        if urlsplit(url).path.endswith(_INDEX):
            index = index or url
        elif url != urldefrag(response.url)[0] and _is_same_page(attributes):
            markdown = markdown or url
    return Alternates(markdown=markdown, index=index)


def is_markdown(response: Response) -> bool:
    """Whether what came for an alternate can be taken for it."""
    kind, _ = kind_of("", response.body)  # by its bytes: a page under this name is none
    named = (*MARKDOWN, "text/plain")
    is_named = response.media_type in named and bool(response.body.strip())
    return response.status == 200 and kind == "text" and is_named


def _is_same_page(attributes: dict[str, str]) -> bool:
    is_alternate = "alternate" in attributes.get("rel", "").lower().split()
    media_type = attributes.get("type", "").partition(";")[0].strip().lower()
    return is_alternate and media_type in MARKDOWN and "hreflang" not in attributes


def _links(response: Response) -> Iterator[dict[str, str]]:
    for field in response.headers.get_list("link"):
        for url, rest in _FIELD.findall(field):
            yield {**_attributes(rest), "href": url}
    for element in _ELEMENT.findall(response.body[:_HEAD]):
        yield _attributes(html.unescape(element.decode("utf-8", "replace")))


def _attributes(source: str) -> dict[str, str]:
    return {name.lower(): "".join(value) for name, *value in _ATTRIBUTE.findall(source)}


def _absolute(base_url: str, address: str) -> str:
    """The URL without a fragment; empty if it is of another origin, or none at all."""
    try:
        url = urldefrag(urljoin(base_url, address.strip()))[0]
        is_own = urlsplit(url)[:2] == urlsplit(base_url)[:2]
    except ValueError:
        return ""
    return url if address and is_own else ""
