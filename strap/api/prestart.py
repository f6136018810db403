"""What calls need that takes long to start: begun before the plugins are loaded, where that pays.

A server that is called at once still has everything to import. Meanwhile it can start what the
call will need, as it was declared when the plugins were loaded last.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from typing import Any, Protocol

from strap.records import record


class Started(Protocol):
    """What a starter has started; it is its taker's, or is abandoned."""

    def abandon(self) -> None:
        """End it: nobody will take it."""


TakeHelper = Callable[[], Any]


@record
class Prestart:
    """Something that a resource works with, and that takes long to start.

    `starter` names a function, as in `package.module:function`. It is called with the fields of
    the call and with `arguments` (JSON) by their names, and returns a `Started`, or None if the
    call does not need it. It runs before anything else is imported, so its module should import
    little. `actions` are those whose calls it is run for. What the call then does not take is
    abandoned when it ends.
    """

    starter: str
    arguments: Mapping[str, Any]
    actions: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return what `start_declared` understands."""
        return asdict(self)


class Prestarted:
    """What was started for the first call of a resource, until somebody takes it."""

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


def checked(helper: Any) -> Prestart:
    """Return `helper` if a plugin declared it well; raises `TypeError` or `ValueError`."""
    if not isinstance(helper, Prestart):
        raise TypeError(f"{type(helper).__name__} is not a Helper")
    module, _, function = helper.starter.partition(":")
    if not module or not function or not all(isinstance(text, str) for text in helper.actions):
        raise ValueError("a Helper has a starter 'package.module:function', and names of actions")
    json.dumps(dict(helper.arguments))
    return helper


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
