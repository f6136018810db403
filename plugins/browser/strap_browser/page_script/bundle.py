"""The page script: what strap runs beside a page's own scripts, and how questions are put to it.

It lives in an isolated world of each document that is asked, out of the reach of the page. A
question is a command in JSON; the answer is JSON too, in one round trip. The modules of this folder
are joined into one expression, because a browser loads no modules into an isolated world.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

NAME = "globalThis[Symbol.for('strap')]"
"""Name of the script in its world: a page's own names are there too, but are no symbols."""
ENTRY = "commands.js"
ScriptAnswer = dict[str, Any]
_IMPORT = re.compile(r'^import (?:\{([^}]*)\}|\* as (\w+)) from "([^"]+)";$', re.MULTILINE)
_DATA = re.compile(r'^import (\w+) from "([^"]+)" with \{ type: "json" \};$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class|function\*?) \[?(\w+(?:, \w+)*))", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?://.*|/\*\*(?:.|\n)*?\*/)$", re.MULTILINE)
_FOLDER = Path(__file__).resolve().parent


@cache
def preloaded(name: str) -> str:
    """Return a script that runs in the page's own world before any of the page's scripts."""
    return _text(_FOLDER / "preload" / f"{name}.js")


@cache
def module(path: str) -> str:
    """Return an expression: an object with what the module exports, all it imports included."""
    order: dict[Path, str] = {}
    name = _include((_FOLDER / path).resolve(), order)
    modules = "\n".join(order.values())
    return f"(() => {{\n{modules}\nreturn {name};\n}})()"


@cache
def source() -> str:
    """Return the expression that is the script, and puts it into its world unless it is there."""
    return f"({NAME} ??= {module(ENTRY)}.script)"


@cache
def for_documents() -> str:
    """Return the script for each new document: it is there, and begins with the first question.

    A browser keeps it for as long as a session lasts, and compiles it once for a process.
    """
    begin = f"let made; return {{ get: () => (made ??= {module(ENTRY)}.script) }};"
    name = "Symbol.for('strap')"
    definition = f"Object.defineProperty(globalThis, {name}, (() => {{ {begin} }})())"
    # It may be there: a document that was there before its page was set up runs this twice.
    return f"Object.hasOwn(globalThis, {name}) || {definition}"


def question(op: str, arguments: dict[str, Any]) -> str:
    """Return a command and what of its arguments is given, as JSON text."""
    params = {key: value for key, value in arguments.items() if value is not None}
    return json.dumps({"op": op, **params})


def _include(path: Path, order: dict[Path, str]) -> str:
    """Add the module after all that it imports, once, and return its name in the bundle."""
    name = re.sub(r"\W", "_", path.relative_to(_FOLDER).with_suffix("").as_posix())
    if path in order:
        return name
    text = _text(path)
    taken = []
    for names, whole, other in _IMPORT.findall(text):
        inner = _include((path.parent / other).resolve(), order)
        taken.append(f"const {whole or '{' + names.replace(' as ', ': ') + '}'} = {inner};")
    for data, other in _DATA.findall(text):
        taken.append(f"const {data} = {_minified(path.parent / other)};")
    code = _EXPORT.sub("", _DATA.sub("", _IMPORT.sub("", text))).strip()
    exports = ", ".join(_EXPORT.findall(text))
    imports = "\n".join(taken)
    order[path] = f"const {name} = (() => {{\n{imports}\n{code}\nreturn {{ {exports} }};\n}})();"
    return name


def _minified(path: Path) -> str:
    return json.dumps(json.loads(path.read_text("utf-8")), separators=(",", ":"))


@cache
def _text(path: Path) -> str:
    lines = (line.strip() for line in _COMMENT.sub("", path.read_text("utf-8")).splitlines())
    return "\n".join(line for line in lines if line)
