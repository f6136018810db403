"""Taking off what no reader of a page sees, before anything parses it: all in linear time.

Formulas are written as the TeX that pages give beside what browsers draw: as MathML that they hide,
or in a script. Without it, that of a fraction or a root is a row of signs.
"""

import html
import re
from collections.abc import Iterator

MAX_HTML = 3_000_000
"""Characters of HTML that are read; the rest of a longer page is left out."""

# A tag ends before the next one begins, whatever it says: so the search cannot become quadratic.
_OPENING = re.compile(r"<(script|style)\b([^<>]*)>", re.IGNORECASE)
_CLOSING = {
    "script": re.compile(r"</script[^<>]*>?", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>?", re.IGNORECASE),
}
# Articles come in structured data as well, where libraries look for them.
_TELLING = "ld+json"
# It begins with what is literal, so that it is found many times as fast, and looks back from there.
_PAYLOAD = re.compile(
    r"data:(?<!\wdata:)[\w/+.-]{0,80}(?:;[\w=.-]{1,40}){0,3};base64,[\w+/=%\s-]{200,}"
)
_FORMULA = re.compile(r"<math\b([^<>]*)>", re.IGNORECASE)
_END = re.compile(r"</math[^<>]*>?", re.IGNORECASE)
_TEX = re.compile(
    r"<annotation\b[^<>]{0,200}\btex\b[^<>]{0,200}>([^<]*)<|\balttext=\"([^\"<>]*)\"", re.IGNORECASE
)
_TEX_SCRIPT = "math/tex"
_SHOWN_SO = re.compile(r"\A\{\\(?:display|text)style\s(.*)\}\Z", re.DOTALL)
"""What MediaWiki puts around each formula."""
_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')", re.IGNORECASE)
_CODE = re.compile(r"<pre\b[^<>]*>", re.IGNORECASE)
_CODE_END = re.compile(r"</pre[^<>]*>?", re.IGNORECASE)
_NUMBER = re.compile(
    r"<(span|a)\b[^<>]{0,200}\bclass=[\"']?(?:ln|lnt|linenos?|lineno|line-numbers?)\b[^<>]{0,200}>"
    r"\s{0,9}\d{1,6}\s{0,9}</\1>"
)
"""By the names that Pygments, Chroma, Rouge and others give them."""
_TAG = re.compile(r"<[a-zA-Z]")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_LONG_TAG = 4_096
_MANY_ATTRIBUTES = 1_000


def slim(page: str) -> str:
    """Return `page` without scripts, styles and files encoded into it, its formulas as TeX."""
    parts: list[str] = []
    at = 0
    while opening := _OPENING.search(page, at):
        closing = _CLOSING[opening.group(1).lower()].search(page, opening.end())
        end = closing.end() if closing else len(page)
        named = opening.group(2).lower()
        parts.append(page[at : end if _TELLING in named else opening.start()])
        if _TEX_SCRIPT in named and closing:
            parts.append(_shown(page[opening.end() : closing.start()], "display" in named))
        at = end
    parts.append(page[at:])
    return _without_numbers(_with_formulas(_PAYLOAD.sub("data:,", "".join(parts))))


def _with_formulas(page: str) -> str:
    """The page with TeX in place of MathML, where that has it, and out of what hides it."""
    parts: list[str] = []
    at = 0
    for formula, end in _between(page, _FORMULA, _END):
        tex = _TEX.search(page, formula.start(), end.end())
        if tex is None:
            continue
        around = max(page.rfind("<", at, formula.start()), at)
        parts.append(page[at:around] + _STYLE.sub("", page[around : formula.start()]))
        source = html.unescape(tex.group(1) or tex.group(2) or "")
        parts.append(_shown(source, "block" in formula.group(1)))
        at = end.end()
    return "".join((*parts, page[at:]))


def _without_numbers(page: str) -> str:
    """The page without the numbers of the lines in code."""
    parts: list[str] = []
    at = 0
    for code, end in _between(page, _CODE, _CODE_END):
        parts.append(page[at : code.end()] + _NUMBER.sub("", page[code.end() : end.end()]))
        at = end.end()
    return "".join((*parts, page[at:]))


def _between(
    page: str, opening: re.Pattern[str], closing: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Yield where elements begin and end, those in one another as one."""
    at = 0
    while (begin := opening.search(page, at)) and (end := closing.search(page, begin.end())):
        yield begin, end
        at = end.end()


def _shown(tex: str, is_alone: bool) -> str:
    """A formula as a line of code, which is not changed on the way to Markdown."""
    tex = _SHOWN_SO.sub(r"\1", " ".join(tex.split()))
    mark = "$$" if is_alone else "$"
    return f"<code>{mark}{html.escape(tex, quote=False)}{mark}</code>" if tex else ""


def is_tangled(page: str) -> bool:
    """Whether a tag has so many attributes that comparing them takes a parser minutes."""
    return any(
        len(part) > _LONG_TAG and _attributes(part) > _MANY_ATTRIBUTES for part in page.split(">")
    )


def _attributes(part: str) -> int:
    """How many attributes the tag has that is still open at the end of `part`."""
    opening = max((tag.start() for tag in _TAG.finditer(part)), default=len(part))
    return len(_QUOTED.sub("", part[opening:]).split())
