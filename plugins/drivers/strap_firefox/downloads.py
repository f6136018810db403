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

    def begin(self, event: Params) -> str:
        """Return an id for a download."""
        made = self._ids[self._key(event)] = secrets.token_hex(16)
        return made

    def end(self, event: Params) -> str | None:
        """Return the id of a download that ended, None of one that nobody knows."""
        return self._ids.pop(self._key(event), None)

    def _key(self, event: Params) -> tuple[str, str]:
        return event["context"], str(
            event.get("download") or event.get("navigation") or event["url"]
        )
