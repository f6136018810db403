"""Sockets by which the processes of one user on one machine talk, and nobody else's.

A socket is a file `NAME.TOKEN.sock` of mode 0600 in a folder for the user alone, both ends look
whom the other belongs to, and the server begins with a line that names its version. The file goes
with the server, however that ends.
"""

import os
import re
import socket
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from strap.errors import StartupError, UsageError
from strap.version import __version__

VERSION_LINE = f"strap {__version__}\n".encode()
"""First line that a server sends."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ENDING = ".sock"
_WAITING = 64
"""Connections that wait to be taken."""


def check_name(name: str) -> str:
    """Return the name of a socket; raises `UsageError` unless a file can be called so."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid name: letters, digits, '-' and '_', 64 at most.")
    return name


def listen(folder: Path, name: str) -> tuple[socket.socket, Path]:
    """Return a listening socket and its file; raises `OSError`.

    A process of its own removes the file when this one has ended: a kill leaves nothing.
    """
    import secrets  # with `subprocess` what takes longest here; who connects needs neither

    path = folder / f"{check_name(name)}.{secrets.token_hex(4)}{_ENDING}"
    listener = bind(path)
    listener.listen(_WAITING)
    _remove_at_end(path)
    return listener, path


def bind(path: Path) -> socket.socket:
    """Return a socket whose file is nobody else's from its first moment on; raises `OSError`."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    return listener


def sockets(folder: Path, name: str = "*") -> Iterator[Path]:
    """The files of the sockets called so, or of all."""
    yield from sorted(folder.glob(f"{name}.*{_ENDING}"))


def name_of(path: Path) -> str:
    """Return the name that a socket was made with."""
    return path.name.partition(".")[0]


def connect(path: Path, seconds: float | None = None) -> socket.socket | None:
    """Return a connection, None where nobody listens any more; raises `StartupError`, `OSError`.

    Everything done with it may take so many seconds.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    try:
        if path.lstat().st_uid != os.geteuid():
            raise _foreign(path)
        connection.connect(str(path))
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        with suppress(OSError):
            path.unlink()
        return None
    except PermissionError:
        connection.close()
        raise _foreign(path) from None
    except BaseException:
        connection.close()
        raise
    if peer_user(connection) != os.geteuid():
        connection.close()
        raise _foreign(path)
    return connection


def peer_user(connection: socket.socket) -> int:
    """Return the id of the user whose process is at the other end."""
    if sys.platform == "darwin":
        local, credentials = 0, 1  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred
        return int(struct.unpack("II", connection.getsockopt(local, credentials, 8))[1])
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int(struct.unpack("iii", credentials)[1])  # struct ucred: process, user, group


def _foreign(path: Path) -> StartupError:
    return StartupError(f"{str(path)!r} belongs to another user, and is not used.")


def _remove_at_end(path: Path) -> None:
    """Start what removes the file when this process has ended: it waits at a pipe."""
    import subprocess

    read, write = os.pipe()
    os.set_inheritable(write, False)
    try:
        remover = subprocess.Popen(  # noqa: S603 - the path is strap's own
            ["/bin/sh", "-c", 'read -r _; rm -f "$1"', "sh", str(path)],
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        remover.returncode = 0  # it outlives this process, and is not waited for
    finally:
        os.close(read)
    # `write` stays open for as long as the process lives.
