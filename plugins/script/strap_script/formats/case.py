"""A case for `strap test`: steps in words, and checks of what came of them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from strap.scripts.script import Line
from strap_script.recording import Recording

WORDS = {
    "back": "Go back.",
    "forward": "Go forward.",
    "reload": "Load the page again.",
    "close_page": "Close the page.",
}


def as_case(made: Recording) -> str:
    """Return the text of a file of cases."""
    params = {name: value for name, value in made.script.params.items() if name != "base_url"}
    settings = [f"base_url: {json.dumps(made.script.params.get('base_url') or '')}"]
    if params:
        settings.append("params:")
        settings += [f"  {name}: {json.dumps(value or '')}" for name, value in params.items()]
    lines = [
        "---",
        *settings,
        "---",
        f"# {made.script.comment or 'Recorded'}",
        "",
        "## Recorded",
        "### Steps",
    ]
    number, checks = 0, list[str]()
    for recorded in made.lines:
        if recorded.line.action == "wait":
            checks = list(_checks(recorded.line))
            lines += [f"   - `{check}`" for check in checks] if number else []
        else:
            number += 1
            lines.append(f"{number}. {_step(recorded.line)}")
    lines += ["### Expect", *(f"- `{check}`" for check in checks or ["no failed requests"])]
    return "\n".join(lines) + "\n"


def _step(line: Line) -> str:
    fields = line.arguments
    what = str(fields.get("ref") or fields.get("selector") or "")
    if line.action in WORDS:
        return WORDS[line.action]
    sentences: Mapping[str, str] = {
        "navigate": f"Open {fields.get('url', '')}",
        "new_page": f"Open {fields.get('url', 'a page')} in a new page",
        "click": f"Click {what or 'the page'}",
        "fill": f"Enter {_quoted(fields.get('value'))} into {what}",
        "type": f"Type {_quoted(fields.get('text'))}{f' into {what}' if what else ''}",
        "press": f"Press {fields.get('key')}{f' in {what}' if what else ''}",
        "select": f"Choose {_quoted(fields.get('value'))} in {what}",
        "hover": f"Move the mouse over {what}",
        "upload": f"Put the files {fields.get('paths')} into {what}",
        "dialog": f"Answer the dialog: {fields.get('value', 'accept')}",
        "scroll": f"Scroll {fields.get('text') or 'to ' + what}",
    }
    return f"{sentences.get(line.action, str(line))}."


def _quoted(value: Any) -> str:
    text = str(value)
    return (
        text
        if text.startswith("{") and text.endswith("}")
        else json.dumps(text, ensure_ascii=False)
    )


def _checks(line: Line) -> Iterator[str]:
    fields = line.arguments
    if url := fields.get("url"):
        yield f"url {url}"
    if text := fields.get("text"):
        yield f"text {json.dumps(text, ensure_ascii=False)}"
    if request := fields.get("request"):
        yield f"request {request}"
