"""Objects that tell of events."""

from collections import deque
from collections.abc import Callable
from typing import Any

Handler = Callable[[Any], object]


class EventSource:
    """Tells handlers of events; the last `unheard` ones wait until somebody asks for them."""

    def __init__(self, unheard: int = 0) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self._unheard = deque[tuple[str, Any]](maxlen=unheard)

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` at each such event."""
        self._handlers.setdefault(event, []).append(handler)

    def emit(self, event: str, payload: Any) -> None:
        """Tell of an event."""
        self._unheard.append((event, payload))
        for handler in self._handlers.get(event, ()):
            handler(payload)

    def tell_unheard(self) -> None:
        """Tell once more of what happened so far, and keep no more of it."""
        unheard, self._unheard = self._unheard, deque(maxlen=0)
        for event, payload in unheard:
            self.emit(event, payload)

    def listens_to(self, event: str) -> bool:
        """Whether anybody hears of such an event."""
        return event in self._handlers
