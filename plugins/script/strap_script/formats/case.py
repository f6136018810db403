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
    lines = ["---", *settings, "---", "# Recorded", "", "## Recorded", "### Steps"]
    number, checks = 0, list[str]()
    for each in made.lines:
        if each.line.action == "wait":
            checks = list(_checks(each.line))
            lines += [f"   - `{check}`" for check in checks] if number else []
        else:
            number += 1
            lines.append(f"{number}. {_step(each.line)}")
    lines += ["### Expect", *(f"- `{check}`" for check in checks or ["no failed requests"])]
    return "\n".join(lines) + "\n"


def _step(line: Line) -> str:
    given = line.arguments
    what = str(given.get("ref") or given.get("selector") or "")
    if line.action in WORDS:
        return WORDS[line.action]
    sentences: Mapping[str, str] = {
        "navigate": f"Open {given.get('url', '')}",
        "new_page": f"Open {given.get('url', 'a page')} in a new page",
        "click": f"Click {what or 'the page'}",
        "fill": f"Enter {_said(given.get('value'))} into {what}",
        "type": f"Type {_said(given.get('text'))}{f' into {what}' if what else ''}",
        "press": f"Press {given.get('key')}{f' in {what}' if what else ''}",
        "select": f"Choose {_said(given.get('value'))} in {what}",
        "hover": f"Move the mouse over {what}",
        "upload": f"Put the files {given.get('paths')} into {what}",
        "dialog": f"Answer the dialog: {given.get('value', 'accept')}",
        "scroll": f"Scroll {given.get('text') or 'to ' + what}",
    }
    return f"{sentences.get(line.action, str(line))}."


def _said(value: Any) -> str:
    text = str(value)
    return (
        text
        if text.startswith("{") and text.endswith("}")
        else json.dumps(text, ensure_ascii=False)
    )


def _checks(line: Line) -> Iterator[str]:
    given = line.arguments
    if url := given.get("url"):
        yield f"url {url}"
    if text := given.get("text"):
        yield f"text {json.dumps(text, ensure_ascii=False)}"
    if request := given.get("request"):
        yield f"request {request}"
