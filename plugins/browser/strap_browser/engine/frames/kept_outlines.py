"""Outlines of large documents, kept as long as nothing that they show can have changed.

The page script tells of mutations, fields, focus and scroll offsets. What styles and layout make of
them no script is told: the browser counts how often it computed those.
"""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any
from weakref import WeakKeyDictionary

from strap import record
from strap_browser.cdp.connection import CdpSession
from strap_browser.cdp.errors import CdpError
from strap_browser.engine.frames.frame import Frame
from strap_browser.page_script.bundle import ScriptAnswer

Ask = Callable[..., Awaitable[ScriptAnswer]]
"""Asks the document of a frame a question: `ask(frame, op, **arguments)`."""
Places = dict[str, str] | None
KEPT_SIZE = 1_000
"""Elements from which on an outline is kept; a smaller one takes as long as the question."""
COUNTS = ("LayoutCount", "RecalcStyleCount")
MOST_ANSWERS = 4
"""Outlines of one document, with refs for different texts."""


@record(frozen=False)
class _CachedOutline:
    token: str
    loader: str
    counts: tuple[float, ...]
    answers: dict[str, ScriptAnswer] = field(default_factory=dict)


class KeptOutlines:
    """The outlines of a page's documents."""

    def __init__(self) -> None:
        self._outlines: WeakKeyDictionary[Frame, _CachedOutline] = WeakKeyDictionary()
        self._sizes: WeakKeyDictionary[Frame, tuple[str, int]] = WeakKeyDictionary()
        self._counting: WeakKeyDictionary[CdpSession, bool] = WeakKeyDictionary()

    async def outline(self, ask: Ask, frame: Frame, places: Places, size: int = 0) -> ScriptAnswer:
        """Return the outline of a frame's document; raises like `Ask`.

        `size` is its number of elements, where that is known.
        """
        loader, known = self._sizes.get(frame, ("", 0))
        if max(size, known if loader == frame.loader else 0) < KEPT_SIZE:
            answer = await ask(frame, "outline", places=places)
        else:
            answer = await self._large(ask, frame, places)
        self._sizes[frame] = frame.loader, answer["size"]
        return answer

    async def _large(self, ask: Ask, frame: Frame, places: Places) -> ScriptAnswer:
        cached = self._outlines.get(frame)
        if cached and cached.loader != frame.loader:
            cached = None
        state = await ask(frame, "unchanged", token=cached.token if cached else "")
        counts = await self._counts(frame)
        same = state.pop("unchanged") and cached is not None and counts == cached.counts
        if cached is None or not same:
            return await self._anew(ask, frame, places, counts)
        key = repr(places)
        if known := cached.answers.get(key):
            return {**known, **state}
        answer = await ask(frame, "outline", places=places, before=cached.token)
        if await self._counts(frame) != counts:
            return await self._anew(ask, frame, places, ())
        if len(cached.answers) >= MOST_ANSWERS:
            cached.answers.pop(next(iter(cached.answers)))
        cached.answers[key] = answer
        return answer

    async def _anew(
        self, ask: Ask, frame: Frame, places: Places, counts: tuple[float, ...]
    ) -> ScriptAnswer:
        """Return an outline of the document as it is; keep it if styles and layout stood still."""
        self._outlines.pop(frame, None)
        if not counts:
            return await ask(frame, "outline", places=places)
        cached = _CachedOutline(token=secrets.token_hex(4), loader=frame.loader, counts=counts)
        answer = await ask(frame, "outline", places=places, token=cached.token)
        if answer.pop("kept", False) and await self._counts(frame) == counts:
            cached.answers[repr(places)] = answer
            self._outlines[frame] = cached
        return answer

    async def _counts(self, frame: Frame) -> tuple[float, ...]:
        """Return how often styles and layout were computed; () where the browser does not say."""
        session = frame.session
        try:
            if session not in self._counting:
                self._counting[session] = False
                await session.send("Performance.enable")
                self._counting[session] = True
            if not self._counting[session]:
                return ()
            answer = await session.send("Performance.getMetrics")
        except CdpError:
            return ()
        values: dict[str, Any] = {metric["name"]: metric["value"] for metric in answer["metrics"]}
        return tuple(values.get(name, -1.0) for name in COUNTS)
