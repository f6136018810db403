"""The page of error codes, from the places in the source that raise them."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("strap", "plugins")
KINDS = {
    "ActionError": "failed",
    "PolicyDenied": "denied",
    "StartupError": "startup",
    "UsageError": "invalid_arguments",
}
"""The classes of errors, and the code of those that name none of their own."""
MEANINGS: Mapping[str, str] = {
    "browser_unstable": "The browser ended again and again. `strap doctor` starts it once.",
    "declined": "A person said no: repeating the call only asks them again.",
    "denied": "The policy or the network guard forbids it; trying again cannot help.",
    "dialog_open": "A dialog of the page waits for an answer: `browser.dialog`.",
    "failed": "It was tried and did not work; the message says why.",
    "invalid_arguments": "The call cannot be meant so; nothing was opened. The message says why.",
    "needs_confirmation": "The setting `confirm` wants a person's yes, and nobody could be asked.",
    "no_browser": "There is no Chrome, Chromium or Edge, or no Firefox: `strap browser install`.",
    "no_page": "There is no page yet: `browser.navigate`.",
    "environment": "The agent's own environment is unfit, or cannot be made: `strap agent`.",
    "not_installed": "An extra is missing; the hint has the command that installs it.",
    "not_running": "The browser was not launched: `browser.launch`, or the setting `auto_launch`.",
    "page_lost": "The page crashed, hung, or went with its browser; a blank one took its place.",
    "secret": "A secret is not for that origin, or there is none of that name.",
    "timeout": "The time of the call was over. `timeout` gives it more.",
    "unanswered": "A person was asked for a yes and did not answer in time.",
    "unknown_action": "There is no such action; the message has the nearest and all names.",
    "unknown_resource": "There is no such resource, or its plugin is not in use: `strap doctor`.",
}
"""What to do, where more than a message is to be said."""
_LONGEST = 160


def lines() -> Iterator[str]:
    """Yield the page below its title."""
    yield "An error says what happened, why, and the next call to make. `strap call --json` and the"
    yield "exception in Python have its `code` as well, which stays when words change; `retryable`"
    yield "tells whether the same call may succeed later."
    for code, messages in sorted(found().items()):
        yield from ("", f"## {code}", "")
        if code in MEANINGS:
            yield from (MEANINGS[code], "")
        yield from (f"- {message}" for message in messages)


def found() -> dict[str, list[str]]:
    """Return the messages of each code, as the source has them; `…` is what a call fills in."""
    messages: defaultdict[str, set[str]] = defaultdict(set)
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and _name(node.func) in KINDS:
                    _add(messages, node)
    return {code: sorted(said) for code, said in messages.items()}


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
