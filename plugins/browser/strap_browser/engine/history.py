"""The history of a page: its entries, which of them it is at, and what loads one again."""

from collections.abc import Awaitable
from typing import Any

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.errors import NavigationFailed, WouldResend

SAFE = ("GET", "HEAD")
"""Methods of requests that ask for nothing but a document (RFC 9110, 9.2.1)."""

STEPS = {"back": -1, "forward": 1}


async def next_entry(session: Any, way: str) -> dict[str, Any] | None:
    """Return the entry that is one step back or forward, None where there is none."""
    history = await session.send("Page.getNavigationHistory")
    index = history["currentIndex"] + STEPS[way]
    entries: list[dict[str, Any]] = history["entries"]
    return entries[index] if 0 <= index < len(entries) else None


async def is_at(session: Any, entry: int) -> bool:
    """Whether the page is at the entry with this id."""
    history = await session.send("Page.getNavigationHistory")
    return bool(history["entries"][history["currentIndex"]]["id"] == entry)


async def sending_nothing(session: CdpSession, main: str, work: Awaitable[None]) -> None:
    """Do the work, which loads the document of the `main` frame again.

    Raises `WouldResend` where that would send a form again; the page stays where it is then.
    """
    refused: list[str] = []

    def answer(paused: dict[str, Any]) -> None:
        number, method = paused["requestId"], paused["request"]["method"]
        if method in SAFE or paused["frameId"] != main:
            session.send("Fetch.continueRequest", requestId=number)
            return
        refused.append(method)
        session.send("Fetch.failRequest", requestId=number, errorReason="Aborted")

    session.on("Fetch.requestPaused", answer)
    try:
        await session.send("Fetch.enable", patterns=[{"resourceType": "Document"}])
        await work
    except NavigationFailed:
        if refused:
            raise WouldResend(refused[0]) from None
        raise
    finally:
        session.off("Fetch.requestPaused", answer)
        session.send("Fetch.disable")
