"""MathML as TeX, by its structure (MathML 3, chapter 3)."""

import html
import re
from collections.abc import Callable, Mapping

from strap_http.extraction.formulas.elements import (
    ESCAPES,
    Element,
    Part,
    Unknown,
    inner,
    letters,
    row,
    some,
    text_of,
)

_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<end>/?)(?:[\w-]{1,20}:)?(?P<name>[a-zA-Z][\w-]*)"
    r"(?P<attributes>[^<>]*?)(?P<empty>/?)>|(?P<text>[^<]+|<)",
    re.DOTALL,
)
_DEEPEST = 200
"""Elements in each other; a formula in print has a dozen."""
_MOST = 20_000
"""Tags and texts of one formula: a large table of a paper has a tenth."""
_LONGEST = 200_000
"""Characters of TeX, for the same reason."""
_LIMITS = re.compile(
    r"[\u220f-\u2211\u222b-\u2233\u22c0-\u22c3\u2a00-\u2a1c]"
    r"|\\(?:lim|liminf|limsup|max|min|sup|inf|det|gcd|Pr|operatorname\{.*\})"
)
"""Operators whose limits TeX writes as scripts."""
_OVER = {
    **dict.fromkeys("\u00af\u203e\u0305\u2015_", "overline"),
    **dict.fromkeys("^\u02c6\u0302", "hat"),
    **dict.fromkeys("~\u02dc\u0303", "tilde"),
    **dict.fromkeys("\u2192\u20d7\u21c0", "vec"),
    **dict.fromkeys("\u02d9.\u0307", "dot"),
    "\u00a8": "ddot",
    "\u02c7": "check",
    "\u02d8": "breve",
    "\u23de": "overbrace",
}
_UNDER = {**dict.fromkeys("_\u0332\u00af\u203e", "underline"), "\u23df": "underbrace"}
_ONE = re.compile(r"[^\\{}\s]|\\[a-zA-Z]+|\\[{}$%&#_]")
"""TeX that needs no braces as a script."""


def tex_of(mathml: str) -> str | None:
    """Return the TeX of a `math` element; None where an element has none that says the same."""
    opened = [Element("mrow", "")]
    try:
        for count, token in enumerate(_TOKEN.finditer(mathml)):
            name = (token["name"] or "").lower()
            if count > _MOST or len(opened) > _DEEPEST:
                return None
            if token["text"]:
                opened[-1].text += html.unescape(token["text"])
            elif name and not token["end"]:
                opened.append(Element(name, token["attributes"]))
                if token["empty"]:
                    _close(opened)
            elif name in (element.name for element in opened[1:]):
                while _close(opened) != name:
                    pass
        while len(opened) > 1:
            _close(opened)
    except Unknown:
        return None
    return row(opened[0].parts)


def _close(opened: list[Element]) -> str:
    element = opened.pop()
    write = _WRITERS.get(element.name)
    if any(
        opening.name.startswith("annotation") for opening in opened
    ):  # what is in it is not shown
        write = _hidden
    if write is None:
        raise Unknown
    tex = write(element)
    if len(tex) > _LONGEST:
        raise Unknown
    opened[-1].parts.append(Part(element.name, tex))
    return element.name


def _group(tex: str) -> str:
    return tex if _ONE.fullmatch(tex) else f"{{{tex}}}"


def _script(base: str, below: str, above: str) -> str:
    """A base with its scripts; one that has scripts itself is held together."""
    below, above = (
        f"{sign}{_group(tex)}" if tex else "" for sign, tex in (("_", below), ("^", above))
    )
    return (base if _LIMITS.fullmatch(base) else _group(base)) + below + above


def _scripts(element: Element) -> str:
    name = element.name
    base, first, *rest = some(element, 3 if name == "msubsup" else 2)
    return _script(
        base, "" if name == "msup" else first, first if name == "msup" else "".join(rest)
    )


def _limits(element: Element) -> str:
    name = element.name
    base, first, *rest = some(element, 3 if name == "munderover" else 2)
    below, above = ("", first) if name == "mover" else (first, "".join(rest))
    if _LIMITS.fullmatch(base):
        return _script(base, below, above)
    for tex, known, otherwise in ((below, _UNDER, "underset"), (above, _OVER, "overset")):
        if tex in known:
            base = f"\\{known[tex]}{{{base}}}"
        elif tex:
            base = f"\\{otherwise}{{{tex}}}{{{base}}}"
    return base


def _multiscripts(element: Element) -> str:
    names = [part.name for part in element.parts]
    at = names.index("mprescripts") if "mprescripts" in names else len(names)
    texts = [part.tex for part in element.parts]
    behind, before = texts[1:at], texts[at + 1 :]
    if not texts or len(behind) % 2 or len(before) % 2 or element.text.strip():
        raise Unknown
    ahead = "".join(
        _script("", *pair) for pair in zip(before[::2], before[1::2], strict=True) if any(pair)
    )
    base = _group(texts[0])
    for pair in zip(behind[::2], behind[1::2], strict=True):
        base = _script(base, *pair) if any(pair) else base
    return ahead + base


def _fraction(element: Element) -> str:
    above, below = some(element, 2)
    thickness = element.attributes.get("linethickness", "1")
    if re.fullmatch(r"0*\.?0+[a-z%]*", thickness):
        return f"{{{above} \\atop {below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _root(element: Element) -> str:
    base, degree = some(element, 2)
    return f"\\sqrt[{_group(degree) if ']' in degree else degree}]{{{base}}}"


def _fenced(element: Element) -> str:
    attributes = element.attributes
    opening, closing = (
        attributes.get(name, sign).strip().translate(ESCAPES)
        for name, sign in (("open", "("), ("close", ")"))
    )
    signs = [*"".join(attributes.get("separators", ",").split()).translate(ESCAPES)]
    if element.text.strip():
        raise Unknown
    pieces = [part.tex for part in element.parts]
    for at in range(len(pieces) - 1):
        pieces[at] += signs[min(at, len(signs) - 1)] if signs else ""
    parts = [Part("mo", opening), *(Part("mfrac", piece) for piece in pieces)]
    if len(pieces) == 1:
        parts[1] = Part(element.parts[0].name, pieces[0])
    return row([*parts, Part("mo", closing)])


def _table(element: Element) -> str:
    rows = " \\\\ ".join(some(element, len(element.parts)))
    return f"\\begin{{matrix}}{rows}\\end{{matrix}}"


def _cells(element: Element) -> str:
    cells = some(element, len(element.parts))
    if element.name == "mlabeledtr" and cells:
        cells = [*cells[1:], cells[0]]
    return " & ".join(cells)


def _enclosed(element: Element) -> str:
    within, notation = inner(element), element.attributes.get("notation", "").split()
    if notation == ["radical"]:
        return f"\\sqrt{{{within}}}"
    if notation == ["top"]:
        return f"\\overline{{{within}}}"
    if notation == ["bottom"]:
        return f"\\underline{{{within}}}"
    if notation and all(sign in ("box", "roundedbox", "circle") for sign in notation):
        return f"\\boxed{{{within}}}"
    if notation and all("strike" in sign for sign in notation):
        return f"\\cancel{{{within}}}"
    raise Unknown


def _chosen(element: Element) -> str:
    """The first part of `semantics`, or the one that `maction` shows."""
    chosen = element.attributes.get("selection", "1") if element.name == "maction" else "1"
    at = int(chosen) - 1 if chosen.isascii() and chosen.isdigit() and len(chosen) < 9 else -1
    if not 0 <= at < len(element.parts) or element.text.strip():
        raise Unknown
    return element.parts[at].tex


def _hidden(_: Element) -> str:
    return ""


def _empty(element: Element) -> str:
    if element.parts or element.text.strip():  # it is not ended, and has the rest in it
        raise Unknown
    return "\\ " if element.name == "mspace" else ""


_WRITERS: Mapping[str, Callable[[Element], str]] = {
    **dict.fromkeys(("math", "mrow", "mstyle", "mpadded", "merror", "mtd"), inner),
    **dict.fromkeys(("mi", "mn", "mo"), letters),
    **dict.fromkeys(("mtext", "ms"), text_of),
    **dict.fromkeys(("msub", "msup", "msubsup"), _scripts),
    **dict.fromkeys(("munder", "mover", "munderover"), _limits),
    "mmultiscripts": _multiscripts,
    "mfrac": _fraction,
    "mroot": _root,
    "mfenced": _fenced,
    "msqrt": lambda element: f"\\sqrt{{{inner(element)}}}",
    "menclose": _enclosed,
    "mtable": _table,
    "mtr": _cells,
    "mlabeledtr": _cells,
    **dict.fromkeys(("semantics", "maction"), _chosen),
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom"), _hidden),
    **dict.fromkeys(("none", "mprescripts", "mspace", "maligngroup", "malignmark"), _empty),
}
