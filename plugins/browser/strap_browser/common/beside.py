"""Work whose length a page decides, beside the event loop: other calls go on meanwhile."""

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")
LONG = 100_000
"""Characters of JSON from which on it comes to so much that the collector would stir."""


async def beside(work: Callable[[], T], *, large: bool) -> T:
    """Return what `work` returns; what is `large` is done in a thread, the rest at once.

    A thread costs a small page more than it spares the others. What is cancelled meanwhile goes on
    to its end, unseen: `work` is bounded by itself, and changes nothing that is not locked.
    """

    def undisturbed() -> T:
        with _without_collector():
            return work()

    return await asyncio.to_thread(undisturbed) if large else work()


def read_json(text: str) -> Any:
    """Return what the JSON `text` of a page says."""
    if len(text) <= LONG:
        return json.loads(text)
    with _without_collector():
        return json.loads(text)


class _CollectorPause:
    """Nothing is looked through for garbage while much comes to be that is none.

    Python would do so several times, and each takes longer than the work itself: tenths of a second
    for the tree of a large page, in which no thread gets on. Pauses overlap: the last one ends it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            pausing = self._running > 0 or gc.isenabled()
            self._running += pausing
            gc.disable()
        try:
            yield
        finally:
            with self._lock:
                self._running -= pausing
                if pausing and not self._running:
                    gc.enable()


_without_collector = _CollectorPause()
