"""The entries of a place in their order, and what its pages do by themselves as entries."""

import time
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol

from strap_browser.api import (
    ConsoleMessage,
    Dialog,
    Download,
    Page,
    Request,
    Response,
    is_chatter,
    loggable_url,
    without_secrets,
)

Kind = Literal[
    "call", "think", "act", "step", "console", "network", "page", "dialog", "download", "person",
    "note",
]  # fmt: skip
Entry = dict[str, Any]
LONGEST = 600
"""Characters of a text: a page makes them as long as it likes."""
MOST = 500
"""Entries that are kept: an hour of an agent at work."""
KEPT = ("person", "note", "call")
"""Kinds that are noted while a person has the page in hand."""
BAD_STATUS = 400
"""HTTP status from which on a response is an error (RFC 9110, 15.5 and 15.6)."""
HIDDEN = ("Cc", "Cf", "Cs", "Co")
"""Unicode categories that are not shown: control and formatting characters turn texts around."""


def clean(text: str, limit: int = LONGEST) -> str:
    """Return a foreign text without what hides or turns other texts, on one line, cut."""
    shown = "".join(
        " " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character
        for character in text[: limit * 4]
        if unicodedata.category(character) not in HIDDEN or character in "\n\r\t"
    )
    line = " ".join(shown.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class Timeline:
    """The last entries of a place; `listeners` are told of each as it comes."""

    def __init__(self, hide: Callable[[str], str]) -> None:
        self.listeners: list[Callable[[Entry], None]] = []
        self._hide = hide
        self._entries: deque[Entry] = deque(maxlen=MOST)
        self._last = 0
        self.private = False
        """Whether a person has the page in hand: what it says then may be what they typed."""

    def add(
        self,
        kind: Kind,
        text: str,
        *,
        at: float | None = None,
        bad: bool = False,
        seconds: float | None = None,
        page: str | None = None,
        **more: Any,
    ) -> None:
        """Note what happened `at` (seconds since 1970; now), and how long it took.

        `more` is told as it is: nothing in it may be hostile or secret.
        """
        if self.private and kind not in KEPT:
            return
        self._last += 1
        entry: Entry = {
            "type": "entry",
            "n": self._last,
            "at": round(at or time.time(), 3),
            "kind": kind,
            "text": clean(without_secrets(self._hide(text))),
            "bad": bad,
            **more,
        }
        if seconds is not None:
            entry["ms"] = round(seconds * 1_000)
        if page is not None:
            entry["page"] = page
        self._entries.append(entry)
        for listener in list(self.listeners):
            listener(entry)

    def person(self, did: str, seconds: float | None = None) -> None:
        """Note what a person did, and how long it had lasted."""
        self.add("person", f"A person {did}", seconds=seconds)

    def since(self, number: int) -> Iterator[Entry]:
        """Return the entries that came after the one of this number."""
        return (entry for entry in list(self._entries) if entry["n"] > number)


class Hear(Protocol):
    """Hears what a page does."""

    def __call__(self, kind: Kind, text: str, *, bad: bool = False) -> None:
        """Take note of it."""


def follow(page: Page, hear: Hear) -> None:
    """Have somebody hear of errors, documents, dialogs and downloads of a page from now on."""

    def on_console(message: ConsoleMessage) -> None:
        if message.is_of_network or is_chatter(message):
            return
        if message.type in ("error", "warning"):
            bad = message.type == "error"
            hear("console", message.text, bad=bad)

    def on_response(response: Response) -> None:
        request = response.request
        if response.status >= BAD_STATUS or request.is_navigation:
            text = f"{request.method} {loggable_url(request.url)} {response.status}"
            hear("network", text, bad=response.status >= BAD_STATUS)

    def on_failed(request: Request) -> None:
        text = f"{request.method} {loggable_url(request.url)} {request.failure or 'failed'}"
        hear("network", text, bad=True)

    def on_dialog(dialog: Dialog) -> None:
        hear("dialog", f"{dialog.type}: {dialog.message}")

    def on_download(download: Download) -> None:
        hear("download", download.suggested_filename)

    page.on("console", on_console)
    page.on("pageerror", lambda text: hear("console", text, bad=True))
    page.on("response", on_response)
    page.on("requestfailed", on_failed)
    page.on("dialog", on_dialog)
    page.on("download", on_download)
    page.on("crash", lambda _: hear("page", "The page crashed.", bad=True))
