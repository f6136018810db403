"""Slow helpers of a call, started before the plugins are loaded.

A server that is called at once still has everything to import. Meanwhile it can start what the
call will need, as it was declared when the plugins were loaded last (`Prestart`). Nothing else is
imported by then: this module imports next to nothing.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol


class Started(Protocol):
    """Helper that was started; whoever takes it owns it, else it is abandoned."""

    def abandon(self) -> None:
        """End it: nobody will take it."""


class Prestarted:
    """Helper started for the first call of a resource, until somebody takes it."""

    def __init__(self, action: str, started: Started) -> None:
        """`action` is that of the call."""
        self.wasted = False
        """Whether it was abandoned: what was declared is not what was needed."""
        self._action = action
        self._started: Started | None = started

    def take(self) -> Any:
        """Return it, unless it was taken or abandoned."""
        started, self._started = self._started, None
        return started

    def abandon_after(self, action: str) -> None:
        """End it if nobody has taken it, and a call of `action` was to do so: it has ended."""
        if action == self._action:
            self.abandon()

    def abandon(self) -> None:
        """End it if nobody has taken it."""
        if (started := self.take()) is not None:
            self.wasted = True
            started.abandon()


def start_declared(declared: Mapping[str, Any], fields: Mapping[str, Any]) -> Prestarted | None:
    """Start what a call with these fields needs, as `Helper.as_json` has declared it.

    What does not start is done without: whoever needs it starts it in vain as well, and says why.
    """
    action = fields.get("action")
    if action not in declared["actions"]:
        return None
    module, _, function = declared["starter"].partition(":")
    try:
        started = getattr(import_module(module), function)(fields, **declared["arguments"])
    except Exception:  # noqa: BLE001 - code of plugins, before there is a log
        return None
    return None if started is None else Prestarted(str(action), started)
