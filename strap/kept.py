"""Values found on sites, kept a while so that a further call can go on from them."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

MOST = 16
MAX_AGE = 900.0
"""Seconds, as of the documents of `http.fetch`."""

Value = TypeVar("Value")
Key = tuple[str, ...]
"""The caller, and what it asked for."""


class Kept(Generic[Value]):
    """The values that were used last, bounded in number and age."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: OrderedDict[Key, tuple[float, Value]] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return the value if it is still there."""
        since, value = self._entries.get(key, (0.0, None))
        return value if value is not None and self._clock() - since <= MAX_AGE else None

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, and drop those used longest ago."""
        self._entries.pop(key, None)
        self._entries[key] = self._clock(), value
        while len(self._entries) > MOST:
            self._entries.popitem(last=False)

    def drop(self, key: Key) -> None:
        """Keep the value no longer, if there is one."""
        self._entries.pop(key, None)

    def forget(self, caller: str) -> None:
        """Drop what a caller has, under all handles that it has used."""
        for key in [k for k in self._entries if k[0] == caller or k[0].startswith(f"{caller}/")]:
            del self._entries[key]
