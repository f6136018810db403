"""Downloads of Firefox, which names files by itself, under the ids that the engine looks for."""

import secrets
from typing import Any

Params = dict[str, Any]


class Running:
    """The downloads on their way."""

    def __init__(self) -> None:
        self.folder: str | None = None
        """Folder that they are saved in, None where the browser decides."""
        self._ids: dict[tuple[str, str], str] = {}

    def begin(self, told: Params) -> str:
        """Return an id for a download."""
        made = self._ids[self._key(told)] = secrets.token_hex(16)
        return made

    def end(self, told: Params) -> str | None:
        """Return the id of a download that ended, None of one that nobody knows."""
        return self._ids.pop(self._key(told), None)

    def _key(self, told: Params) -> tuple[str, str]:
        return told["context"], str(told.get("download") or told.get("navigation") or told["url"])
