"""The process that keeps a session: it makes the calls that come over its socket."""

import asyncio
import json
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import Any

from strap import local_socket
from strap.cli.answers import Answer
from strap.cli.calling import make_call
from strap.cli.kept.person import Person
from strap.cli.options import read_config
from strap.config import Config
from strap.errors import StrapError
from strap.mcp.event_loop import run
from strap.mcp.shutdown import ANSWERS, PAUSE, on_signals
from strap.routing.assembly import make_router
from strap.routing.router import Router

LONGEST = 8 << 20
"""Bytes of a request: a body of a million characters, as JSON escapes them, has room."""


class Keeper:
    """Serves one session; `name`, `digest` and `since` are what it is told apart by."""

    def __init__(self, router: Router, name: str, digest: str) -> None:
        self._router = router
        self._name = name
        self._digest = digest
        self._since = time()
        self._used = monotonic()
        self._busy = 0
        self.ended = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection until its client is gone, which gives up the call that runs."""
        if local_socket.peer_user(writer.get_extra_info("socket")) == os.geteuid():
            with suppress(ConnectionError, ValueError):
                writer.write(local_socket.VERSION_LINE)
                await self._serve(reader, writer)
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        person = Person(writer)
        coming = asyncio.create_task(reader.readline())
        try:
            while line := await coming:
                coming = asyncio.create_task(reader.readline())
                if person.take(request := json.loads(line)) or request["do"] == "end":
                    continue
                answering = asyncio.create_task(self._answer(request, person))
                coming = await self._heard(answering, coming, person, reader)
                if answering.cancelled():
                    return
                writer.write(json.dumps(await answering, default=str).encode() + b"\n")
                await writer.drain()
                if self.ended.is_set():
                    await coming  # the client waits until this process has ended
        finally:
            coming.cancel()

    async def _answer(self, request: dict[str, Any], person: Person) -> dict[str, Any]:
        match request["do"]:
            case "call" if request["digest"] != self._digest:
                return {"other_settings": True}
            case "call":
                return await self._call(request["words"], person)
            case "close":
                self.ended.set()
        return {
            "name": self._name,
            "pid": os.getpid(),
            "since": self._since,
            "idle": 0 if self._busy else monotonic() - self._used,
            "folder": str(self._router.config.outputs),
        }

    async def _call(self, words: list[str], person: Person) -> Answer:
        self._busy += 1
        try:
            answer = await make_call(self._router, lambda: words, person.confirm)
            closes = words[:2] == ["browser", "close"] and not self.ended.is_set()
            if closes and await self._has_no_browser():
                self.ended.set()
            return answer
        finally:
            self._busy -= 1
            self._used = monotonic()

    async def _has_no_browser(self) -> bool:
        status = await self._router.call({"resource": "browser", "action": "status"})
        return not any(profile["running"] for profile in status.data["profiles"])

    async def _heard(
        self,
        answering: asyncio.Task[dict[str, Any]],
        coming: asyncio.Task[bytes],
        person: Person,
        reader: asyncio.StreamReader,
    ) -> asyncio.Task[bytes]:
        """Wait for an answer, and meanwhile hear what the person says; returns the line to come.

        The answer is cancelled where the client is gone.
        """
        try:
            while not answering.done():
                await asyncio.wait({answering, coming}, return_when=asyncio.FIRST_COMPLETED)
                if answering.done() or not coming.done():
                    continue
                request = json.loads(coming.result() or '{"do": "leave"}')
                if request["do"] == "end":
                    self._router.end_calls(ANSWERS, of=answering)
                elif not person.take(request):
                    if request["do"] == "leave":
                        answering.cancel()
                    await asyncio.wait({answering})
                    break
                coming = asyncio.create_task(reader.readline())
        except BaseException:
            answering.cancel()
            coming.cancel()
            raise
        return coming

    async def end_calls(self) -> None:
        """End the calls that run, each of which is answered."""
        self._router.end_calls(ANSWERS)
        while self._busy:  # noqa: ASYNC110 - it sends no event
            await asyncio.sleep(PAUSE)

    async def idle(self, seconds: float) -> None:
        """Return when the session was ended, or nobody used it for so long."""
        while not self.ended.is_set():
            left = self._used + seconds - monotonic()
            if left <= 0 and not self._busy:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), max(left, 1.0))


async def keep(config: Config, begun: dict[str, Any], listener: socket.socket) -> None:
    """Keep a session until it is ended, nobody uses it, or a signal."""
    async with make_router(config) as router:
        keeper = Keeper(router, begun["name"], begun["digest"])
        on_signals(keeper.ended.set)
        server = await asyncio.start_unix_server(keeper.serve, sock=listener, limit=LONGEST)
        _tell("")
        await keeper.idle(config.keep_idle)
        await keeper.end_calls()
        server.close()


def _tell(line: str) -> None:
    """Tell who began this that it can be reached, or what is wrong; nobody listens after that."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())


def main() -> None:
    """Keep the session that standard input describes."""
    begun = json.load(sys.stdin)
    try:
        config = read_config(begun["settings"], outputs=Path.cwd())
        listener, path = local_socket.listen(Path(begun["folder"]), begun["name"])
    except (StrapError, OSError) as error:
        _tell(" ".join(str(error).split()))
        sys.exit(1)
    try:
        run(keep, config, begun, listener)
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
