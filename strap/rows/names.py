"""Names of columns: by label or header, by the page's own name for it, else by kind."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from strap.rows.elements import tokens

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

LONGEST = 40
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_MONEY = re.compile(r"[$€£¥₹₩]\s?\d|\d\s?(?:€|£|¥|zł|kr\b|USD\b|EUR\b|GBP\b|CHF\b)")
_WORD = re.compile(r"[a-z]{3,}")
# Classes that say how something looks, not what it is.
_LOOKS = re.compile(
    r"^(?:active|bg|block|bold|body|border|btn|button|cell|clear|clearfix|col|color|column|content|"
    r"container|css|d|display|even|first|flex|float|font|grid|hidden|inline|inner|is|item|items|"
    r"js|large|last|lead|left|line|list|m|margin|mb|medium|ml|mr|mt|mx|my|odd|outer|p|padding|pb|"
    r"pl|pr|pt|pull|px|py|right|row|sc|small|sm|span|style|text|tw|truncate|u|visually|w|wrap|"
    r"wrapper|xs)(?:[-_].*)?$"
)


def name_of(element: "HtmlElement", kind: str, label: str, values: Sequence[str]) -> str:
    """Return a name of small letters, digits and underscores."""
    if label and (name := worded(label)):
        return name
    if kind == "image" or kind == "alt":
        return kind
    own = _semantic(element)
    if kind == "url":
        return f"{own}_url" if own and not own.endswith("url") else own or "url"
    return own or _by_tag(element) or _by_values(values)


def worded(text: str) -> str:
    """Return `text` as a name; empty where it has no letters or digits."""
    return re.sub(r"\W+", "_", text.casefold()).strip("_")[:LONGEST].strip("_")


def _semantic(element: "HtmlElement") -> str:
    """The name that the page gives: `itemprop`, a header, or a class that is a word."""
    for owner in (element, *list(element.iterancestors())[:1]):
        if owner.get("itemprop"):
            return worded(owner.get("itemprop"))
        for token in tokens(owner):
            name = _of_class(token)
            if name:
                return name
    return ""


def _of_class(token: str) -> str:
    """`card__price` and `product-price` are a price; hashes and looks are nothing."""
    token = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", token).lower()
    token = token.split("__", 1)[-1] if "__" in token else token
    if any(map(str.isdigit, token)) or _LOOKS.match(token) or not _WORD.search(token):
        return ""
    return worded(token)


def _by_tag(element: "HtmlElement") -> str:
    if element.tag == "time":
        return "date"
    around = (element, *list(element.iterancestors())[:2])
    if any(neighbour.tag in _HEADINGS for neighbour in around):
        return "title"
    return "title" if element.tag == "a" else ""


def _by_values(values: Sequence[str]) -> str:
    money = sum(bool(_MONEY.search(value)) and len(value) <= LONGEST for value in values)
    return "price" if money > len(values) / 2 else "text"
