"""Somebody who watches, over the socket itself."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from strap_live.pictures.frames import HEADER
from tests.support.waiting import becomes, eventually


class Watcher:
    """One viewer: `said` are the messages, `pictures` what was drawn, each acknowledged."""

    def __init__(self, socket):
        self.socket = socket
        self.said = []
        self.pictures = []
        self.draws = True
        self._task = asyncio.create_task(self._read())

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def open(self, **fields):
        """Open the first place there is."""
        [place, *_] = (await self.next("places", lambda told: told["places"]))["places"]
        await self.send(type="open", place=place["id"], **fields)
        return place["id"]

    async def next(self, kind, fits=lambda _: True, within=15):
        """The first message of a kind that fits, be it here already or still to come."""

        def found():
            return next((m for m in self.said if m["type"] == kind and fits(m)), None)

        return await eventually(found, within)

    async def picture(self, number=1, within=15):
        """The so-manieth picture."""
        await becomes(lambda: len(self.pictures) >= number, within=within)
        return self.pictures[number - 1]

    def last(self, kind):
        return [message for message in self.said if message["type"] == kind][-1]

    async def _read(self):
        with suppress(ConnectionClosed):
            await self._take_all()

    async def _take_all(self):
        async for data in self.socket:
            if isinstance(data, str):
                self.said.append(json.loads(data))
                continue
            self.pictures.append((HEADER.unpack_from(data), data[HEADER.size :]))
            if self.draws:
                await self.send(type="ack", seq=self.pictures[-1][0][3])


class Person:
    """A viewer with the right to control one place."""

    def __init__(self, viewer, place):
        self.viewer, self.place = viewer, place

    @property
    def now(self):
        return self.viewer.last("place")

    async def order(self, kind, state=None):
        await self.viewer.send(type=kind, place=self.place, epoch=self.now["epoch"])
        if state:
            await becomes(lambda: self.now["state"], state)

    async def do(self, kind, /, **fields):
        await self.viewer.send(type=kind, epoch=self.now["epoch"], **fields)

    async def click(self, x, y):
        for what in ("down", "up"):
            await self.do("mouse", kind=what, x=x, y=y, buttons=int(what == "down"))

    async def press(self, key, code, number, mods=0):
        for what in ("down", "up"):
            await self.do("key", kind=what, key=key, code=code, number=number, mods=mods)


def address(link):
    """Return the port and the ticket of a link."""
    parts = urlsplit(link)
    return parts.port, parts.fragment


@asynccontextmanager
async def knocking(port, origin=None, **options):
    """A socket that has said nothing."""
    origin = origin or f"http://127.0.0.1:{port}"
    async with connect(f"ws://127.0.0.1:{port}/socket", origin=origin, proxy=None, **options) as it:
        yield it


@asynccontextmanager
async def watching(link, **hello):
    """A viewer that was let in."""
    port, ticket = address(link)
    async with knocking(port) as socket:
        who = hello or {"ticket": ticket}
        await socket.send(json.dumps({"type": "hello", "v": 1, **who}))
        watcher = Watcher(socket)
        await watcher.next("welcome")
        yield watcher
