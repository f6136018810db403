"""The page of error codes, from the places in the source that raise them."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from strap_browser.interaction.actionability import REASONS
from strap_browser.interaction.navigation_errors import ERRORS

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("strap", "plugins")
KINDS = {
    "ActionError": "failed",
    "PolicyDenied": "denied",
    "StartupError": "startup",
    "UsageError": "invalid_arguments",
}
"""The classes of errors, and the code of those that name none of their own."""
CODES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (ROOT / "docs" / "error_codes.toml").read_text("utf-8")
)
"""Meaning of each code, and a call that causes it."""
_LONGEST = 160


def lines() -> Iterator[str]:
    """Yield the page below its title."""
    yield "An error says what happened, why, and the next call to make. `strap call --json` and the"
    yield "exception in Python have its `code` as well, which stays when words change; `retryable`"
    yield "tells whether the same call may succeed later."
    messages = found()
    for code in sorted(CODES):
        yield from ("", f"## {code}", "", CODES[code]["means"])
        if call := CODES[code].get("call"):
            command, _, state = call.partition(", ")
            yield from ("", f"Example: `{command}`{state and ', '}{state}.")
        if code in messages:
            yield from ("", *(f"- {message}" for message in messages[code]))


def found() -> dict[str, list[str]]:
    """Return the messages of each code, as the source has them; `…` is what a call fills in."""
    messages: defaultdict[str, set[str]] = defaultdict(set)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and _name(node.func) in KINDS:
                    _add(messages, node)
    for code, message in _of_tables():
        messages[code].add(re.sub(r"\{[^}]*\}", "…", message))
    return {code: sorted(said) for code, said in messages.items()}


def _of_tables() -> Iterator[tuple[str, str]]:
    """Yield the codes and messages of elements that refuse, and of pages that do not open."""
    for why, (obstacle, _) in REASONS.items():
        yield why.replace(" ", "_").replace("-", "_"), f"… {obstacle}."
    for name, (message, _) in ERRORS.items():
        yield name.lower(), message


def _add(messages: Mapping[str, set[str]], call: ast.Call) -> None:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    code = _text(given["code"]) if "code" in given else KINDS[_name(call.func)]
    message = " ".join(_text(call.args[0]).split()) if call.args else ""
    if code.isidentifier() and any(letter.isalpha() for letter in message):
        shown = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
        messages[code].add(shown.replace("<", "&lt;").replace("`", "'"))


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def _text(node: ast.expr) -> str:
    """The text of an expression, with `…` where it is not written there."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return "…"
