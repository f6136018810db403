"""Lists of actions in files: what a plugin adds is known, and none of its modules is imported.

To import all actions of strap takes as long as all else that a first call waits for. Such a file
repeats what `@action` has found out; it is written from the functions (`docs/generate.py`), a test
compares, and so does the first call. It is for the plugins of strap alone.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from strap.api.actions import Action, ActionField, Code, declaration
from strap.api.extras import Extra
from strap.errors import ActionError, StartupError
from strap.faults import is_fault

FILE = "actions.json"
PLAIN = (
    *("resource", "name", "effect", "timeout"),
    *("asks_caller", "asks_person", "acts_as", "includes", "blocking", "advertised", "before"),
    *("destination", "part"),
)
log = logging.getLogger(__name__)


class ListedCode(Code):
    """Code of a listed action, whose module is imported on demand."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.fields = {name: ActionField(*field) for name, field in entry["fields"].items()}
        self._entry = entry
        self._code: Code | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether it is imported."""
        return self._code is not None

    def load(self) -> Code:
        """Return it, imported; raises `ActionError` where that fails, and logs why."""
        if self._code is None:
            name = f"{self._entry['resource']}.{self._entry['name']}"
            try:
                self._code = _imported(self._entry)
            except BaseException as error:
                if not is_fault(error):
                    raise
                log.exception("%s cannot be loaded", name)
                raise ActionError(
                    f"{name} cannot be loaded ({type(error).__name__}); the details are in strap's "
                    "log.",
                    hint="Other actions may work. Whoever runs strap: restart it, as it may have "
                    "been upgraded while it ran, or ask 'strap doctor'.",
                    code="internal",
                ) from error
        return self._code


def _imported(entry: Mapping[str, Any]) -> Code:
    module, _, name = entry["place"].partition(":")
    declared = declaration(getattr(import_module(module), name))
    if json.loads(json.dumps(_entry(declared))) != entry:
        raise StartupError(
            f"{module} declares {name} as another action than the list of its plugin ({FILE}) says."
        )
    return declared.code


def write_actions(functions: Iterable[Callable[..., Any]]) -> str:
    """Return the file that tells of these actions, one a line, in their order."""
    lines = (json.dumps(_entry(declaration(function))) for function in functions)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def read_actions(beside: str) -> list[Action]:
    """Return the actions of the file `actions.json` beside a module, by the `__file__` of that."""
    return [_read(entry) for entry in json.loads(Path(beside).with_name(FILE).read_bytes())]


def _entry(action: Action) -> dict[str, Any]:
    function = action.function
    plain = {key: getattr(action, key) for key in PLAIN}
    return plain | {
        "place": f"{function.__module__}:{function.__name__}",
        "extra": action.extra and asdict(action.extra),
        "fields": {
            name: [*(field[:2] if field.advertised else field)]
            for name, field in action.fields.items()
        },
    }


def _read(entry: dict[str, Any]) -> Action:
    plain, extra = {key: entry[key] for key in PLAIN}, entry["extra"]
    if extra is not None:
        extra = Extra(**{**extra, "modules": tuple(extra["modules"])})
    plain |= {name: tuple(plain[name]) for name in ("acts_as", "includes")}
    return Action(**plain, extra=extra, code=ListedCode(entry))
