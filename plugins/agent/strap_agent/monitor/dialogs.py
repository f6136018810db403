"""Dialogs of the watched pages: answered at once, told as events, and silenced where they storm."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from strap_agent.store.records import Event
from strap_browser.api import CdpConnection, Params, clip, is_web, loggable_url

LONGEST = 300
"""Characters of a dialog's text in its event; the answer's lines take 400."""
QUIET = 1.0
"""Seconds without a dialog after which what came before is told."""
FEW = 5
"""So many different dialogs in a row are told one by one, the rest are counted."""
STORM, WITHIN = 20, 5.0
"""So many dialogs of one page within so many seconds are a storm: it gets no more of them."""
PATIENCE, STUBBORN = 5, 800
"""Dialogs after that until its script is ended, and until it may run none any more."""
SILENCE = """{
  const silence = (view) => {
    try {
      view.alert = () => {};
      view.confirm = () => true;
      view.prompt = () => null;
      for (let i = 0; i < view.length; i++) silence(view[i]);
    } catch {}  // a frame of another origin, which may open none anyway
  };
  silence(window);
}"""
"""Answers scripts as strap does, without a dialog."""


@dataclass(slots=True)
class _Page:
    opened: deque[float] = field(default_factory=lambda: deque(maxlen=STORM))
    first: Params | None = None
    """The dialog that is counted but not told yet."""
    began: float = 0.0
    count: int = 0
    row: int = 0
    """Different dialogs since the page was quiet."""
    excess: int = 0
    """Dialogs in a storm."""
    answer: str = ""
    timer: asyncio.TimerHandle | None = None

    def storms(self) -> bool:
        return len(self.opened) == STORM and self.opened[-1] - self.opened[0] < WITHIN

    def repeats(self, dialog: Params) -> bool:
        """Whether a dialog is counted with the one before."""
        return self.first is not None and (
            self.row > FEW
            or (dialog["type"], dialog["message"]) == (self.first["type"], self.first["message"])
        )


class Dialogs:
    """Answers what Page tells of: yes to everything, except that a prompt is cancelled."""

    def __init__(self, cdp: CdpConnection, record: Any) -> None:
        self._cdp = cdp
        self._record = record
        self._pages: dict[str, _Page] = {}
        cdp.on("Page.javascriptDialogOpening", self._opened)
        cdp.on("Page.javascriptDialogClosed", self._closed)
        cdp.on("Page.frameStartedNavigating", self._leaving)

    def listen(self, session: str) -> None:
        """Listen to a page."""
        self._cdp.post("Page.enable", session)

    def finish(self) -> None:
        """Record what is only counted so far."""
        for page in self._pages.values():
            self._tell(page)

    def _opened(self, params: Params, session: str) -> None:
        page = self._pages.setdefault(session, _Page())
        if not page.repeats(params):
            row = page.row
            self._tell(page)
            page.first, page.began, page.row = params, time.time(), row + 1
        page.count += 1
        page.opened.append(time.monotonic())
        if page.excess or page.storms():
            self._silence(page, session)
        accept = params["type"] != "prompt"
        self._cdp.post("Page.handleJavaScriptDialog", session, accept=accept)
        if page.timer:
            page.timer.cancel()
        page.timer = asyncio.get_running_loop().call_later(QUIET, self._tell, page)

    def _silence(self, page: _Page, session: str) -> None:
        """Let the page's scripts open no more dialogs; end a script that goes on all the same."""
        page.excess += 1
        if page.excess == 1:
            self._cdp.post("Page.addScriptToEvaluateOnNewDocument", session, source=SILENCE)
            self._cdp.post("Runtime.evaluate", session, expression=SILENCE)
        if page.excess == STUBBORN:
            self._cdp.post("Emulation.setScriptExecutionDisabled", session, value=True)
        if page.excess > PATIENCE:
            # It takes effect only now and then, where the engine counts the turns of a loop.
            self._cdp.post("Runtime.terminateExecution", session)

    def _leaving(self, params: Params, session: str) -> None:
        page = self._pages.get(session)
        if page and page.excess >= STUBBORN:
            page.excess = 1
            self._cdp.post("Emulation.setScriptExecutionDisabled", session, value=False)

    def _closed(self, params: Params, session: str) -> None:
        if page := self._pages.get(session):
            page.answer = "accepted" if params["result"] else "dismissed"

    def _tell(self, page: _Page) -> None:
        first, count = page.first, page.count
        page.first, page.count, page.row = None, 0, 0
        if first is None:
            return
        answer = page.answer or "not answered"
        text = f"{first['type']} {clip(first['message'], LONGEST)!r} {answer}"
        if count > 1:
            text += f", with {count - 1} more of them"
        if page.excess:
            text += "; then silenced"
        url = loggable_url(first["url"]) if is_web(first["url"]) else None
        details = {"level": "dialog", "text": text, "count": count, "answer": answer}
        self._record(
            Event(
                type="console", summary=f"dialog: {text}", at=page.began,
                has_error=bool(page.excess), url=url, details=details,
            )
        )  # fmt: skip
