"""Captchas on the page of a run: whether one is shown there that is not solved."""

import asyncio
from collections.abc import Iterator, Sequence

from strap_browser.api import CdpConnection, CdpError, Params, script_module

LIMIT = 0.5
"""Seconds for an answer: the last look of a run waits for it."""
MOST_FRAMES = 20
"""Frames of a process that are asked: captchas are in few, advertisements in many."""
WORLD = "strap captcha"
"""The name of the isolated world, which no script of the page reaches."""


async def captcha(cdp: CdpConnection, sessions: Sequence[str]) -> str:
    """Return the name of a captcha on what the sessions show, "" for none."""
    calls = [_in_process(cdp, session) for session in sessions]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    return next((answer for answer in answers if answer and isinstance(answer, str)), "")


async def _in_process(cdp: CdpConnection, session: str) -> str:
    tree = await cdp.call("Page.getFrameTree", session, limit=LIMIT)
    for frame in [*_frames(tree["frameTree"])][:MOST_FRAMES]:
        params = {"frameId": frame, "worldName": WORLD}
        world = await cdp.call("Page.createIsolatedWorld", session, limit=LIMIT, **params)
        answer = await cdp.call(
            "Runtime.evaluate",
            session,
            limit=LIMIT,
            contextId=world["executionContextId"],
            expression=f"{script_module('dom/captcha.js')}.captcha()",
        )
        if "exceptionDetails" in answer:
            raise CdpError("The page was not looked at.")
        if name := str(answer["result"].get("value") or ""):
            return name
    return ""


def unsolved(name: str) -> list[str]:
    """Return what the answer says of a captcha on the page that was seen last."""
    return [f"The page has a captcha ({name}), not solved: a person has to."] if name else []


def _frames(tree: Params) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", ()):
        yield from _frames(child)
