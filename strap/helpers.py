"""Processes that resources work with, and that need not wait until the plugins are loaded."""

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from subprocess import PIPE, Popen
from typing import Any

TakeHelper = Callable[[], "Popen[bytes] | None"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Helper:
    """A process that talks over its standard input and output, and ends with its input.

    `command` is what to run, `environ` is added to the environment, `actions` are those that need
    the process. A server that is called by one of them before its plugins are loaded starts the
    process at once, as it was declared when the plugins were loaded last.
    """

    command: tuple[str, ...]
    environ: Mapping[str, str]
    actions: tuple[str, ...]

    def start(self) -> "Popen[bytes]":
        """Start the process; raises `OSError`."""
        return start(self.command, self.environ)

    def as_json(self) -> dict[str, Any]:
        """Return what `start_declared` understands."""
        return asdict(self)


def checked(helper: Any) -> Helper:
    """Return `helper` if a plugin declared it well; raises `TypeError`."""
    if not isinstance(helper, Helper):
        raise TypeError(f"{type(helper).__name__} is not a Helper")
    texts = (*helper.command, *helper.actions, *helper.environ, *helper.environ.values())
    if not helper.command or not all(isinstance(text, str) for text in texts):
        raise TypeError("command, environ and actions of a Helper hold strings")
    return helper


def start(command: tuple[str, ...], environ: Mapping[str, str]) -> "Popen[bytes]":
    """Start a helper with unbuffered pipes; raises `OSError`."""
    return Popen(  # noqa: S603 - declared by a plugin
        command, stdin=PIPE, stdout=PIPE, bufsize=0, env={**os.environ, **environ}
    )


def start_declared(declared: Mapping[str, Any], action: Any) -> "Popen[bytes] | None":
    """Start the helper of an earlier `as_json` if `action` needs it and it can be started."""
    if action not in declared["actions"]:
        return None
    try:
        return start(tuple(declared["command"]), declared["environ"])
    except OSError:
        return None  # whoever needs it starts it in vain as well, and says why
