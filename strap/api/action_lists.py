"""Lists of actions in files: what a plugin adds is known, and none of its modules is imported.

To import all actions of strap takes as long as all else that a first call waits for. Such a file
repeats what `@action` has found out; it is written from the functions (`docs/generate.py`), and a
test compares.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from strap.api.actions import Action, ActionField, NamedCode, declaration
from strap.api.extras import Extra

FILE = "actions.json"
PLAIN = (
    *("resource", "name", "effect", "timeout"),
    *("asks_caller", "asks_person", "acts_as", "blocking", "advertised"),
)


def write_actions(functions: Iterable[Callable[..., Any]]) -> str:
    """Return the file that tells of these actions, one a line, in their order."""
    lines = (json.dumps(_told(declaration(each))) for each in functions)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def read_actions(beside: str) -> list[Action]:
    """Return the actions of the file `actions.json` beside a module, by the `__file__` of that."""
    return [_read(told) for told in json.loads(Path(beside).with_name(FILE).read_bytes())]


def _told(action: Action) -> dict[str, Any]:
    function = action.function
    plain = {key: getattr(action, key) for key in PLAIN}
    return plain | {
        "place": f"{function.__module__}:{function.__name__}",
        "extra": action.extra and asdict(action.extra),
        "fields": {name: [*field] for name, field in action.fields.items()},
    }


def _read(told: dict[str, Any]) -> Action:
    place, extra, fields = (told.pop(key) for key in ("place", "extra", "fields"))
    if extra is not None:
        extra = Extra(**{**extra, "modules": tuple(extra["modules"])})
    code = NamedCode(place, {name: ActionField(*field) for name, field in fields.items()})
    return Action(**{**told, "acts_as": tuple(told["acts_as"])}, extra=extra, code=code)
