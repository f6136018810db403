"""The side of a kept session that each `strap call` is."""

import fcntl
import json
import os
import socket
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from strap import local_socket
from strap.cli.kept.sessions import digest, folder
from strap.errors import StartupError
from strap.mcp.signals import ending

KEEPER = (sys.executable, "-m", "strap.cli.kept.keeper")


class KeptSession:
    """A connection to the process that keeps a session; use it by `closing`."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")
        self._name = name
        self._version = self._lines.readline()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return its answer; raises `StartupError` where it has ended."""
        with ending.answered_by(self._end_call):
            answer = self._request(request)
            while "question" in answer:
                yes = self._says_yes(answer["question"])
                answer = self._request({"do": "reply", "number": answer["number"], "yes": yes})
        return answer

    def _end_call(self) -> None:
        with suppress(OSError):
            self._connection.sendall(b'{"do": "end"}\n')

    def _request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            if ending.came:
                self._end_call()
            line = self._lines.readline()
        except OSError:
            line = b""
        if not line:
            raise StartupError(f"Session {self._name!r} has ended: the next call begins a new one.")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def check(self) -> None:
        """Raise `StartupError` for a session that another version of strap keeps."""
        if self._version != local_socket.VERSION_LINE:
            theirs = self._version.decode(errors="replace").strip() or "something else"
            raise StartupError(
                f"Session {self._name!r} is kept by {theirs}, and this is "
                f"{local_socket.VERSION_LINE.decode().strip()}.",
                hint=f"Close it: strap sessions close {self._name}",
            )

    def _says_yes(self, question: str) -> bool | None:
        """Ask the person at this terminal; None where there is none, or a signal comes."""
        from strap.cli.asking import ask_terminal
        from strap.errors import ActionError

        try:
            with ending.interrupting():
                return ask_terminal(question)
        except ActionError:
            return None
        except KeyboardInterrupt:
            self._end_call()
            return None

    def end(self) -> None:
        """End the session; returns when its process has."""
        self._connection.sendall(b'{"do": "close"}\n')
        while self._lines.readline():
            pass

    def close(self) -> None:
        """Close the connection; the session stays."""
        self._lines.close()
        self._connection.close()


def open_session(name: str, settings: Mapping[str, Any]) -> KeptSession:
    """Return the session called so, which is begun if there is none; raises `StartupError`."""
    place = folder(settings)
    lock = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)  # or two first calls would begin two sessions
        session = find(place, name)
        if session is None:
            _begin(name, place, settings)
            session = find(place, name)
    finally:
        os.close(lock)
    if session is None:
        raise StartupError(f"Session {name!r} ended as it began.")
    return session


def find(place: Path, name: str) -> KeptSession | None:
    """Return the session of a folder called so, if there is one."""
    local_socket.check_name(name)
    for path in local_socket.sockets(place, name):
        if (connection := local_socket.connect(path)) is not None:
            return KeptSession(connection, name)
    return None


def _begin(name: str, place: Path, settings: Mapping[str, Any]) -> None:
    import subprocess

    begun = {
        "name": name,
        "folder": str(place),
        "settings": dict(settings),
        "digest": digest(settings),
    }
    keeper = subprocess.Popen(  # noqa: S603 - strap itself
        KEEPER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    with keeper.stdin, keeper.stdout:
        keeper.stdin.write(json.dumps(begun).encode())
        keeper.stdin.close()
        line = keeper.stdout.readline()
    keeper.returncode = 0  # it outlives this process, and is not waited for
    if line != b"\n":
        why = line.decode(errors="replace").strip() or "it cannot be started"
        raise StartupError(f"Session {name!r} cannot be kept: {why}")


def end_session(path: Path) -> None:
    """End the session of a socket, whatever its version; returns when its process has ended."""
    connection = local_socket.connect(path)
    if connection is not None:
        with closing(KeptSession(connection, local_socket.name_of(path))) as session:
            session.end()
