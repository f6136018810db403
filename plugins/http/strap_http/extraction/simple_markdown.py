"""HTML to simple Markdown without the extra `extract`; no recursion: pages nest deeply."""

import re

from lxml import etree  # type: ignore[import-untyped]
from lxml.html import HtmlElement  # type: ignore[import-untyped]

from strap.html_tree import base_of, escaped, joined, parse

_UNSHOWN = frozenset(("head", "script", "style", "template", "noscript", "svg", "iframe"))
_MENUS = frozenset(("nav", "aside"))
_BLOCKS = frozenset(
    (
        *("address", "article", "blockquote", "dd", "details", "div", "dl", "dt", "fieldset"),
        *("figure", "footer", "form", "header", "li", "main", "ol", "p", "pre", "section"),
        *("summary", "table", "tbody", "thead", "tr", "ul"),
    )
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}
_LISTS = ("ul", "ol")
_BLANKS = re.compile(r"\s+")
_INDENT = "  "
_DIGITS = 6
"""Digits of the number of an item at most."""


def convert(page: str, base_url: str, *, menus: bool, forms: bool) -> str:
    """Return the Markdown of `page`, links absolute; empty if it is no page, or too deep."""
    root = parse(page)
    if root is None:
        return ""
    writer = _Writer(base_of(root, base_url))
    unshown = _UNSHOWN | (frozenset() if menus else _MENUS) | ({"form"} if not forms else set())
    etree.strip_elements(root, etree.Comment, *unshown, with_tail=False)
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            writer.start(element)
            writer.write(element.text)
        else:
            writer.end(element)
            writer.write(element.tail)
    return writer.text()


class _Writer:
    def __init__(self, base_url: str) -> None:
        self._base_url = base_url
        self._lines: list[str] = []
        self._line = ""
        self._prefix = ""
        self._lists: list[int | None] = []
        """The number of the last item of each list that is open, None where items have none."""
        self._tables = self._preformatted = 0
        self._cells = 0
        self._anchors: list[int] = []
        """Offsets in the line where the texts of open links begin."""

    def write(self, text: str | None) -> None:
        """Add text: its blanks are those of one line, unless it is preformatted."""
        if not text:
            return
        if self._preformatted:
            self._line += text
        elif shown := _BLANKS.sub(" ", text):
            self._line += shown.lstrip() if not self._line or self._line.endswith(" ") else shown

    def start(self, element: HtmlElement) -> None:
        """Begin an element."""
        tag = element.tag
        if tag in _HEADINGS:
            self._block()
            self._prefix = f"{_HEADINGS[tag]} "
        elif tag in _BLOCKS and not self._cells:
            self._block()
        self._begin(tag, element)

    def _begin(self, tag: str, element: HtmlElement) -> None:
        if tag in _LISTS:
            self._lists.append(_number(element, "start", 1) - 1 if tag == "ol" else None)
        elif tag == "table":
            self._tables += 1
        elif tag == "pre":
            self._lines.append("```")
            self._preformatted += 1
        elif tag in ("td", "th"):
            self._line += " | " if self._line else "| "
            self._cells += 1
        elif tag == "a":
            self._anchors.append(len(self._line))
        elif tag in _MARKS and not self._preformatted:
            self._line += _MARKS[tag]
        else:
            self._begin_alone(tag, element)

    def _begin_alone(self, tag: str, element: HtmlElement) -> None:
        if tag == "li":
            self._item(element)
        elif tag == "img":
            self._picture(element)
        elif tag == "br":
            self._break()
        elif tag == "hr":
            self._block()
            self._lines.append("---")

    def end(self, element: HtmlElement) -> None:
        """End an element."""
        tag = element.tag
        if tag == "a":
            self._link(element)
        elif tag in _MARKS and not self._preformatted:
            self._line = self._line.rstrip() + _MARKS[tag]
        elif tag in ("td", "th"):
            self._cells = max(self._cells - 1, 0)
        elif tag == "tr":
            self._row(element)
        elif tag == "table":
            self._tables -= 1
        elif tag == "pre":
            self._lines += [*self._line.strip("\n").split("\n"), "```"]
            self._line, self._preformatted = "", max(self._preformatted - 1, 0)
        if tag in _HEADINGS or (tag in _BLOCKS and not self._cells):
            self._block()
        if tag in _LISTS and self._lists:
            self._lists.pop()

    def text(self) -> str:
        """Return all that was written."""
        self._block()
        lines = "\n".join(self._lines)
        return re.sub(r"\n{3,}", "\n\n", lines).strip()

    def _block(self) -> None:
        if line := self._line.strip():
            self._lines.append(self._prefix + line)
        self._prefix = ""
        if self._lines and self._lines[-1] and not (self._lists or self._tables):
            self._lines.append("")
        self._line = ""

    def _item(self, element: HtmlElement) -> None:
        if self._lists and (last := self._lists[-1]) is not None:
            number = self._lists[-1] = _number(element, "value", last + 1)
            mark = f"{number}. "
        else:
            mark = "- "
        self._prefix = _INDENT * (len(self._lists) - 1) + mark

    def _row(self, element: HtmlElement) -> None:
        count = self._line.count(" | ") + 1
        first = element.getprevious() is None
        self._lines.append(f"{self._line.strip()} |")
        if (first and element.getparent().tag != "tbody") or element.find("th") is not None:
            self._lines.append("|" + " --- |" * count)
        self._line = ""

    def _link(self, element: HtmlElement) -> None:
        at = self._anchors.pop() if self._anchors else len(self._line)
        label, target = self._line[at:].strip(), element.get("href", "")
        if label and target and not target.startswith(("#", "javascript:")):
            self._line = f"{self._line[:at]}[{label}]({escaped(joined(self._base_url, target))})"

    def _picture(self, element: HtmlElement) -> None:
        label, source = element.get("alt", "").strip(), element.get("src", "")
        if label:
            inline = source.startswith("data:")
            address = "" if inline else f"({escaped(joined(self._base_url, source))})"
            self._line += f"![{label}]{address}"

    def _break(self) -> None:
        if self._preformatted:
            self._line += "\n"
        elif line := self._line.strip():
            if self._cells:
                self._line += " "
            else:
                self._lines.append(self._prefix + line)
                self._prefix = self._line = ""


def _number(element: HtmlElement, name: str, otherwise: int) -> int:
    digits = element.get(name) or ""
    return (
        int(digits)
        if digits.isascii() and digits.isdecimal() and len(digits) <= _DIGITS
        else otherwise
    )
