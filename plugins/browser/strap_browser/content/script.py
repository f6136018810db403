"""The part of strap that runs beside a page's own scripts, and how questions are put to it.

It lives in an isolated world of each document that is asked, out of the reach of the page, and
finds the very element that a ref or a selector means, in any shadow root. A question is a command
in JSON; the answer is one too, in one round trip.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

NAME = "globalThis[Symbol.for('strap')]"
"""Where the script is in its world: what a page names is there too, but is no symbol."""
PARTS = (
    "areas",
    "extents",
    "code",
    "elements",
    "selectors",
    "obstacles",
    "internals",
    "aria",
    "states",
    "counters",
    "names",
    "uses",
    "subjects",
    "refs",
    "places",
    "numbers",
    "lines",
    "icons",
    "wholes",
    "hovers",
    "outline",
    "editors",
    "fields",
    "reading",
    "media",
    "targets",
    "sightings",
    "markup",
    "scrolling",
    "changes",
    "clicks",
    "watching",
    "uploads",
)
ScriptAnswer = dict[str, Any]


@cache
def script(name: str) -> str:
    """Return a script of the page's side, without comments and indentation."""
    text = Path(__file__).with_name(f"{name}.js").read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    return code.removesuffix(";")


@cache
def source() -> str:
    """Return the expression that is the script, and puts it into its world unless it is there."""
    return f"({NAME} ??= {_program()})"


@cache
def for_documents() -> str:
    """Return the script for each new document: it is there, and begins with the first question.

    A browser keeps it for as long as a session lasts, and compiles it once for a process.
    """
    begin = f"let made; return {{ get: () => (made ??= {_program()}) }};"
    name = "Symbol.for('strap')"
    given = f"Object.defineProperty(globalThis, {name}, (() => {{ {begin} }})())"
    # It may be there: a document that was there before its page was set up runs this twice.
    return f"Object.hasOwn(globalThis, {name}) || {given}"


@cache
def _program() -> str:
    parts = "\n".join(f"{script(part)};" for part in PARTS)
    return f"(() => {{\n{parts}\nreturn {script('commands')};\n}})()"


def question(op: str, arguments: dict[str, Any]) -> str:
    """Return a command and what of its arguments is given, as JSON text."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return json.dumps({"op": op, **given})
