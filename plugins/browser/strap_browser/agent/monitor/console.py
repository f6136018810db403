"""Console messages and uncaught exceptions of the watched pages."""

import time
from typing import Any

from strap_browser.agent.store.records import Event
from strap_browser.cdp.connection import CdpConnection, Params
from strap_browser.common.text import clip
from strap_browser.common.urls import loggable_url
from strap_browser.engine.console import formatted

LONGEST = 1_000
"""Characters of a message in the store: pages log whole documents."""
NOISE = ("browser-use highlight elements",)
"""What the agent's own scripts say on the page."""


class Console:
    """Turns what Runtime and Log tell into events."""

    def __init__(self, cdp: CdpConnection, record: Any) -> None:
        self._cdp = cdp
        self._record = record
        cdp.on("Runtime.consoleAPICalled", self._said)
        cdp.on("Runtime.exceptionThrown", self._thrown)
        cdp.on("Log.entryAdded", self._logged)

    def listen(self, session: str) -> None:
        """Listen to a page, frame or worker."""
        self._cdp.post("Runtime.enable", session)
        self._cdp.post("Log.enable", session)

    def _said(self, params: Params, _: str) -> None:
        level = params["type"]
        text = formatted([_shown(argument) for argument in params["args"]])
        if not any(noise in text for noise in NOISE):
            frames = params.get("stackTrace", {}).get("callFrames", [])
            url = frames[0]["url"] if frames else None
            self._add(level, text, url, bad=level in ("error", "assert"))

    def _thrown(self, params: Params, _: str) -> None:
        details = params["exceptionDetails"]
        thrown = details.get("exception", {})
        text = thrown.get("description") or thrown.get("value") or details.get("text", "")
        self._add("exception", f"Uncaught {text}", details.get("url"), bad=True)

    def _logged(self, params: Params, _: str) -> None:
        entry = params["entry"]
        if entry["source"] != "network":  # failed requests are network events already
            self._add(
                entry["level"], entry["text"], entry.get("url"), bad=entry["level"] == "error"
            )

    def _add(self, level: str, text: str, url: str | None, *, bad: bool) -> None:
        self._record(
            Event(
                type="console",
                summary=clip(f"{level}: {text.splitlines()[0] if text else ''}", LONGEST),
                at=time.time(),
                has_error=bad,
                url=loggable_url(url) if url else None,
                details={"level": level, "text": text[:LONGEST]},
            )
        )


def _shown(argument: Params) -> str:
    value = argument.get("value", argument.get("description", argument["type"]))
    return str(value)
