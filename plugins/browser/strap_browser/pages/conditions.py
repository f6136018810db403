"""What holds for all pages of a caller: rules for requests, what pages are shown, recordings."""

from functools import partial
from typing import Any, Protocol

from strap_browser.engine.emulation import Emulation
from strap_browser.engine.page import Page
from strap_browser.engine.traffic.flow_gate import FlowGate
from strap_browser.engine.traffic.holding import Holding
from strap_browser.engine.traffic.mocks import Mocks
from strap_browser.recorders.recording import RecordedCall, Recording

RECORDED = ("request", "requestfinished", "requestfailed", "message", "console", "pageerror")
"""Events of a page that recordings take."""


class Owner(Protocol):
    """Whose pages they are."""

    current: Any
    """The tab of the last call."""

    @property
    def private(self) -> bool:
        """Whether a person has the pages in hand."""


class Conditions:
    """The rules, the emulation and the recording of one caller."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.holding = Holding(self.tell)
        self.flow = FlowGate(self.tell)
        self.mocks = Mocks(self.tell)
        self.emulation = Emulation()
        self.recording: Recording | None = None

    def follow(self, page: Page, handle: str) -> None:
        """Have them hold for a further page, and for the windows that it opens."""
        self.mocks.follow(page.traffic.interception)
        self.holding.follow(page.traffic.interception)
        page.targets.share(self.emulation)
        for event in RECORDED:
            page.on(event, partial(self._record, event, handle))

    async def stop_recording(self) -> list[str]:
        """End the recording, if there is one, and return what its files have."""
        recording, self.recording = self.recording, None
        return await recording.stop() if recording is not None else []

    def record_call(self, what: str, answer: str, at: float, *, failed: bool) -> None:
        """Have a call recorded that is over."""
        if self.recording is None or not self.recording.takes_calls:
            return
        tab = self._owner.current
        page = tab.page if tab is not None else None
        call = RecordedCall(what=what, answer=answer, failed=failed, at=at, page=page)
        self._record("call", tab.handle if tab is not None else "", call)

    def _record(self, event: str, handle: str, told: Any) -> None:
        if self.recording is not None and not self._owner.private:
            self.recording.take(event, told, handle)

    def tell(self, text: str, tab: Any = None) -> None:
        """Have the next answer of a tab tell it, with no value of a secret."""
        tab = tab or self._owner.current
        if tab is not None:
            tab.note(tab.secrets.hide(text))
