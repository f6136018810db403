"""The local socket of a process: how `strap live` finds it, for this machine's user alone.

One JSON line each way, after a first line that tells the version. It imports nothing of the live
view: most processes are never asked.
"""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from strap import StrapError, local_socket, make_private

FOLDER = "processes"
PROTOCOL = 1
MOST_BYTES = 4_096
ANSWER_LIMIT = 5.0
"""Seconds for one question; nobody keeps a connection for longer."""
LONGEST_PATH = 100
"""Bytes of a socket's path: systems take 103 or 107 (unix(7))."""
Question = dict[str, Any]
Answer = Callable[[Question], Awaitable[dict[str, Any]]]


class LocalSocket:
    """Listens for this user's own programs from `begin` to `aclose`."""

    def __init__(self, home: Path, answer: Answer) -> None:
        self._path = home / FOLDER / f"{os.getpid()}.sock"
        self._answer = answer
        self._server: asyncio.Server | None = None

    async def begin(self) -> None:
        """Listen, where the system can; a home with too long a path has none."""
        if os.name == "nt" or len(os.fsencode(self._path)) > LONGEST_PATH:
            return
        with suppress(OSError):
            make_private(self._path.parent)
            self._path.unlink(missing_ok=True)
            listener = local_socket.bind(self._path)
            self._server = await asyncio.start_unix_server(
                self._serve, sock=listener, limit=MOST_BYTES
            )

    async def aclose(self) -> None:
        """Stop listening; nothing is left of it."""
        if self._server is not None:
            self._server.close()
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                if local_socket.peer_user(writer.get_extra_info("socket")) != os.geteuid():
                    return
                writer.write(_line({"strap": PROTOCOL, "pid": os.getpid()}))
                answer = await self._answered(await reader.readline())
                writer.write(_line(answer))
                await writer.drain()
        except (OSError, ValueError, TimeoutError):
            pass
        finally:
            writer.close()

    async def _answered(self, line: bytes) -> dict[str, Any]:
        try:
            question = json.loads(line)
        except (ValueError, RecursionError):
            question = None
        if not isinstance(question, dict):
            return {"error": "no JSON object"}
        try:
            return await self._answer(question)
        except StrapError as error:
            return {"error": str(error)}


def sockets(home: Path) -> Iterator[Path]:
    """Yield the sockets of the processes of a data directory."""
    with suppress(OSError):
        yield from sorted((home / FOLDER).glob("*.sock"))


def ask(path: Path, question: Question) -> dict[str, Any] | None:
    """Ask the process behind a socket; None where none of this user's is there any more."""
    try:
        connection = local_socket.connect(path, ANSWER_LIMIT)
        if connection is None:
            return None
        with closing(connection), connection.makefile("rb") as lines:
            connection.sendall(_line(question))
            hello, answer = json.loads(lines.readline()), json.loads(lines.readline())
    except (StrapError, OSError, ValueError):
        return None
    return {**answer, "pid": hello["pid"]} if hello.get("strap") == PROTOCOL else None


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"
