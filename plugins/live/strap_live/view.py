"""The live view of this process: links, the listener while somebody watches, and its viewers."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strap import ActionError, Guard, Peers
from strap_agent.run import Run
from strap_browser.api import CallLog, LiveSettings, Profile, RateLimiter
from strap_live.admission import Address, Grant, Role, Tickets, is_foreign
from strap_live.history.past_runs import RunHistory
from strap_live.messages import BadMessage
from strap_live.places import Places
from strap_live.server import HELLO_LIMIT, HOST, MOST_LOGGED, LiveServer
from strap_live.session import NOT_ADMITTED, ViewerSession

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

LINGER = 600.0
"""Seconds after the last viewer, or the last link, for which the port stays open."""
MOST_STRANGERS = 8
"""Sockets that have not said who they are; one more is closed at once."""
FOREIGN, CLOSED = "another user", "all views closed"
MALFORMED, TOO_MANY, GOING_AWAY = 4400, 4429, 1001
LINES = logging.getLogger("strap.audit")
log = logging.getLogger(__name__)


class LiveView:
    """Made with the first link that is asked for."""

    def __init__(
        self,
        settings: LiveSettings,
        guard: Guard,
        profiles: Mapping[str, Profile],
        runs: Callable[[], Iterable[Run]],
        calls: CallLog,
        home: Path,
        rules: Callable[[str], Guard],
    ) -> None:
        """`rules` returns the guard that says where the caller with a key may `navigate`."""
        self.history = RunHistory(home / "runs")
        self.places = Places(profiles, runs, calls, settings, rules, self.history)
        self._settings = settings
        self._guard = guard
        self._tickets = Tickets()
        self._peers = Peers()
        self._server: LiveServer | None = None
        self._viewers: set[ViewerSession] = set()
        self._strangers = 0
        self._refused = RateLimiter(MOST_LOGGED)
        self._ending: asyncio.TimerHandle | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self.ended = asyncio.Event()
        """Set when it listens no more, as nobody has watched for a while."""

    async def link(self, grant: Grant) -> str:
        """Return an address that can be opened once, within five minutes.

        Raises `ActionError` (code "live_port") where its port is in use.
        """
        port = await self._listen()
        origin = self._settings.public_url or f"http://{HOST}:{port}"
        return f"{origin}/#{self._tickets.issue(grant)}"

    async def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Answer a program of this user: `{"op": "list"}` or `{"op": "link", "role", "place"}`.

        Raises `ActionError`.
        """
        everything = Grant(role="control")
        if question.get("op") == "list":
            return {"places": [place.summary() for place in self.places.seen_by(everything)]}
        if question.get("op") == "link":
            name = question.get("place")
            places = self.places.seen_by(everything) if name else []
            ids = (place.id for place in places if name in (place.id, place.subject.run_id))
            role: Role = "control" if question.get("role") == "control" else "watch"
            return {"url": await self.link(Grant(role=role, place=next(ids, None)))}
        return {"error": "unknown question"}

    def watchers(self, grant: Grant) -> int:
        """Return how many look at what somebody may see."""
        return sum(len(place.lookers) for place in self.places.seen_by(grant))

    def close_views(self, grant: Grant) -> None:
        """Disconnect everybody who sees no more than a grant; their links and keys are void."""
        self.places.let_go(self._tickets.revoke(grant))
        for viewer in list(self._viewers):
            if grant.covers(viewer.grant):
                viewer.end(NOT_ADMITTED, CLOSED)
        LINES.info("live views closed")

    async def aclose(self) -> None:
        """Disconnect everybody, and stop listening."""
        for viewer in list(self._viewers):
            viewer.end(GOING_AWAY, "strap ends")
        await self._stop()
        if self._stopping is not None:
            await self._stopping
        await self.places.aclose()
        self.history.close()
        self._peers.close()

    async def _listen(self) -> int:
        async with self._lock:
            self.ended.clear()
            if self._server is None:
                server = LiveServer(self._serve, self._settings.public_url)
                try:
                    await server.start(self._settings.port)
                except OSError:
                    raise ActionError(
                        f"The port {self._settings.port} of the live view is in use.",
                        hint="Set port of [plugins.browser.live] to 0, or end what uses it.",
                        code="live_port",
                    ) from None
                self._server = server
                self._guard.reserve(server.port, "live")
            self._stay()
            return self._server.port

    def _stay(self) -> None:
        """Close the port some time after nobody needs it any more."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = asyncio.get_running_loop().call_later(LINGER, self._expire)

    def _expire(self) -> None:
        if self._viewers:
            self._stay()
            return
        if self._ending is not None:
            self._ending.cancel()
        self._ending = None
        self._stopping = asyncio.ensure_future(self._stop(idle=True))
        self.ended.set()

    async def _stop(self, *, idle: bool = False) -> None:
        async with self._lock:
            if idle and self._ending is not None:
                return  # a link was asked for meanwhile
            if self._ending is not None:
                self._ending.cancel()
            server, self._server = self._server, None
            self._tickets.forget()
            if server is not None:
                await server.aclose()
                self._guard.release(server.port)

    async def _serve(self, socket: "ServerConnection") -> None:
        from websockets.exceptions import ConnectionClosed

        viewer: ViewerSession | None = None
        try:
            viewer = await self._admitted(socket)
            if viewer is not None:
                await viewer.serve()
        except ConnectionClosed:
            pass
        except BadMessage as error:
            log.debug("A message of a viewer: %s", error)
            await socket.close(MALFORMED, "malformed")
        except Exception:
            log.exception("The live view failed")
        finally:
            if viewer is not None:
                self._viewers.discard(viewer)
                await viewer.aclose()
                LINES.info("live viewer left (%s)", socket.close_code)
                if self._tickets.any:
                    self._stay()
                else:
                    self._expire()

    async def _admitted(self, socket: "ServerConnection") -> ViewerSession | None:
        if self._strangers >= MOST_STRANGERS:
            await socket.close(TOO_MANY, "too many")
            return None
        if self._settings.public_url is None and is_foreign(self._peers, *_ends(socket)):
            self._refuse("live viewer refused: another user of this machine")
            await socket.close(NOT_ADMITTED, FOREIGN)
            return None
        self._strangers += 1
        try:
            async with asyncio.timeout(HELLO_LIMIT):
                viewer = await ViewerSession.greet(
                    socket, self._tickets, self.places, self.history, self.close_views
                )
        except TimeoutError:
            viewer = None
        finally:
            self._strangers -= 1
        if viewer is None:
            self._refuse("live viewer refused")
            await socket.close(NOT_ADMITTED, "not admitted")
            return None
        if len(self._viewers) >= self._settings.viewers:
            await viewer.aclose()
            await socket.close(TOO_MANY, "too many")
            return None
        self._viewers.add(viewer)
        LINES.info("live viewer admitted (%s)", viewer.grant.role)
        return viewer

    def _refuse(self, line: str) -> None:
        if not self._refused.exceeded:
            self._refused.count()
            LINES.warning(line)


def _ends(socket: "ServerConnection") -> tuple[Address, Address]:
    client, own = socket.remote_address, socket.local_address
    return (client[0], client[1]), (own[0], own[1])
