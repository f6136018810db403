"""A page as a tree of elements, and what its addresses are relative to."""

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]

_DECLARATION = re.compile(r"\A\s*+<\?xml\b[^<>]{0,300}>", re.IGNORECASE)
# What lxml reads, but does not write (https://www.w3.org/TR/xml/#charsets).
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f"))
_NO_SIGNS = ("\ufffe".encode(), "\uffff".encode())
_FORM_FEED = bytes.maketrans(b"\f", b" ")
_REFERENCE = re.compile(
    r"&#(?:0*([0-8]|1[124-9]|2\d|3[01])(?!\d)"
    r"|[xX]0*([0-8bcefBCEF]|1[0-9a-fA-F]|[fF]{3}[efEF])(?![0-9a-fA-F]));?"
)
"""References to these, which are read as well."""
_ENDS, _BLANK = re.compile(r"[\t\n\r]"), re.compile(r"\s")
_BEHIND = re.compile(r"[?#].*", re.DOTALL)
"""Query and fragment of an address."""
_AHEAD = re.compile(r"(?i)\A((?:https?:)?)(?![a-z][a-z\d+.-]*:)([/\\]{2,})?([^?#]*)")
"""Scheme of a page's address, slashes before its host, and the rest before the query."""
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*+)[^<>]*+>")
_LEVELS = 120
"""Elements in each other that are kept of a page with too many, and those which end each other
between them."""
_UNCOUNTED = frozenset(
    (
        *("a", "area", "base", "body", "br", "col", "dd", "dt", "embed", "h1", "h2", "h3", "h4"),
        *("h5", "h6", "head", "hr", "html", "img", "input", "li", "link", "meta", "option", "p"),
        *("script", "source", "style", "tbody", "td", "tfoot", "th", "thead", "title", "tr"),
        *("track", "wbr"),
    )
)
"""Elements that are empty, or end where the next one begins."""
_NO_TAGS = r"(script|style|textarea)\b.*?(?:</\1|\Z)|!--.*?(?:-->|\Z)"
_SECTION = re.compile(
    rf"<(?:{_NO_TAGS}"
    r"|(?P<end>/?)(?P<name>div|table|t[dhr]|address|article|aside|blockquote|button|center|details"
    r"|dialog|dl|fieldset|fig(?:caption|ure)|footer|header|hgroup|main|menu|nav|[ou]l|pre|search"
    r"|section|summary)(?=[\s/>])[^<>]*+(?<!/)>)",
    re.IGNORECASE | re.DOTALL,
)
"""Tags of elements whose end tag closes all that is open in them, and of table cells."""
_DESCRIBED = re.compile(
    rf"<(?:{_NO_TAGS}|(?P<end>/?)(?P<name>d[dlt])(?=[\s/>]))", re.IGNORECASE | re.DOTALL
)
"""A list of descriptions, and what is in it."""
_CELLS = frozenset(("td", "th", "tr"))
_LAST = re.compile(r"</(?:body|html)\b[^<>]*>?", re.IGNORECASE)
"""Ends that browsers do without, and that the parser takes for the end of the page."""
_TOO_DEEP = "Excessive depth"
"""How what the parser says begins where it has left out all that follows."""
_BODY = re.compile("<body\\b", re.IGNORECASE)
_CONTENT = re.compile(
    r"<(?:a|article|aside|div|figure|footer|form|h[1-6]|header|main|nav|ol|p|section|table|ul)\b",
    re.IGNORECASE,
)


def parse(page: str) -> "HtmlElement | None":
    """Return the root of `page`, without its comments and the signs that no text may have.

    Of elements in hundreds of others, the innermost are left out, but not what is in them. None for
    what is no page to a lenient parser either.
    """
    return shallow(page)[0]


def shallow(page: str) -> "tuple[HtmlElement | None, str]":
    """Return the same, and the page as parsers can read it that stop where it goes too deep."""
    root, is_whole = _parsed(with_body(page), patient=False)
    if is_whole:
        return root, page
    page = _flattened(page)
    return _parsed(with_body(page), patient=True)[0], page


def _parsed(page: str, *, patient: bool) -> "tuple[HtmlElement | None, bool]":
    """The root of `page`, and whether all of it was read.

    A `patient` parser does not stop at the first element that is in 256 others, but in 2,048.
    """
    from lxml import etree, html  # type: ignore[import-untyped]

    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=patient
    )
    # One class for all: those of `lxml.html` are looked up in Python for each element that is used.
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=html.HtmlElement))
    try:
        ended = _described(_closed(_LAST.sub("", page)))
        root = html.document_fromstring(_source(ended), parser=parser)
    except (etree.LxmlError, ValueError):
        root = None
    return root, not any(error.message.startswith(_TOO_DEEP) for error in parser.error_log)


def _closed(page: str) -> str:
    """The page with the ends of `div` that it lacks, before the end of the element around them.

    There browsers end them (https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody),
    where the parser does not end what is around them: all of a page would be in a button of it.
    """
    lacking = sum(page.count(f"<{name}") - page.count(f"</{name}") for name in ("div", "DIV"))
    if lacking <= 0:  # as of most: to look at each tag takes as long as to parse the page
        return page
    tables: list[list[str]] = [[]]

    def closed(tag: "re.Match[str]") -> str:
        opened, name = tables[-1], (tag["name"] or "").lower()
        if name in _CELLS:
            opened.clear()
        elif name == "table" and tag["end"]:
            del tables[max(1, len(tables) - 1) :]
        elif name == "table":
            tables.append([])
        elif not tag["end"]:
            opened.append(name)
        elif name in (near := opened[: -_LEVELS - 1 : -1]):
            at = near.index(name)
            del opened[-at - 1 :]
            return "</div>" * (name != "div" and near[:at].count("div")) + tag[0]
        return tag[0]

    return _SECTION.sub(closed, page)


def _described(page: str) -> str:
    """The page with the ends of `dd` that it lacks before the next one, which the parser has in it.

    They may be left out (https://html.spec.whatwg.org/multipage/syntax.html#optional-tags).
    """
    begun = {name: page.count(f"<{name}") for name in ("dd", "DD")}
    if not any(number > page.count(f"</{name}") for name, number in begun.items() if number):
        return page
    lists = [False]
    """Whether one is open, in each list of those around."""

    def described(tag: "re.Match[str]") -> str:
        name, ends = (tag["name"] or "").lower(), bool(tag["end"])
        if name == "dl" and not ends:
            lists.append(False)
        elif name == "dl":
            del lists[max(1, len(lists) - 1) :]
        elif name:
            lacks = lists[-1] and name == "dd" and not ends
            lists[-1] = name == "dd" and not ends
            return f"</dd>{tag[0]}" if lacks else tag[0]
        return tag[0]

    return _DESCRIBED.sub(described, page)


def _flattened(page: str) -> str:
    """The page without the tags of elements that are in too many others."""
    depth, dropped = 0, Counter[str]()

    def replacement(tag: "re.Match[str]") -> str:
        nonlocal depth
        closes, name = bool(tag[1]), tag[2].lower()
        if name in _UNCOUNTED:
            return tag[0]
        if closes and dropped[name]:  # the innermost end first
            dropped[name] -= 1
            return ""
        if not closes and depth >= _LEVELS:
            dropped[name] += 1
            return ""
        depth += -1 if closes else 1
        return tag[0]

    return _TAG.sub(replacement, page)


def _source(page: str) -> bytes:
    """The page in UTF-8, without a declaration of XML and the signs that no text may have."""
    page = _DECLARATION.sub("", page, count=1)
    source = _REFERENCE.sub(_sign, page).encode().translate(_FORM_FEED, _CONTROLS)
    for sign in _NO_SIGNS:
        source = source.replace(sign, b"")
    return source


def _sign(reference: "re.Match[str]") -> str:
    decimal, hexadecimal = reference.groups()
    return chr(int(decimal) if decimal else int(hexadecimal, 16))


def with_body(page: str) -> str:
    """Return `page` with the `body` tag that may be left out: not every parser knows where."""
    content = None if _BODY.search(page) else _CONTENT.search(page)
    return f"{page[: content.start()]}<body>{page[content.start() :]}" if content else page


def base_of(root: "HtmlElement", url: str) -> str:
    """Return what the addresses of the page at `url` are relative to.

    That is its first `base`, unless it leads to a script or to data
    (https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url).
    """
    element = root.find(".//base[@href]")
    if element is None:
        return url
    base = joined(url, element.get("href"))
    try:
        return base if urlsplit(base).scheme in ("http", "https", "file") else url
    except ValueError:  # no address, as with a bracket in its host
        return url


def joined(url: str, address: str) -> str:
    """Return the absolute address, written as browsers do; itself where it cannot be one.

    Line ends in it are left out, and blanks are escaped, but not in a host or a script, nor in
    what is no path of folders, as a number of a telephone; bars lean forwards, however many there
    are before a host (https://url.spec.whatwg.org/#url-parsing).
    """
    address = _AHEAD.sub(_leant, _ENDS.sub("", address).strip())
    try:
        whole = urljoin(url, address)
        parts = urlsplit(whole) if _BLANK.search(whole) else None
    except ValueError:
        return address
    if parts is None or parts.scheme in ("data", "javascript") or _BLANK.search(parts.netloc):
        return whole
    is_opaque = parts.scheme and not parts.netloc and not parts.path.startswith("/")
    return _BEHIND.sub(lambda behind: escaped(behind[0]), whole) if is_opaque else escaped(whole)


def _leant(ahead: "re.Match[str]") -> str:
    scheme, bars, rest = ahead.groups()
    return scheme + ("//" if bars else "") + rest.replace("\\", "/")


def escaped(part: str) -> str:
    """Return (a part of) an address with its blanks escaped, which end one in Markdown."""
    return _BLANK.sub(lambda blank: quote(blank[0]), part)
