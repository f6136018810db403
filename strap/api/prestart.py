"""Declaring what calls need that takes long to start, so that it is begun early: `prestarted`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from strap.records import record

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


def checked(helper: Any) -> Prestart:
    """Return `helper` if a plugin declared it well; raises `TypeError` or `ValueError`."""
    if not isinstance(helper, Prestart):
        raise TypeError(f"{type(helper).__name__} is not a Helper")
    module, _, function = helper.starter.partition(":")
    if not module or not function or not all(isinstance(text, str) for text in helper.actions):
        raise ValueError("a Helper has a starter 'package.module:function', and names of actions")
    json.dumps(dict(helper.arguments))
    return helper
