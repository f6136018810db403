"""Makes the checks of a segment, in the order in which they tell the truth."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from time import monotonic

from strap import StrapError
from strap_cases.checking import others, page, traffic
from strap_cases.checking.scene import Observed, Scene
from strap_cases.checks import Check
from strap_cases.verdict import Seen

SETTLE = 2.0
"""Seconds for the page to come to rest before it is looked at."""
STEP = 0.15
"""Seconds between two looks; each takes some hundredths."""
Observe = Callable[[Check, Scene], Awaitable[Observed]]
OBSERVERS: Mapping[str, Observe] = {
    "url": page.url,
    "title": page.title,
    "text": page.text,
    "role": page.role,
    "value": page.value,
    "count": page.count,
    "cookie": others.cookie,
    "page status": page.status,
    "request": traffic.request,
    "console errors": traffic.console_errors,
    "console": traffic.console,
    "failed requests": traffic.failed_requests,
    "dialog": traffic.dialog,
    "download": others.download,
    "answer": others.answer,
    "http": others.http,
    "js": page.js,
}
"""Function that makes each kind of check."""


async def make(checks: Sequence[Check], scene: Scene, patience: float) -> list[Seen]:
    """Make all checks and return what they saw; checks for absence look once, after the others."""
    if not checks:
        return []
    try:
        await _settle(scene)
        scene = replace(scene, until=monotonic() + patience)
        seen: dict[int, Seen] = {}
        for number in sorted(range(len(checks)), key=lambda number: checks[number].negative):
            seen[number] = await _make(checks[number], scene)
        return [seen[number] for number in range(len(checks))]
    finally:
        await scene.matching.end()


async def _settle(scene: Scene) -> None:
    try:
        await scene.session.on_page("wait", value="idle", timeout=SETTLE)
    except StrapError:
        return  # the checks tell what is wrong


async def _make(check: Check, scene: Scene) -> Seen:
    observed = await _observe(check, scene)
    while not check.negative and not observed.met and monotonic() < scene.until:
        await asyncio.sleep(STEP)
        observed = await _observe(check, scene)
    met = observed.met
    if check.negative and met is not None:
        met = not met
    return Seen(check=check, met=met, seen=await _shown(observed))


async def _shown(observed: Observed) -> str:
    if observed.instead is not None:
        with suppress(StrapError):
            return await observed.instead()
    return observed.seen


async def _observe(check: Check, scene: Scene) -> Observed:
    """Look once; what keeps strap from looking is no answer."""
    try:
        return await OBSERVERS[check.kind](check, scene)
    except StrapError as error:
        return Observed(None, str(error))
