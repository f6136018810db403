"""One CDP client of the relay: its sessions, and the way back to it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from strap_browser.common.tasks import Tasks
from strap_browser.relay.browser_session import BrowserSession
from strap_browser.relay.granted_tabs import TabRegistry
from strap_browser.relay.messages import CdpFailure
from strap_browser.relay.outbox import Message, Outbox
from strap_browser.relay.target_sessions import ClientSession, TabPort

NO_SESSION = -32001
INVALID_PARAMS = -32602


class CdpClient:
    """Reads commands and answers them; commands to tabs are passed on at once, in order."""

    def __init__(self, registry: TabRegistry, outbox: Outbox, party: str) -> None:
        """`party` names the process that it is one of."""
        self.party = party
        self.outbox = outbox
        self.views: dict[str, ClientSession] = {}
        """The sessions of targets."""
        self.spawn = Tasks()
        self.root = BrowserSession(self, registry)
        self._held: set[TabPort] = set()

    def receive(self, message: Message) -> None:
        """Carry out a command; one that makes no sense is answered with an error."""
        number, session = message.get("id"), message.get("sessionId")
        session = "" if session is None else session
        method, params = message.get("method"), message.get("params")
        params = {} if params is None else params
        if not isinstance(method, str) or not isinstance(params, dict):
            error = {"code": -32600, "message": "A command has a method and an object of params."}
            self.reply(number, {"error": error}, session)
        elif not isinstance(session, str) or session not in self.root.sessions | self.views.keys():
            error = {"code": NO_SESSION, "message": "Session with given id not found."}
            self.reply(number, {"error": error}, session)
        else:
            with self.answering(number, session):
                self._run(number, method, params, session)

    def _run(self, number: Any, method: str, params: Message, session: str) -> None:
        if session in self.root.sessions:
            self.root.run(number, method, params, session)
        else:
            self.views[session].run(number, method, params)

    @contextmanager
    def answering(self, number: Any, session: str) -> Iterator[None]:
        """Answer a command with the error that it ends in, malformed parameters included."""
        try:
            yield
        except CdpFailure as failure:
            self.reply(number, {"error": failure.error}, session)
        except (AttributeError, KeyError, TypeError, ValueError):
            error = {"code": INVALID_PARAMS, "message": "The params make no sense."}
            self.reply(number, {"error": error}, session)

    def event(self, method: str, params: Mapping[str, Any], session: str = "") -> None:
        """Send an event of a session, '' for the browser's own."""
        message = {"method": method, "params": params}
        self.outbox.put({**message, "sessionId": session} if session else message)

    def reply(self, number: Any, answer: Message, session: str = "") -> None:
        """Answer a command."""
        message = {"id": number, **answer}
        self.outbox.put({**message, "sessionId": session} if session else message)

    async def attach(self, tab: TabPort) -> None:
        """Have a tab attached until `detach`; raises `CdpFailure`."""
        self._held.add(tab)
        await tab.hold(self)

    async def detach(self, tab: TabPort) -> None:
        """Give a tab back."""
        self._held.discard(tab)
        with suppress(CdpFailure):
            await tab.release(self)

    def lose_tabs(self) -> None:
        """All tabs are another process's for now."""
        for view in list(self.views.values()):
            view.end()
            view.gone()
        self.root.tabs_lost()
        for tab in list(self._held):
            self.spawn(self.detach(tab))

    async def aclose(self) -> None:
        """Give everything back; the tabs stay."""
        await self.spawn.aclose()
        for tab in list(self._held):
            await self.detach(tab)
        await self.outbox.aclose()
