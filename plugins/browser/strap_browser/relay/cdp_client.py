"""The way back to one CDP client of the relay, and the tabs that it holds."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from strap_browser.common.tasks import Tasks
from strap_browser.relay.messages import CdpFailure
from strap_browser.relay.outbox import Message, Outbox
from strap_browser.relay.target_sessions import ClientSession, TabPort

INVALID_PARAMS = -32602


class CdpClient:
    """Answers commands and tells of events; a subclass reads the commands."""

    def __init__(self, outbox: Outbox, party: str) -> None:
        """`party` names the process that it is one of."""
        self.party = party
        self.outbox = outbox
        self.views: dict[str, ClientSession] = {}
        """The sessions of targets."""
        self.spawn = Tasks()
        self._held: set[TabPort] = set()

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

    async def aclose(self) -> None:
        """Give everything back; the tabs stay."""
        await self.spawn.aclose()
        for tab in list(self._held):
            await self.detach(tab)
        await self.outbox.aclose()
