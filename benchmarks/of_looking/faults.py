"""Pages with a planted fault each, and clean pages, which axe-core calls clean as well."""

import json
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
DESIGNS: list[str] = DATA["designs"]
PLAIN = 14
"""Designs that are planted in: the others have headings, frames and grounds of their own."""
OF_PAGE = ("lang", "title", "zoom", "console", "cookie", "blocking", "ttfb", "h1")
"""Rules about no element."""
LARGE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='2400' height='1600'><rect width='2400' "
    "height='1600' fill='teal'/></svg>"
)
LIGHT, DARK = "color:#222;background:#fff", "color:#eee;background:#151515"


@dataclass(frozen=True)
class Planted:
    """A fault of a rule of `audit`: what it adds to a page, and the rules of axe-core about it."""

    rule: str
    axe: list[str]
    """Empty where axe-core looks at no such thing."""
    body: str
    head: str = "<title>Garden</title>"
    root: str = "lang=en"


FAULTS = [Planted(**each) for each in DATA["faults"]]


def planted() -> list[str]:
    """Return a page for each fault, in designs that take turns."""
    return [
        _page(design, fault.head, fault.root, fault.body, h1=fault.rule != "h1")
        for fault, design in zip(FAULTS, cycle(DESIGNS[:PLAIN]), strict=False)
    ]


def clean() -> list[str]:
    """Return each design, light and dark."""
    head = "<title>Garden</title><meta name=viewport content='width=device-width'>"
    return [
        _page(design, head, "lang=en", "", style=style)
        for design in DESIGNS
        for style in (LIGHT, DARK)
    ]


def _page(
    design: str, head: str, root: str, body: str, *, h1: bool = True, style: str = LIGHT
) -> str:
    title = "<h1>Garden</h1>" if h1 else ""
    links = "<style>a { color: inherit }</style>"
    return (
        f"<!doctype html><html {root}>{head}{links}<body style='{style}'><main>{title}{body}"
        f"{design}<p id=more>More of it is told here.</p></main>"
    )
