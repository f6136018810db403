"""Loading a document again, unless that would send a form again."""

import asyncio
from collections.abc import Awaitable

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.errors import NavigationFailed, WouldResend
from strap_browser.engine.traffic.interception import DOCUMENTS, Interception, Interceptor
from strap_browser.engine.traffic.paused_request import Decision, Fail, PausedRequest

SAFE = ("GET", "HEAD")
"""Methods of requests that ask for nothing but a document (RFC 9110, 9.2.1)."""
ASK_LIMIT = 5.0
"""Seconds until a page asks for its document again: a question of the page may hold it up."""


async def sending_nothing(
    interception: Interception, main: str, work: Awaitable[None], sent: asyncio.Event | None = None
) -> None:
    """Do the work, which loads the document of the `main` frame again.

    `sent` is set when the page asks for it. Raises `WouldResend` where that would send a form
    again; the page stays where it is then.
    """
    refused: list[str] = []

    async def decide(request: PausedRequest) -> Decision:
        if request.frame_id != main:
            return None
        if sent is not None:
            sent.set()
        if request.method in SAFE:
            return None
        refused.append(request.method)
        return Fail()

    try:
        async with interception.by(Interceptor(decide=decide, patterns=DOCUMENTS)):
            await work
    except NavigationFailed:
        if not refused:
            raise
    if refused:
        raise WouldResend(refused[0])


async def load_again(session: CdpSession) -> None:
    """Load a page that is followed elsewhere again; returns when it asks for its document.

    Raises `WouldResend` where that would send a form again.
    """
    main = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    interception, sent = Interception(), asyncio.Event()
    interception.follow(session)

    async def work() -> None:
        await session.send("Page.reload")
        try:
            async with asyncio.timeout(ASK_LIMIT):
                await sent.wait()
        except TimeoutError:
            session.send("Page.stopLoading")

    try:
        await sending_nothing(interception, main, work(), sent)
    finally:
        interception.leave(session)
