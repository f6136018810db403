"""The worker's line to strap: one JSON object a line, over a socket that nobody else knows.

The end of the input means that strap is gone, or does not want the worker any more: the process
ends at once.
"""

import json
import os
import threading
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]


class Channel:
    """Sends from any thread; received messages go to `listener` in a thread of the channel."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, op: str, **fields: Any) -> None:
        """Send a message; ends the process where nobody reads any more."""
        data = json.dumps({"op": op, **fields}, default=str).encode() + b"\n"
        with self._lock:
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                os._exit(0)

    def listen(self, listener: Callable[[Message], object]) -> None:
        """Pass every message to `listener` until the end of the process."""
        threading.Thread(target=self._listen, args=(listener,), daemon=True).start()

    def _listen(self, listener: Callable[[Message], object]) -> None:
        try:
            with os.fdopen(os.dup(self._descriptor), "rb") as lines:
                for line in lines:
                    listener(json.loads(line))
        finally:
            os._exit(0)
