"""Folders of kept sessions, and digests of the settings that they began with.

Standard library alone: a call of a kept session reads no configuration.
"""

import json
import os
from _blake2 import blake2b  # by way of hashlib it loads OpenSSL
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from strap import local_socket
from strap.errors import StartupError
from strap.prepared_answers import configuration_files
from strap.runtime_folder import changed, runtime_folder

DEFAULT = "main"
"""The name of the session where none is given."""
VARIABLE = "STRAP_SESSION"
"""Names the session that calls belong to."""
_LOG = "log"
_PLACE = ("file", "home")


def folder(settings: Mapping[str, Any]) -> Path:
    """Return the folder of the sessions of one data directory and configuration; it is made.

    Raises `StartupError` where the user has no folder of its own.
    """
    home = settings.get("home") or os.environ.get("STRAP_HOME") or ""
    place = [str(Path(home).expanduser().absolute()) if home else "", *_file(settings)[:1]]
    path = _root() / f"kept-{_digest(place)}"
    path.mkdir(mode=0o700, exist_ok=True)
    if changed(path) is None:
        raise StartupError(f"{str(path)!r} is not yours alone, so no session is kept there.")
    return path


def digest(settings: Mapping[str, Any]) -> str:
    """Return what tells sessions apart that were begun with other settings."""
    options = {k: v for k, v in settings.items() if k not in (*_PLACE, _LOG)}
    environ = {k: v for k, v in os.environ.items() if k.startswith("STRAP_") and k != VARIABLE}
    return _digest([options, environ, _file(settings)])


def all_sockets() -> Iterator[Path]:
    """The sockets of all sessions of the user, whatever their data directory."""
    for path in sorted(_root().glob("kept-*")):
        if changed(path) is not None:
            yield from local_socket.sockets(path)


def _root() -> Path:
    root = runtime_folder()
    if root is None:
        raise StartupError("Sessions are kept on Linux and macOS only.")
    root.mkdir(mode=0o700, exist_ok=True)
    if changed(root) is None:
        raise StartupError(f"{str(root)!r} is not yours alone, so no session is kept there.")
    return root


def _file(settings: Mapping[str, Any]) -> list[Any]:
    file = settings.get("file")
    for name in [file] if file else configuration_files():
        path = Path(name).expanduser()
        if name and path.is_file():
            status = path.stat()
            return [str(path.absolute()), status.st_mtime_ns, status.st_size]
    return []


def _digest(value: Any) -> str:
    return blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).hexdigest()
