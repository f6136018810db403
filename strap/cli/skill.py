"""`SKILL.md`: what a coding agent has to know to use strap from its shell.

Made from the catalog, so that it names what works here and no more; the same bytes every time.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from strap.atomic_files import write_atomically
from strap.routing.catalog import Catalog
from strap.routing.tool_schema import description

NAME = "strap"
FOLDERS = {
    "amp": "~/.config/agents/skills",
    "claude-code": "~/.claude/skills",
    "codex": "~/.codex/skills",
    "copilot-cli": "~/.copilot/skills",
    "cursor": "~/.cursor/skills",
    "gemini-cli": "~/.gemini/skills",
    "goose": "~/.config/goose/skills",
    "opencode": "~/.config/opencode/skills",
}
"""Folder of each client for the skills of its user."""
_USES = {
    "http": "fetch pages, feeds, PDF files and JSON as text",
    "search": "search the web",
    "browser": "drive a real browser (click, fill in forms, take screenshots, read the console)",
}
_INTRODUCTION = """---

# strap

`strap call RESOURCE ACTION key=value …` makes a call and prints its answer as text. Exit status: 0,
1 for a failed call, 2 for a wrong one; an error says what to do. The one required field may come
without its name. `--json` prints an object with `ok`, `text`, `data` and `error`.
"""
_ACTIONS = """
## Actions

Required fields, [optional fields]. `strap call http help value=fetch` tells all of one action.
"""
_EXAMPLES = {
    "http": """
## Read a page

```sh
strap call http fetch https://example.com/
strap call http fetch https://example.com/ text="opening hours"   # only passages with these words
strap call http fetch https://example.com/ output=page.html       # the body, as a file
```

The first line of the answer is status, type and address. A long document ends with the `start=…`
that gives its next part.
""",
    "search": """
## Search

```sh
strap call search query "web standards" limit=5
```
""",
    "browser": """
## Drive a browser

Calls share a browser where they share a session; give it a name of its own.

```sh
export STRAP_SESSION=task
strap call browser launch
strap call browser navigate https://example.com/
strap call browser snapshot                      # the page as lines, with refs such as e1
strap call browser click ref=e1
strap call browser screenshot output=page.png
strap call browser console
strap call browser close                         # ends the session too
```

Take refs from the last answer: after each action it says what changed, and the refs of what is new.
A ref stays with its element. Look at a picture only where the text does not tell.
""",
}


def skill(catalog: Catalog) -> str:
    """Return the text of `SKILL.md`, with a line break at its end."""
    return "\n".join(_lines(catalog)) + "\n"


def install(catalog: Catalog, folder: Path) -> Path:
    """Write the skill below a folder of skills and return its file; raises `OSError`."""
    file = folder.expanduser() / NAME / "SKILL.md"
    write_atomically(file, skill(catalog).encode(), private=False)
    return file


def _lines(catalog: Catalog) -> Iterator[str]:
    names = catalog.advertised_names()
    uses = [use for resource, use in _USES.items() if resource in names]
    yield from ("---", f"name: {NAME}")
    about = f"Use the web from the shell: {'; '.join(uses)}."
    yield f"description: {json.dumps(about)}"
    yield _INTRODUCTION.rstrip()
    for resource, example in _EXAMPLES.items():
        if resource in names:
            yield example.rstrip()
    yield _ACTIONS.rstrip()
    yield ""
    yield from (f"- {line}" for line in description(catalog).splitlines()[1:-1])
