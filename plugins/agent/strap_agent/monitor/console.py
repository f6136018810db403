"""Console messages and uncaught exceptions of the watched pages."""

import time
from typing import TYPE_CHECKING, Any

from strap_agent.store.records import Event
from strap_browser.api import (
    CdpConnection,
    ConsoleMessage,
    Params,
    clip,
    loggable_url,
    logged,
    spoken,
)

if TYPE_CHECKING:
    from cdp_use.cdp.runtime.events import ConsoleAPICalledEvent


LONGEST = 1_000
"""Characters of a message in the store: pages log whole documents."""


class Console:
    """Turns what Runtime and Log tell into events."""

    def __init__(self, cdp: CdpConnection, record: Any) -> None:
        self._cdp = cdp
        self._record = record
        cdp.on("Runtime.consoleAPICalled", self._called)
        cdp.on("Runtime.exceptionThrown", self._thrown)
        cdp.on("Log.entryAdded", self._logged)

    def listen(self, session: str) -> None:
        """Listen to a page, frame or worker."""
        self._cdp.post("Runtime.enable", session)
        self._cdp.post("Log.enable", session)

    def _called(self, params: "ConsoleAPICalledEvent", _: str) -> None:
        message = spoken(params)
        self._add(message, bad=message.type in ("error", "assert"))

    def _thrown(self, params: Params, _: str) -> None:
        details = params["exceptionDetails"]
        thrown = details.get("exception", {})
        text = thrown.get("description") or thrown.get("value") or details.get("text", "")
        message = ConsoleMessage(
            type="exception", text=f"Uncaught {text}", url=details.get("url", "")
        )
        self._add(message, bad=True)

    def _logged(self, params: Params, _: str) -> None:
        entry = params["entry"]
        if entry["source"] != "network":  # failed requests are network events already
            self._add(logged(entry), bad=entry["level"] == "error")

    def _add(self, message: ConsoleMessage, *, bad: bool) -> None:
        level, text = message.type, message.text
        self._record(
            Event(
                type="console",
                summary=clip(f"{level}: {text.splitlines()[0] if text else ''}", LONGEST),
                at=time.time(),
                has_error=bad,
                url=loggable_url(message.url) if message.url else None,
                details={"level": level, "text": text[:LONGEST]},
            )
        )
