"""Viewers of the live view that draw nothing: what is measured is strap and Chromium."""

import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from strap import testing


class Viewer:
    """A viewer that acknowledges every picture, as long as it `draws`."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.news = asyncio.Event()
        self.states = asyncio.Event()
        self.epoch = 0
        self.state = ""
        self.place = ""
        self.draws = True
        self.drawings = 0
        self.places: list[dict[str, Any]] = []
        self.listed = asyncio.Event()
        self._task = asyncio.create_task(self._read())

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def drawn(self) -> None:
        """Return with the next picture."""
        self.news.clear()
        await self.news.wait()

    async def becomes(self, state: str) -> None:
        """Return when the place is in this state."""
        while self.state != state:
            self.states.clear()
            await self.states.wait()

    async def find(self, kind: str) -> str:
        """Return the first place of a kind, any where that is ''."""
        while True:
            found = [each["id"] for each in self.places if kind in ("", each["kind"])]
            if found:
                return str(found[0])
            self.listed.clear()
            await self.listed.wait()

    async def _read(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            async for data in self.socket:
                if isinstance(data, bytes):
                    self.drawings += 1
                    if self.draws:
                        await self.say(type="ack", seq=int.from_bytes(data[4:8], "big"))
                    self.news.set()
                else:
                    self._hear(json.loads(data))

    def _hear(self, told: dict[str, Any]) -> None:
        if told["type"] == "place":
            self.epoch, self.state = told["epoch"], told["state"]
            self.states.set()
        elif told["type"] == "places":
            self.places = told["places"]
            self.listed.set()


@asynccontextmanager
async def watching(
    web: testing.Web, first: list[float] | None = None, kind: str = ""
) -> AsyncIterator[Viewer]:
    """Watch the first place of a kind; `first` gets the milliseconds until it is seen."""
    from websockets.asyncio.client import connect

    link = (await web(resource="browser", action="live")).data["url"]
    parts = urlsplit(link)
    origin = f"http://127.0.0.1:{parts.port}"
    began = time.perf_counter()
    async with connect(f"ws://127.0.0.1:{parts.port}/socket", origin=origin, proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "v": 1, "ticket": parts.fragment}))
        viewer = Viewer(socket)
        viewer.place = await viewer.find(kind)
        await viewer.say(type="open", place=viewer.place)
        await viewer.drawn()
        if first is not None:
            first.append((time.perf_counter() - began) * 1_000)
        yield viewer


def spread(values: list[float]) -> tuple[float, float]:
    """Return median and 95th percentile."""
    found = sorted(values)
    return round(statistics.median(found), 1), round(found[int(len(found) * 0.95)], 1)
