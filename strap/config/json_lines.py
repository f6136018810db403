"""The log as JSON, an object a line, for programs that collect logs."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from strap.config.secrets import Secrets

MESSAGE = 2_000
"""Characters of a message: pages and models may have had a hand in it."""
TRACE = 8_000
"""Characters of a traceback, of its end."""


class JsonLines(logging.Formatter):
    """Makes an object of a record: `time` (UTC), `level`, `event`, and what that event tells.

    Events are dicts that are logged with `extra={"event": …}`; any other record is one called
    `log`, with `logger`, `message` and, after an exception, `error`. There `secrets` are hidden.
    """

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        entry = getattr(record, "event", None) or self._described(record)
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return json.dumps({"time": when, "level": record.levelname.lower(), **entry}, default=str)

    def _described(self, record: logging.LogRecord) -> dict[str, Any]:
        message = self._secrets.hide(record.getMessage())[:MESSAGE]
        entry = {"event": "log", "logger": record.name, "message": message}
        if record.exc_info:
            entry["error"] = self._secrets.hide(self.formatException(record.exc_info))[-TRACE:]
        return entry
