"""Pictures of a watched page; a script that holds it up is ended for one."""

import asyncio
import base64
import binascii
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from strap_agent.monitor.captchas import captcha
from strap_browser.api import CdpConnection, CdpError

SHOT_LIMIT = 2.0
"""Seconds for a picture: a step waits for it, and a page that hangs gives none."""
STUCK = 0.3
"""Seconds without an answer after which a script of the page is taken for one without an end."""
QUALITY = 80
"""JPEG quality: text stays legible."""
GLANCE = 60
"""JPEG quality of samples, as of pictures in motion."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a page looks, None where it did not tell."""

    picture: bytes | None = None
    held_up: bool = False
    """Whether the page computed nothing until its script was ended."""
    captcha: str = ""
    """The name of a captcha that is not solved."""


async def look(cdp: CdpConnection, session: str, frames: Sequence[str] = ()) -> Look:
    """Look at the page of a session, and its frames; ends a script that holds it up."""
    if not session:
        return Look()
    held_up = False
    computes = asyncio.create_task(_computes(cdp, session))
    finds = asyncio.create_task(captcha(cdp, (session, *frames)))

    def free() -> None:
        nonlocal held_up
        held_up = not computes.done()
        cdp.post("Runtime.terminateExecution", session)

    timer = asyncio.get_running_loop().call_later(STUCK, free)
    try:
        data = await _still(cdp, session, QUALITY)
        await asyncio.wait({finds}, timeout=STUCK)
        name = finds.result() if finds.done() else ""
        return Look(data, held_up=held_up and data is not None, captcha=name)
    finally:
        timer.cancel()
        computes.cancel()
        finds.cancel()
        await asyncio.wait({computes, finds})


async def glance(cdp: CdpConnection, session: str) -> bytes | None:
    """Return a small picture of the page of a session, and let it be whatever it does."""
    return await _still(cdp, session, GLANCE, optimizeForSpeed=True) if session else None


async def _computes(cdp: CdpConnection, session: str) -> None:
    with suppress(CdpError):
        await cdp.call("Runtime.evaluate", session, limit=SHOT_LIMIT, expression="1")


async def _still(cdp: CdpConnection, session: str, quality: int, **how: Any) -> bytes | None:
    options = {"format": "jpeg", "quality": quality, **how}
    try:
        shot = await cdp.call("Page.captureScreenshot", session, limit=SHOT_LIMIT, **options)
        return base64.b64decode(shot["data"], validate=True)
    except (CdpError, binascii.Error):
        return None
