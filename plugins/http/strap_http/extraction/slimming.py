"""Taking off what no reader of a page sees, before anything parses it: all in linear time.

Formulas are written as TeX: the one that pages give beside what browsers draw, in MathML that they
hide, in a script or an attribute; else the one that the MathML itself says. What TeX cannot say is
shown as MathML: without its tags, a fraction or a root would be a row of signs.
"""

import html
import re
from collections.abc import Iterator

from strap_http.extraction.formulas.tex import tex_of

MAX_HTML = 3_000_000
"""Characters of HTML that are read; the rest of a longer page is left out."""

# A tag ends before the next one begins, whatever it says: so the search cannot become quadratic.
_OPENING = re.compile(r"<(script|style|!--)(?:(?<=-)|\b([^<>]*)>)", re.IGNORECASE)
_CLOSING = {
    "!--": re.compile(r"--!?>"),
    "script": re.compile(r"</script[^<>]*>?", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>?", re.IGNORECASE),
}
# Articles come in structured data as well, where libraries look for them.
_TELLING = "ld+json"
# It begins with what is literal, so that it is found many times as fast, and looks back from there.
_PAYLOAD = re.compile(
    r"data:(?<!\wdata:)[\w/+.-]{0,80}(?:;[\w=.-]{1,40}){0,3};base64,[\w+/=%\s-]{200,}"
)
_TEX = re.compile(
    r"<annotation\b[^<>]{0,200}\btex\b[^<>]{0,200}>([^<]*)<|\balttext=\"([^\"<>]*)\"", re.IGNORECASE
)
_TEX_SCRIPT = "math/tex"
_SPOKEN = re.compile(r"\A(?!.*[\\_^{}=]).*\b[a-z]{3,20} [a-z]{2}", re.IGNORECASE | re.DOTALL)
"""An `alttext` in words, as screen readers say a formula."""
_PICTURED = re.compile(
    r"(?P<before></(?:\w{1,9}:)?math>\s{0,9}(?:</span>\s{0,9})?)?<img\s(?P<attributes>[^<>]{0,9999}?)/?>",
    re.IGNORECASE,
)
_CALLED_TEX = re.compile(
    r"\bclass=[\"']?(?:[^\"'<>]{0,200}[\s\"'])?(?:mwe-math-[\w-]+|tex|latex|math-tex|tex2jax\w*)(?=[\s\"'>])"
    r"|\bsrc=[\"']?[^\s\"'<>]{0,300}\b(?:latex\.(?:php|codecogs)|mathtex|mimetex)\b",
    re.IGNORECASE,
)
"""A picture of a formula, by what it is called, or by who draws it."""
_ALT = re.compile(r"\balt=(?:\"([^\"<>]+)\"|'([^'<>]+)')", re.IGNORECASE)
_DOLLARS = re.compile(r"\A(?:\$\$?(.*?)\$\$?|\\[(\[](.*)\\[)\]])\Z", re.DOTALL)
_GIVEN = re.compile(
    r"(?P<tag><(?:span|div)\b[^<>]{0,999}?\sdata-(?:math|tex|latex)=(?:\"([^\"<>]+)\"|'([^'<>]+)')[^<>]{0,999}>)"
    r"(?=(?:\s{0,9}<span\b[^<>]{0,500}>){0,3}\s{0,9}<span\b[^<>]{0,200}\bkatex-html\b)",
    re.IGNORECASE,
)
"""An element that says its TeX, with but the drawing of KaTeX in it, which is left out."""
_SHOWN_SO = re.compile(r"\A\{\\(?:display|text)style\s(.*)\}\Z", re.DOTALL)
"""Wrapper of MediaWiki around each formula."""
_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')", re.IGNORECASE)
_NUMBER = re.compile(
    r"(\A|\n|<(?:br|div|li|p|tr)\b[^<>]{0,500}>)"
    r"((?:[ \t]{0,9}</?[a-z][^<>]{0,500}>){0,9}[ \t]{0,9})"
    r"(?:<(span|a)\b[^<>]{0,200}\sclass=[\"']?(?:ln|lnt|linenos?|lineno|line-numbers?)"
    r"(?=[\s\"'>])[^<>]{0,200}>\s{0,9}\d{1,6}\s{0,9}</\3>){1,9}",
    re.IGNORECASE,
)
"""At the beginning of a line, by the names that Pygments, Chroma, Rouge and others give them."""
_SHADOW = "shadowrootmode"
_TEMPLATE = re.compile(r"<(/?)template\b([^<>]*)>", re.IGNORECASE)
_TAG_WITH = re.compile(r"<[a-z][^<>]*+>", re.IGNORECASE)
_PANEL = re.compile(r"\brole=[\"']?tabpanel\b", re.IGNORECASE)
"""Panels that are shown in turn: each is part of the page."""
_HIDING = re.compile(
    r"\s(?:aria-hidden|hidden)(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))?(?=[\s/>\"'])"
    r"|\bdisplay\s*:\s*none\b",
    re.IGNORECASE,
)
_TAG_ALONE = re.compile(r"<(\w+)\b[^<>]*>")
_BLOCK = re.compile(r"</?(?:p|div|table|[ou]l|li|h[1-6])\b", re.IGNORECASE)
"""Tags at which browsers end a formula that is not closed."""
_TAG = re.compile(r"<[a-zA-Z]")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_LONG_TAG = 4_096
_MANY_ATTRIBUTES = 1_000
_HYPHENS = ("\u00ad", "&shy;", "&#173;")
_HYPHEN = re.compile("|".join(_HYPHENS))


def slim(page: str) -> str:
    """Return `page` without scripts, styles, data URLs and soft hyphens, its formulas as TeX."""
    if any(hyphen in page for hyphen in _HYPHENS):
        page = _HYPHEN.sub("", page)
    parts: list[str] = []
    at = end = 0
    while opening := _OPENING.search(page, end):
        kind = opening.group(1).lower()
        is_comment = kind == "!--"  # what is in it is no element, and `<!-->` is whole
        closing = _CLOSING[kind].search(page, opening.end() - 2 * is_comment)
        end = closing.end() if closing else len(page)
        if is_comment:
            continue
        named = opening.group(2).lower()
        parts.append(page[at : end if _TELLING in named else opening.start()])
        if _TEX_SCRIPT in named and closing:
            parts.append(_shown(page[opening.end() : closing.start()], "display" in named))
        at = end
    parts.append(page[at:])
    page = _PAYLOAD.sub("data:,", "".join(parts))
    page = _with_shadows(page) if _SHADOW in page.lower() else page
    page = _TAG_WITH.sub(_shown_panel, page) if _PANEL.search(page) else page
    names = page.lower()  # most pages have neither, and to look for elements takes longer
    page = _PICTURED.sub(_pictured, page) if "<img" in names and "alt=" in names else page
    page = _GIVEN.sub(_with_tex, page) if "katex-html" in names else page
    page = _with_formulas(page) if "<math" in names or ":math" in names else page
    return _without_numbers(page) if "<pre" in names else page


def _with_shadows(page: str) -> str:
    """The page with declared shadow trees as part of it, as browsers show them."""
    shown: list[bool] = []  # whether each open template is such a tree

    def opened(tag: "re.Match[str]") -> str:
        if not tag[1]:
            shown.append(_SHADOW in tag[2].lower())
        is_shown = shown[-1] if shown else False
        if tag[1] and shown:
            shown.pop()
        return f"<{tag[1]}div>" if is_shown else tag[0]

    return _TEMPLATE.sub(opened, page)


def _shown_panel(tag: "re.Match[str]") -> str:
    return _HIDING.sub("", tag[0]) if _PANEL.search(tag[0]) else tag[0]


def _elements(name: str) -> re.Pattern[str]:
    """Return a pattern of tags of `name`, and of comments, scripts and text areas to skip."""
    return re.compile(
        r"<!--(?:-?>|.*?(?:-->|\Z))|<(script|textarea)\b.*?(?:</\1|\Z)"
        rf"|<(?P<begun>{name})\b(?P<attributes>[^<>]*)>|(?P<ended></{name}[^<>]*>?)",
        re.IGNORECASE | re.DOTALL,
    )


_FORMULA = _elements(r"(?:\w{1,9}:)?math")
_CODE = _elements("pre")


def _with_formulas(page: str) -> str:
    """The page with TeX in place of MathML, and out of what hides it."""
    parts: list[str] = []
    at = 0
    for begin, end in _between(page, _FORMULA):
        if _BLOCK.search(page, begin.end(), end.start()):
            continue
        around = max(page.rfind("<", at, begin.start()), at)
        hiding = _TAG_ALONE.fullmatch(page, around, begin.start())
        is_hidden = hiding and page.startswith(f"</{hiding[1]}>", end.end())
        before = page[around : begin.start()]
        parts.append(page[at:around] + (_STYLE.sub("", before) if is_hidden else before))
        parts.append(_formula(page[begin.start() : end.end()], "block" in begin["attributes"]))
        at = end.end()
    return "".join((*parts, page[at:]))


def _formula(source: str, is_alone: bool) -> str:
    """A formula by the TeX that it gives, or that its elements say, or as MathML."""
    match = _TEX.search(source)
    tex = html.unescape(match.group(1) or match.group(2) or "") if match else ""
    if not tex.strip() or (match and match.group(2) and _SPOKEN.match(tex)):
        own_tex = tex_of(source)
        if own_tex is None:
            return f"<code>{html.escape(' '.join(source.split()))}</code>"
        tex = own_tex
    return _shown(tex, is_alone)


def _pictured(image: "re.Match[str]") -> str:
    """The TeX of a picture of a formula, nothing where the same one stands before it."""
    attributes = image["attributes"]
    match = _ALT.search(attributes)
    if match is None or not _CALLED_TEX.search(attributes):
        return image[0]
    if image["before"]:
        return image["before"]
    tex = html.unescape(match[1] or match[2]).strip()
    marked = _DOLLARS.match(tex)
    tex = (marked[1] or marked[2] or "") if marked else tex
    return _shown(tex, "-display" in attributes)


def _with_tex(element: "re.Match[str]") -> str:
    return element["tag"] + _shown(html.unescape(element[2] or element[3]), False)


def _without_numbers(page: str) -> str:
    parts: list[str] = []
    at = 0
    for begin, end in _between(page, _CODE):
        parts.append(page[at : begin.end()])
        parts.append(_NUMBER.sub(r"\1\2", page[begin.end() : end.start()]))
        at = end.start()
    return "".join((*parts, page[at:]))


def _between(page: str, elements: re.Pattern[str]) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield where elements begin and end: of those in one another, or not closed, the last."""
    begin = None
    for match in elements.finditer(page):
        if match["begun"]:
            begin = match
        elif match["ended"] and begin:
            yield begin, match
            begin = None


def _shown(tex: str, is_alone: bool) -> str:
    """A formula as a line of code, which is not changed on the way to Markdown."""
    tex = _SHOWN_SO.sub(r"\1", " ".join(tex.split()))
    mark = "$$" if is_alone else "$"
    return f"<code>{mark}{html.escape(tex)}{mark}</code>" if tex else ""


def is_tangled(page: str) -> bool:
    """Whether a tag has so many attributes that comparing them takes a parser minutes."""
    at = 0
    while len(page) - at > _LONG_TAG:  # else all that is left is short: most of a page is not read
        end = page.rfind(">", at, at + _LONG_TAG + 1)
        if end < 0:
            end = page.find(">", at)
            end = end if end >= 0 else len(page)
            if _attributes(page[at:end]) > _MANY_ATTRIBUTES:
                return True
        at = end + 1
    return False


def _attributes(part: str) -> int:
    """How many attributes the tag has that is still open at the end of `part`."""
    opening = max((tag.start() for tag in _TAG.finditer(part)), default=len(part))
    return len(_QUOTED.sub("", part[opening:]).split())
