"""Outputs of strap beside files: answers, its log, and the live view of somebody else."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from benchmarks.of_wire.callers import Web
from strap import Result, StrapError
from strap_browser.recorders.video_file import VideoFile


class Log(logging.Handler):
    """Keeps what is logged, down to debugging."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@asynccontextmanager
async def logged() -> AsyncIterator[Log]:
    root, log = logging.getLogger(), Log()
    level = root.level
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        yield log
    finally:
        root.removeHandler(log)
        root.setLevel(level)


@contextmanager
def captions() -> Iterator[list[str]]:
    """The captions that are drawn into videos meanwhile."""
    told, add = list[str](), VideoFile.add

    def heard_add(file: VideoFile, jpeg: bytes, at_ms: int, caption: str, *more: Any) -> None:
        told.append(caption)
        add(file, jpeg, at_ms, caption, *more)

    VideoFile.add = heard_add  # type: ignore[method-assign,assignment]
    try:
        yield told
    finally:
        VideoFile.add = add  # type: ignore[method-assign]


def heard(web: Web, told: list[str]) -> Web:
    """Return the same calls; all that they answer is added to `told`."""

    async def call(action: str, **fields: Any) -> Result:
        try:
            result = await web(action, **fields)
        except StrapError as error:
            told.append(f"{error} {error.hint}")
            raise
        told.append(result.text)
        told.append(json.dumps(result.data, default=str))
        return result

    return call


@asynccontextmanager
async def watched(web: Web, told: list[str]) -> AsyncIterator[None]:
    """Have somebody watch the pages of a caller; what they are told is added to `told`."""
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    parts = urlsplit((await web("live")).data["url"])  # type: ignore[index]
    origin = f"http://127.0.0.1:{parts.port}"
    async with connect(f"ws://127.0.0.1:{parts.port}/socket", origin=origin, proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": parts.fragment}))
        opened = asyncio.Event()

        async def read() -> None:
            with suppress(ConnectionClosed):
                async for data in socket:
                    if isinstance(data, bytes):
                        seen = int.from_bytes(data[4:8], "big")
                        await socket.send(json.dumps({"type": "ack", "seq": seen}))
                        continue
                    told.append(data)
                    message = json.loads(data)
                    if message["type"] == "places" and message["places"] and not opened.is_set():
                        place = message["places"][0]["id"]
                        await socket.send(json.dumps({"type": "open", "place": place}))
                        opened.set()

        reading = asyncio.create_task(read())
        try:
            async with asyncio.timeout(10):
                await opened.wait()
            yield
        finally:
            reading.cancel()
