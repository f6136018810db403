"""Links to the files that calls wrote, for clients that do not share the server's disk.

A link has nothing that can be guessed, and leads its own session there alone. Where a protocol has
no sessions it leads whoever shows it, and the token of the principal that it was made for. It leads
to what was written: not to what another call puts in that place.
"""

import json
import os
import secrets
import stat
import time
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from mimetypes import MimeTypes
from pathlib import Path
from typing import Any
from urllib.parse import quote

from strap.errors import ActionError

SCHEME = "strap://files/"
SHOWN = 8
"""Links in one answer, those of the files that were written last; the list has the others."""
KEPT = 1_000
"""Links of one principal; beyond that the oldest lead nowhere."""
LIFE = 1800.0
"""Seconds after which a link without a session leads nowhere, unless it is used."""
PART = 640 << 10
"""Bytes that are read at once: in base64 they fit into a server-sent event, as clients take it."""
MOST_TEXT = (1 << 20) - (1 << 17)
"""Bytes of a text in JSON; a longer one is sent in base64, too."""
_TYPES = MimeTypes()
_MORE_TYPES = {".jsonl": "application/x-ndjson", ".md": "text/markdown"}
_TEXTS = ("application/json", "application/xml", "application/x-ndjson")


@dataclass(kw_only=True, slots=True)
class LinkedFile:
    """A file behind a link."""

    uri: str
    path: Path
    session: str | None
    size: int
    identity: tuple[int, ...]
    """Values that tell the file from any other in its place."""
    used: float = field(default_factory=time.monotonic)

    @property
    def parts(self) -> int:
        """How many there are to be read."""
        return max(1, -(-self.size // PART))

    @property
    def mime(self) -> str:
        """The media type that its name stands for."""
        mime, encoding = _TYPES.guess_type(self.path.name)
        mime = _MORE_TYPES.get(self.path.suffix.lower(), mime)
        return (mime if encoding is None else None) or "application/octet-stream"

    def resource(self) -> dict[str, Any]:
        """Return what is told of it (MCP, `Resource`)."""
        fields: dict[str, Any] = {"uri": self.uri, "name": self.path.name, "mimeType": self.mime}
        if self.parts > 1:
            fields["description"] = f"Read it in parts: ?part=1 to ?part={self.parts}."
        return {**fields, "size": self.size}

    def read(self, query: str) -> dict[str, Any]:
        """Return the file or a part of it, as `part=2` (MCP, `ResourceContents`).

        Blocks; raises `ActionError`.
        """
        number = self._number(query)
        content = self._bytes((number - 1) * PART)
        fields = {"uri": self.uri + (query and f"?{query}"), "mimeType": self.mime}
        if not query and (self.mime.startswith("text/") or self.mime in _TEXTS):
            with suppress(UnicodeDecodeError):
                text = content.decode()
                if len(json.dumps(text)) <= MOST_TEXT:
                    return {**fields, "text": text}
        return {**fields, "blob": b64encode(content).decode()}

    def _number(self, query: str) -> int:
        if not query and self.parts == 1:
            return 1
        name, _, digits = query.partition("=")
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0
        if name != "part" or not 1 <= number <= self.parts:
            raise ActionError(
                f"{self.path.name!r} has {self.size:,} bytes. "
                f"Read {self.uri}?part=1 to {self.uri}?part={self.parts}."
            )
        return number

    def _bytes(self, start: int) -> bytes:
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                if identity(os.fstat(handle)) == self.identity:
                    file.seek(start)
                    return file.read(PART)
        except OSError as error:
            raise ActionError(f"{self.path.name!r} cannot be read: {error.strerror}.") from None
        raise ActionError(f"{self.path.name!r} was written anew, by another call.")


class LinkedFiles:
    """The links of one principal."""

    def __init__(self) -> None:
        self._files: dict[str, LinkedFile] = {}
        self._uris: dict[tuple[Path, str], str] = {}
        """URIs of files that are linked already, by path and session."""

    def link(self, files: Iterable[Path], session: str | None) -> list[dict[str, Any]]:
        """Return the contents of an answer (MCP, `ResourceLink`) for files that were written."""
        self._forget([file for file in self._files.values() if _is_over(file)])
        paths = list(dict.fromkeys(reversed(list(files))))[:KEPT]  # the last first, each once
        added = [added_file for path in reversed(paths) if (added_file := self._add(path, session))]
        shown = reversed(added[-SHOWN:])
        return [{"type": "resource_link", **file.resource()} for file in shown]

    def listed(self, session: str | None) -> list[dict[str, Any]]:
        """Return the files of a session (MCP, `Resource`), those that were written last first.

        Where there are no sessions nothing tells one client from another: nothing is listed.
        """
        own = [file for file in self._files.values() if file.session == session is not None]
        return [file.resource() for file in reversed(own)]

    def find(self, uri: str, session: str | None) -> LinkedFile | None:
        """Return the file that a session's link leads to, None where it leads nowhere."""
        file = self._files.get(uri)
        if file is None or file.session != session or _is_over(file):
            return None
        file.used = time.monotonic()
        return file

    def end(self, session: str) -> None:
        """Forget the links of a session; the files stay."""
        self._forget([file for file in self._files.values() if file.session == session])

    def _add(self, path: Path, session: str | None) -> LinkedFile | None:
        try:
            status = path.lstat()
        except OSError:
            return None
        uri = f"{SCHEME}{secrets.token_urlsafe(16)}/{quote(path.name)}"
        if session is not None:
            uri = self._uris.setdefault((path, session), uri)
        made = LinkedFile(
            uri=uri, path=path, session=session, size=status.st_size, identity=identity(status)
        )
        self._files.pop(uri, None)  # it becomes the newest
        self._files[uri] = made
        if len(self._files) > KEPT:
            self._forget([next(iter(self._files.values()))])
        return made

    def _forget(self, files: Iterable[LinkedFile]) -> None:
        for file in files:
            del self._files[file.uri]
            self._uris.pop((file.path, file.session or ""), None)


def identity(status: os.stat_result) -> tuple[int, ...]:
    """Return what changes when a file is replaced or written to."""
    kind = stat.S_IFMT(status.st_mode)
    return kind, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


def _is_over(file: LinkedFile) -> bool:
    return file.session is None and time.monotonic() - file.used > LIFE
