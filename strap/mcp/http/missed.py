"""Answers that a client over HTTP missed: it comes back with `Last-Event-ID` and gets them.

The SDK names a stream by the id of its request, which is unique in a session and no further. So
each session has streams of its own, and a context variable says whose session a request is.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse

KEPT_SECONDS = 300.0
"""Seconds for which a message is kept: as long as a client may be away between two rounds."""
MOST_BYTES = 16 << 20
"""Bytes of a principal's messages, 16 of the largest answers; the oldest go first."""
TAIL_SECONDS = 45.0
"""Seconds for which a replay waits for more: many lines are cut after 60, and clients that count
cuts as failures, but no ends, come back without end."""
OVERHEAD = 500
"""Bytes of a message beside its text, about."""


@dataclass(slots=True, eq=False)
class _Stream:
    session: "SessionStreams"
    number: int
    messages: dict[int, JSONRPCMessage] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    is_over: bool = False
    """Whether the answer is among its messages, or will not come."""

    def wake(self) -> None:
        """Let those look who wait for more."""
        self.news.set()
        self.news = asyncio.Event()


@dataclass(slots=True, eq=False)
class SessionStreams:
    """The streams of a session that have no answer yet, by the ids of their requests."""

    of: "MissedAnswers"
    streams: dict[str, _Stream] = field(default_factory=dict)


class MissedAnswers:
    """Messages of the streams of a principal's sessions, within limits of time and size."""

    def __init__(self) -> None:
        self._sessions: dict[str, SessionStreams] = {}
        self._streams: dict[int, _Stream] = {}
        self._entries = deque[tuple[float, int, _Stream, int]]()
        """When each message came, its size, its stream and its number there."""
        self._bytes = self._number = 0
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def of(self, session: str | None) -> Iterator[SessionStreams]:
        """Have what the SDK stores and replays be of this session; None is one that opens."""
        streams = self._sessions.get(session or "") or SessionStreams(self)
        token = _CURRENT.set(streams)
        try:
            yield streams
        finally:
            _CURRENT.reset(token)

    def begin(self, session: str, streams: SessionStreams) -> None:
        """Name a session that has opened."""
        self._sessions[session] = streams

    def end(self, session: str) -> None:
        """Forget a session, and end the replays that wait for more of it."""
        if (ended := self._sessions.pop(session, None)) is None:
            return
        for stream in [
            candidate for candidate in self._streams.values() if candidate.session is ended
        ]:
            del self._streams[stream.number]
            stream.is_over = True
            stream.wake()
        self._bytes -= sum(size for _, size, stream, _ in self._entries if stream.session is ended)
        self._entries = deque(entry for entry in self._entries if entry[2].session is not ended)

    def find(self, event: str, session: SessionStreams | None) -> tuple[_Stream, int] | None:
        """Return the stream of an event and the event's number, None if the session has none."""
        first, _, second = event.partition("-")
        if not (first.isdecimal() and second.isdecimal() and len(event) < 40):
            return None
        stream = self._streams.get(int(first))
        return None if stream is None or stream.session is not session else (stream, int(second))

    def has(self, event: str, session: str | None) -> bool:
        """Whether a session can go on after this event."""
        return self.find(event, self._sessions.get(session or "")) is not None

    def add(self, session: SessionStreams, request: str, message: JSONRPCMessage | None) -> str:
        """Keep a message, None for the beginning of a stream, and return its event's id."""
        self._number += 1
        stream = session.streams.get(request)
        if stream is None:
            stream = session.streams[request] = _Stream(session, self._number)
            self._streams[stream.number] = stream
        if message is not None:
            size = OVERHEAD + len(message.model_dump_json())
            stream.messages[self._number] = message
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                stream.is_over = True
                del session.streams[request]
            self._entries.append((time.monotonic(), size, stream, self._number))
            self._bytes += size
            stream.wake()
            self._drop_old()
        return f"{stream.number}-{self._number}"

    def _drop_old(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        latest = time.monotonic() - KEPT_SECONDS
        while self._entries:
            at, size, stream, number = self._entries[0]
            if at > latest and self._bytes <= MOST_BYTES:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(at - latest, self._drop_old)
                return
            self._entries.popleft()
            self._bytes -= size
            del stream.messages[number]
            if stream.is_over and not stream.messages:
                del self._streams[stream.number]


_CURRENT: ContextVar[SessionStreams] = ContextVar("streams of the session")


class Resumption(EventStore):
    """Event store of the SDK: the messages of all sessions, kept and replayed."""

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep a message and return its event's id."""
        session = _CURRENT.get()
        return session.of.add(session, stream_id, message)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> None:
        """Send what a stream said after an event, and what it still says, up to the answer.

        Or until the client has to come back. Nothing is left to the SDK, which would lose an
        answer that comes between the two.
        """
        session = _CURRENT.get()
        if (place := session.of.find(last_event_id, session)) is None:
            return
        stream, seen = place
        until = time.monotonic() + TAIL_SECONDS
        while True:
            news = stream.news
            for number in [missed for missed in stream.messages if missed > seen]:
                if (message := stream.messages.get(number)) is not None:
                    await send_callback(EventMessage(message, f"{stream.number}-{number}"))
                seen = number
            if stream.is_over and not any(missed > seen for missed in stream.messages):
                return
            try:
                await asyncio.wait_for(news.wait(), until - time.monotonic())
            except TimeoutError:
                return
