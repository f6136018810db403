"""Sessions of clients whose protocol has none: which one a call means that names none.

A client is known by its connection, and beyond that by what its `Client` says.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple
from weakref import WeakSet

from starlette.requests import Request

from strap.errors import ActionError
from strap.mcp.asking import Ctx
from strap.mcp.http.connections import Connection
from strap.mcp.http.identity.tokens import BEARER, LOCAL
from strap.network.peers import Peers
from strap.text import counted

_FORWARDED = ("forwarded", "x-forwarded-for")
"""Headers that tell apart those for whom a proxy asks."""
MOST_OPEN = 1_000
"""Sessions of a principal: names are cheap, and each is kept for half an hour."""
MOST_NAME = 200
"""Characters of a client's name and version that are kept: some send a build's whole digest."""
MOST_NAMED = 8
"""Sessions in an error; a model that has more names them itself."""


class Client(NamedTuple):
    """Identity of a client, as far as a server can tell: equal for two calls of one client."""

    origin: str
    """Address or connection that it calls from."""
    software: str
    """Name and version that the client states."""
    user: int | None = None
    """The user of this machine whose it is, None where that is no matter, or unknown."""

    def is_stranger_to(self, others: "set[Client]") -> bool:
        """Whether all of them are another user's; the administrator is nobody's stranger."""
        return bool(self.user) and all(other.user not in (None, self.user) for other in others)


@dataclass(slots=True, eq=False)
class _Session:
    handle: str
    clients: set[Client] = field(default_factory=set)
    connections: WeakSet[Connection] = field(default_factory=WeakSet)
    calls: int = 0
    used: float = field(default_factory=time.monotonic)

    def is_held(self, connection: Connection | None) -> bool:
        """Whether it is in the hands of another client that is there now."""
        return connection is not None and any(
            other.is_open and connection.is_of_another(other) for other in self.connections
        )


def _client(ctx: Ctx, request: Request, principal: str, peers: Peers) -> Client:
    params = ctx.session.client_params
    info = params and params.client_info
    software = f"{info.name[:MOST_NAME]}/{info.version[:MOST_NAME]}" if info else ""
    if principal not in (LOCAL, BEARER):
        return Client("", software)
    forwarded = [request.headers.get(name, "") for name in _FORWARDED]
    origin = " ".join([request.client.host if request.client else "", *forwarded])
    connection = Connection.of(request.scope)
    if principal == BEARER:
        return Client(origin, software)
    user = None if connection is None else connection.user_by(peers)
    if user is None:  # it may be anybody: nothing but the connection is theirs
        origin = secrets.token_hex(8) if connection is None else connection.name
    return Client(origin, software, user)


class Use:
    """Sessions used by a call, and by the calls that it makes."""

    def __init__(
        self, sessions: "Handles", client: Callable[[], Client], connection: Connection | None
    ) -> None:
        self._sessions = sessions
        self._client = client
        self._connection = connection
        self.used = list[_Session]()

    def __call__(self, named: str | None) -> tuple[str, bool]:
        """Return the session of a call, and whether it is new; raises `ActionError`."""
        for session in self.used:
            if named in (None, session.handle):
                return session.handle, False
        session, new = self._sessions.find(named, self._client(), self._connection)
        session.calls += 1
        self.used.append(session)
        return session.handle, new

    def end(self) -> None:
        """Note that the call is over."""
        for session in self.used:
            session.calls -= 1
            session.used = time.monotonic()
        self.used.clear()


class Handles:
    """The sessions of a principal's clients, by their handles."""

    def __init__(self, prefix: str, peers: Peers) -> None:
        """`prefix` is what handles begin with."""
        self._prefix = prefix
        self._peers = peers
        self._open: dict[str, _Session] = {}

    def use(self, ctx: Ctx, principal: str) -> Use:
        """Return what a call asks for its session."""
        assert isinstance(ctx.request, Request)
        client = partial(_client, ctx, ctx.request, principal, self._peers)
        return Use(self, client, Connection.of(ctx.request.scope))

    def find(
        self, named: str | None, client: Client, connection: Connection | None
    ) -> tuple[_Session, bool]:
        """Return a session, and whether it is new; raises `ActionError` if there are several."""
        handle = named or self._only(client, connection)
        new = handle is None
        handle = handle or self._prefix + secrets.token_hex(8)
        if handle not in self._open and len(self._open) >= MOST_OPEN:
            raise ActionError(
                f"{MOST_OPEN} sessions are open already.",
                hint="Name one of yours as session, or try later.",
                code="busy",
                retryable=True,
            )
        session = self._open.setdefault(handle, _Session(handle))
        if client.is_stranger_to(session.clients):
            raise ActionError(
                "The session is another user's.",
                hint="Leave session out, or give another name.",
                code="session_missing",
            )
        session.clients.add(client)
        if connection is not None:
            session.connections.add(connection)
            connection.hold()
        return session, new

    def forget_idle(self, seconds: float) -> list[str]:
        """Forget the sessions that were idle for so long, and return their handles."""
        latest = time.monotonic() - seconds
        idle = [name for name, s in self._open.items() if not s.calls and s.used < latest]
        for handle in idle:
            del self._open[handle]
        return idle

    def _only(self, client: Client, connection: Connection | None) -> str | None:
        own = [session for session in self._open.values() if client in session.clients]
        if attached := [session for session in own if connection in session.connections]:
            own = attached
        else:
            own = [session for session in own if not session.is_held(connection)]
        if len(own) > 1:
            raise _several(own)
        return own[0].handle if own else None


def _several(sessions: list[_Session]) -> ActionError:
    sessions = sorted(sessions, key=lambda session: -session.used)
    now = time.monotonic()
    listed = ", ".join(
        f'"{session.handle}" (used {max(0, round(now - session.used))} s ago)'
        for session in sessions[:MOST_NAMED]
    )
    more = f", {len(sessions) - MOST_NAMED} more" if len(sessions) > MOST_NAMED else ""
    return ActionError(
        f"The call names no session, and this client has {counted(len(sessions), 'session')}: "
        f"{listed}{more}.",
        hint="Give the one that an earlier answer named as session, or a new name for a new one.",
        code="session_missing",
    )
