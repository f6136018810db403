"""Hidden parts of a page: details that scripts show on an occasion, or the page itself."""

import re
from collections import Counter

from lxml import etree  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap_http.extraction.shingles import words
from strap_http.extraction.text_blocks import parts

_MUCH = 300  # characters in a hidden element: scripts will show it, so it may be the page itself
_SENTENCE = 8
"""Words from which a text is no sign, and no name of a button."""
_HOLDERS = ("noscript", "template", "svg")
_HIDING = ("hidden", "aria-hidden", "style")
# By the attributes, which few elements have: that takes a third of the time.
_HIDDEN = etree.XPath(
    './/@hidden/.. | .//@style[contains(translate(., " ", ""), "display:none")]/..'
)
_UNREAD = etree.XPath('.//@aria-hidden[. = "true"]/..')
_OPENED = frozenset(("alertdialog", "dialog", "listbox", "menu", "menubar", "tooltip"))
"""Roles of what is not seen until it is asked for, and stands before the page then."""
_UNSEEN = re.compile(
    r"(?:\A|[;\s])(?:visibility\s*:\s*hidden|clip|(?:opacity|font-size|(?:max-)?(?:height|width))\s*:"
    r"\s*0(?![.\d]*[1-9])|(?:left|top|right|bottom|text-indent)\s*:\s*-\d{3})",
    re.IGNORECASE,
)
"""Inline style of an element that nobody sees."""
_OFF = re.compile(
    r"(?:\A|[;\s])(?:clip\s*:\s*rect\(\s*[01](?:px)?[\s,]|clip-path\s*:\s*inset\((?:50|100)%"
    r"|(?:left|top|right|bottom|text-indent)\s*:\s*-(?:9\d{3}|\d{5}))",
    re.IGNORECASE,
)
"""The same of what is never seen: others are shown by scripts, as what fades in."""
_STYLED = etree.XPath(
    './/@style[contains(., "clip") or contains(., ":-") or contains(., ": -")]/..'
)
_CALLED_SO = etree.XPath('.//@class[contains(., "hid") or contains(., "d-none")]/..')
_NAMES = frozenset(("d-none", "hidden", "hide", "is-hidden"))
"""Classes by which frameworks hide what has them."""
_SHOWING = frozenset(("block", "flex", "grid", "inline", "show", "table", "visible"))
"""Parts of class names that show it again, on screens of some width."""
_MARKED = etree.XPath("descendant-or-self::*[@hidden or @aria-hidden or @style]")


def drop_hidden(body: HtmlElement) -> None:
    """Remove what is hidden, unless it is too much to be a detail."""
    kinds: dict[HtmlElement, Counter[str]] = {}
    called_so = (element for element in _CALLED_SO(body) if _is_called_hidden(element, kinds))
    unread = (element for element in _UNREAD(body) if not _is_passage(element))
    off = (element for element in _STYLED(body) if _OFF.search(element.get("style")))
    for element in [*body.iter(*_HOLDERS), *_HIDDEN(body), *unread, *called_so, *off]:
        is_within = element is not body and element.getparent() is not None
        if is_within and len(element.text_content()) <= _MUCH:
            element.drop_tree()


def show_words(body: HtmlElement) -> None:
    """Make the words of a sentence that are in buttons part of it, as terms with an explanation."""
    for button in [*body.iter("button")]:
        before = button.getprevious()
        text_before = button.getparent().text if before is None else before.tail
        if words(text_before or "") and words(button.tail or ""):
            button.drop_tag()


def show_hidden(body: HtmlElement) -> None:
    """Show the hidden elements that were kept, as they are the page itself."""
    for element in body.iter(*_HOLDERS):
        element.tag = "div"
    for element in _MARKED(body):
        for name in _HIDING:
            element.attrib.pop(name, None)


def _is_passage(element: HtmlElement) -> bool:
    """Whether it is a text that only screen readers skip: a folded panel, a second link."""
    if element.get("role") in _OPENED or _UNSEEN.search(element.get("style") or ""):
        return False
    return len(words(element.text_content())) >= _SENTENCE


def _is_called_hidden(element: HtmlElement, kinds: dict[HtmlElement, Counter[str]]) -> bool:
    """Whether its class hides it everywhere, and it is not one of several shown in turn."""
    tokens = set(element.get("class").split())
    others = tokens - _NAMES
    around = element.getparent()
    if others == tokens or around is None or any(":" in token for token in others):
        return False
    if not _SHOWING.isdisjoint(parts(" ".join(others))):
        return False
    if around not in kinds:
        kinds[around] = Counter(
            token for child in around for token in set((child.get("class") or "").split())
        )
    return all(kinds[around][token] == 1 for token in others)
