"""The prepared handshake answers: a small cache file, keyed by what decides the answers.

It is read before anything else happens: stdlib only, and no more than a few `stat` calls. A file
is used only if it is whole, the user's own and written for the very same key; what it says is
compared with the real catalog once that is loaded. What else is kept from one start to the next
is kept in the same way, by `read` and `write`.
"""

import json
import os
import sys
from _blake2 import blake2b  # by way of hashlib it loads OpenSSL, which takes longer as well
from stat import S_ISREG
from typing import Any

from strap.version import __version__

_FORMAT = 2
_MAX_BYTES = 1 << 20
_MAX_FILES = 32
_XDG = {"CACHE": "~/.cache", "CONFIG": "~/.config", "DATA": "~/.local/share"}


def load() -> Any:
    """Return what `store` kept for this use of strap, None if there is nothing to rely on."""
    return read(_use(), _state())


def store(content: Any) -> None:
    """Keep `content`, plain JSON; raises `OSError` where the cache cannot be written."""
    write(_use(), _state(), content)


def read(use: bytes, state: bytes) -> Any:
    """Return what `write` kept for `use` in this very `state`, None if there is no such thing."""
    try:
        checksum, digest, body = _read_own(_file(use)).split(b"\n", 2)
        if checksum.decode() == _digest(body) and digest.decode() == _digest(use, state):
            return json.loads(body)
    except (OSError, ValueError):
        pass
    return None


def write(use: bytes, state: bytes, content: Any) -> None:
    """Keep `content`, plain JSON, for `use`; raises `OSError` where that cannot be written.

    There is no temporary file that a kill could leave behind: the checksum in front tells a
    reader whether the file is whole.
    """
    from pathlib import Path

    from strap.atomic_files import make_private

    path, body = _file(use), json.dumps(content).encode()
    make_private(Path(os.path.dirname(path)))
    _make_room(os.path.dirname(path))
    if os.path.lexists(path):
        os.unlink(path)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(fd, f"{_digest(body)}\n{_digest(use, state)}\n".encode() + body)
    finally:
        os.close(fd)


def forget() -> None:
    """Keep nothing for this use of strap: what was kept is not so any more."""
    from contextlib import suppress

    with suppress(OSError):  # there was nothing, or it cannot be helped
        os.unlink(_file(_use()))


def forget_all() -> None:
    """Keep nothing for any use of strap: what is installed has changed."""
    from contextlib import suppress

    with suppress(OSError):
        for entry in os.scandir(folder()):
            if entry.name.endswith(".json"):
                os.unlink(entry.path)


def folder() -> str:
    """Return the folder of the cache files: in `STRAP_HOME`, else in the user's cache."""
    if home := os.environ.get("STRAP_HOME"):
        return os.path.join(os.path.abspath(os.path.expanduser(home)), "cache", "handshake")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/strap/handshake")
    return os.path.join(xdg_folder("CACHE"), "strap", "handshake")


def xdg_folder(kind: str) -> str:
    """Return where the files of a kind are, "CACHE", "CONFIG" or "DATA", by the XDG specification.

    It has paths that are not absolute ignored.
    """
    path = os.environ.get(f"XDG_{kind}_HOME", "")
    return path if os.path.isabs(path) else os.path.expanduser(_XDG[kind])


def configuration_files() -> list[str]:
    """The files that `strap.config` may read, in any order."""
    base = xdg_folder("CONFIG")
    if sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Application Support")
    user = os.path.join(base, "strap", "strap.toml")
    return [os.environ.get("STRAP_CONFIG", ""), "strap.toml", user]


def _use() -> bytes:
    """Return the key of a use: interpreter, arguments, folder, `STRAP_` variables.

    It may hold credentials, so nothing but its digest is written.
    """
    environ = sorted((k, v) for k, v in os.environ.items() if k.startswith("STRAP_"))
    return json.dumps([sys.prefix, sys.argv[1:], os.getcwd(), environ]).encode()


def _state() -> bytes:
    """Return the state that answers depend on: versions, times of configuration and packages.

    Other folders of the path, as the working directory, change all the time without meaning.
    """
    arguments = [part for argument in sys.argv[1:] for part in argument.split("=", 1)]
    files = [_time(file) for file in (*configuration_files(), *arguments)]
    folders = [[path, _time(path) if path.endswith("-packages") else []] for path in sys.path]
    return json.dumps([_FORMAT, __version__, sys.version, files, folders]).encode()


def _digest(*parts: bytes) -> str:
    return blake2b(b"\0".join(parts), digest_size=16).hexdigest()


def _file(use: bytes) -> str:
    return os.path.join(folder(), f"{_digest(use)}.json")


def _read_own(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(fd)
        own = status.st_uid == os.getuid() and not status.st_mode & 0o022
        if not (S_ISREG(status.st_mode) and own and status.st_size <= _MAX_BYTES):
            raise ValueError("not a file of this user alone")
        return os.read(fd, _MAX_BYTES)
    finally:
        os.close(fd)


def _time(path: str) -> list[int]:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return []
    return [status.st_mtime_ns, status.st_size]


def _make_room(parent: str) -> None:
    entries = sorted(os.scandir(parent), key=lambda entry: entry.stat().st_mtime_ns)
    for entry in entries[: -_MAX_FILES + 1]:
        os.unlink(entry.path)
