"""Rules: which field of a row is where, as `price: .price` or `url: a@href`, one a line."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from strap.records import record
from strap.rows.elements import Record, attribute, text_of
from strap.text import short_repr

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

MOST = 50
"""Rules of one call."""
_ATTRIBUTE = re.compile(r"@([\w:-]+)\s*$")
Find = Callable[["HtmlElement"], "Sequence[HtmlElement]"]


class BadRule(ValueError):
    """A rule or a selector that cannot be read; the text is the end of a sentence."""


@record
class Rule:
    """Field `name`: text or `attribute` of the first match of `css`, or of the record itself."""

    name: str
    css: str
    attribute: str
    find: Find

    def value(self, record: "Record", url: str) -> str | None:
        """Return the value in `record`; None where nothing matches."""
        elements = (match for element in record for match in self.find(element))
        element = next(iter(elements), None) if self.css else record[0]
        if element is None:
            return None
        return attribute(element, self.attribute, url) if self.attribute else text_of(element)


def parse_rules(text: str) -> list[Rule]:
    """Return the rules of `text`, one a line; raises `BadRule`."""
    lines = [line.strip() for line in re.split(r"[\n;]", text) if line.strip()]
    if len(lines) > MOST:
        raise BadRule(f"has {len(lines)} rules; at most {MOST} are taken")
    rules = [_rule(line) for line in lines]
    if not rules:
        raise BadRule("has no rule")
    names = [rule.name for rule in rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadRule(f"names {twice!r} twice")
    return rules


def _rule(line: str) -> Rule:
    name, colon, where = line.partition(":")
    name = name.strip().strip("\"'")
    if not colon or not name:
        raise BadRule(f"has a line without a name: {short_repr(line)}")
    match = _ATTRIBUTE.search(where)
    css = (where[: match.start()] if match else where).strip()
    find = compile_css(css) if css else _none
    return Rule(name=name, css=css, attribute=match[1].lower() if match else "", find=find)


def compile_css(css: str) -> Find:
    """Return what finds what a CSS selector matches: the element or in it; raises `BadRule`."""
    import cssselect
    from lxml import etree  # type: ignore[import-untyped]

    try:
        paths = cssselect.HTMLTranslator().css_to_xpath(css, prefix="descendant-or-self::")
        find: Find = etree.XPath(paths)
    except (cssselect.SelectorError, etree.XPathError) as error:
        raise BadRule(f"has {css!r}, which is not a valid CSS selector ({error})") from None
    return find


def _none(_: "HtmlElement") -> "Sequence[HtmlElement]":
    return ()
