"""Elements of a page: what a reader sees of them, and where their addresses lead."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from strap import html_tree
from strap.html_tree import base_of, joined

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

Record = tuple["HtmlElement", ...]
"""One element, or several one after the other."""
Row = dict[str, str]
_UNSEEN = ("script", "style", "template", "noscript", "svg", "head")
_HIDDEN = (
    "//*[@hidden or contains(translate(@style, ' ', ''), 'display:none')"
    " or (self::input and @type = 'hidden')]"
)
# Elements that are lines or boxes of their own: between them and their neighbours is a space.
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div"),
        *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3"),
        *("h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option", "p", "pre"),
        *("section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    )
)
ROOTS = frozenset(("html", "body", "head"))
ADDRESSES = frozenset(("href", "src", "action", "data-src"))
"""Attributes whose values are made absolute."""


def parse(page: str, url: str, *, hidden: bool = False) -> "tuple[HtmlElement, str] | None":
    """Return root and base address without what nobody sees, unless `hidden`; None: no page."""
    from lxml import etree  # type: ignore[import-untyped]

    root = html_tree.parse(page)
    if root is None:
        return None
    base = base_of(root, url)
    etree.strip_elements(root, *_UNSEEN, etree.Comment, with_tail=False)
    etree.strip_tags(root, etree.ProcessingInstruction)
    for element in () if hidden else root.xpath(_HIDDEN):
        if element.getparent() is not None:
            element.drop_tree()
    return root, base


def text_of(element: "HtmlElement") -> str:
    """Return the text of an element in one line."""
    text = "".join(_pieces(element)) if len(element) else element.text or ""
    return " ".join(text.split())


def has_text(element: "HtmlElement") -> bool:
    """Return whether an element or one within has text."""
    return any(text.strip() for text in element.itertext())


def _pieces(element: "HtmlElement") -> Iterator[str]:
    from lxml import etree

    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag in _BLOCKS:
            yield " "
        if event == "start":
            yield node.text or ""
        elif node is not element:
            yield node.tail or ""


def own_text(element: "HtmlElement") -> str:
    """Return the text that stands in the element itself, not in one within."""
    parts = (element.text or "", *(child.tail or "" for child in element))
    return " ".join(" ".join(parts).split())


def attribute(element: "HtmlElement", name: str, url: str) -> str | None:
    """Return the value of an attribute, an address as absolute; None where it is not given."""
    value = element.get(name)
    if value is None:
        return None
    return joined(url, value) if name in ADDRESSES else " ".join(value.split())


def numbered(steps: Iterable[str], most: Mapping[str, int] | None = None) -> list[str]:
    """Return what tells the parts of a record apart that are of one kind: by how many went before.

    Where there are `most` of a kind, the further ones stand with the last.

    >>> numbered(["h3", "p", "a", "p", "p"], {"p": 2})
    ['h3', 'p', 'a', 'p1', 'p1']
    """
    seen: Counter[str] = Counter()
    numbers = []
    for step in steps:
        number = seen[step] if most is None else min(seen[step], most.get(step, 1) - 1)
        numbers.append(f"{step}{number or ''}")
        seen[step] += 1
    return numbers


def tokens(element: "HtmlElement") -> list[str]:
    """Return the classes of an element."""
    return (element.get("class") or "").split()
