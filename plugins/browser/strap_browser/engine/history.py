"""The history of a page: its entries, which of them it is at, and what loads one again."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.errors import NavigationFailed, WouldResend

SAFE = ("GET", "HEAD")
"""Methods of requests that ask for nothing but a document (RFC 9110, 9.2.1)."""
ASK_LIMIT = 5.0
"""Seconds until a page asks for its document again: a question of the page may hold it up."""
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
        if not refused:
            raise
    finally:
        session.off("Fetch.requestPaused", answer)
        session.send("Fetch.disable")
    if refused:
        raise WouldResend(refused[0])


async def load_again(session: CdpSession) -> None:
    """Load a page that is followed elsewhere again; returns when it asks for its document.

    Raises `WouldResend` where that would send a form again.
    """
    main = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    asked = asyncio.Event()

    def note(paused: dict[str, Any]) -> None:
        if paused["frameId"] == main:
            asked.set()

    async def work() -> None:
        await session.send("Page.reload")
        try:
            async with asyncio.timeout(ASK_LIMIT):
                await asked.wait()
        except TimeoutError:
            session.send("Page.stopLoading")

    session.on("Fetch.requestPaused", note)
    try:
        await sending_nothing(session, main, work())
    finally:
        session.off("Fetch.requestPaused", note)
