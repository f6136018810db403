"""Elements of MathML that were read: their text, and what they are beside each other."""

import html
import re
from collections.abc import Sequence
from typing import NamedTuple

_ATTRIBUTE = re.compile(r"([\w-]{1,40})\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
ESCAPES = str.maketrans({**{sign: f"\\{sign}" for sign in "{}$%&#_"}, "\\": "\\backslash "})
_INVISIBLE = str.maketrans({"\u2061": "", "\u2063": ",", "\u2064": ""})
"""Function application, comma, plus: signs that nobody sees."""
_TIMES = "\u2062"
"""The same for a product."""
_FUNCTIONS = frozenset(
    [
        "arccos",
        "arcsin",
        "arctan",
        "arg",
        "cos",
        "cosh",
        "cot",
        "coth",
        "csc",
        "deg",
        "det",
        "dim",
        "exp",
        "gcd",
        "hom",
        "inf",
        "ker",
        "lg",
        "lim",
        "liminf",
        "limsup",
        "ln",
        "log",
        "max",
        "min",
        "Pr",
        "sec",
        "sin",
        "sinh",
        "sup",
        "tan",
        "tanh",
    ]
)
_FONTS = {
    "bold": "mathbf",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    "fraktur": "mathfrak",
    "script": "mathcal",
    "sans-serif": "mathsf",
    "monospace": "mathtt",
    "normal": "mathrm",
    "bold-script": "mathcal",
    "bold-fraktur": "mathfrak",
}
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMAND = re.compile(r"\\[a-zA-Z]+\Z")
_SCRIPTED = ("msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts")
_ATOP = re.compile(r"\{(.*) \\atop (.*)\}", re.DOTALL)


class Unknown(Exception):
    """Raised for what has no true TeX here."""


class Part(NamedTuple):
    """An element: its TeX, or its text where it is a token."""

    name: str
    tex: str


class Element:
    """An element that is open, with what was read of it."""

    def __init__(self, name: str, attributes: str) -> None:
        self.name = name
        values = _ATTRIBUTE.findall(attributes)
        self.attributes = {key.lower(): html.unescape(a or b or c) for key, a, b, c in values}
        self.parts: list[Part] = []
        self.text = ""


def row(parts: Sequence[Part]) -> str:
    """Parts beside each other, with what keeps two of them apart."""
    if len(parts) == 3 and parts[0].tex == "(" and parts[2].tex == ")":
        atop = _ATOP.fullmatch(parts[1].tex)
        if atop and parts[1].name == "mfrac":
            return f"\\binom{{{atop[1]}}}{{{atop[2]}}}"
    pieces: list[str] = []
    before, times = Part("", ""), False
    for part in parts:
        if not part.tex or part.tex == _TIMES:
            times = times or bool(part.tex)
            continue
        if before.name == part.name == "mn":
            pieces.append("\\cdot " if times else "\\,")
        elif part.tex[0].isalnum() and (before.name in _SCRIPTED or _COMMAND.search(before.tex)):
            pieces.append(" ")
        times = False
        pieces.append(part.tex)
        before = part
    return "".join(pieces)


def inner(element: Element) -> str:
    """Return the TeX of all parts, which no text may stand between."""
    if element.text.strip():  # only tokens have text
        raise Unknown
    return row(element.parts)


def some(element: Element, *counts: int) -> list[str]:
    """The TeX of its parts, as many as it has to have."""
    if len(element.parts) not in counts or element.text.strip():
        raise Unknown
    return [part.tex for part in element.parts]


def _text_of(element: Element) -> str:
    if element.parts and element.name != "mtext":
        raise Unknown
    return " ".join(element.text.split())


def letters(element: Element) -> str:
    """An identifier, a number or an operator."""
    text = _text_of(element)
    if text in _FUNCTIONS:
        return f"\\{text}"
    tex = text.translate(ESCAPES).translate(_INVISIBLE)
    if element.name == "mo":
        return f"\\operatorname{{{tex}}}" if _WORD.fullmatch(text) else tex
    font = _FONTS.get(element.attributes.get("mathvariant", ""), "")
    is_plain = font == "mathrm" and not text.isascii()  # Greek capitals are upright anyway
    if not font and element.name == "mi" and _WORD.match(text):
        font = "mathrm"
    return f"\\{font}{{{tex}}}" if font and tex and not is_plain else tex


def text_of(element: Element) -> str:
    """Return words in a formula, with the blanks at their ends."""
    text = _text_of(element).translate(ESCAPES)
    text = f'"{text}"' if element.name == "ms" else text
    edges = element.text[:1].isspace(), element.text[-1:].isspace()
    if not text:
        return "\\ " if edges[0] else ""
    return f"\\text{{{' ' * edges[0]}{text}{' ' * edges[1]}}}" + row(element.parts)
