"""Kept outlines beside whole ones: what is told of a page that has not changed is what it shows."""

from typing import Any

import pytest

from strap_browser.engine.frames.kept_outlines import KeptOutlines


def compare(patch: pytest.MonkeyPatch) -> list[Any]:
    """Keep outlines of small pages, too, and compare each kept one with a whole look.

    Returns the differences, of which there are to be none.
    """
    patch.setattr("strap_browser.engine.frames.kept_outlines.KEPT_SIZE", 0)
    differences: list[Any] = []
    outline = KeptOutlines.outline

    async def compared(self: Any, ask: Any, frame: Any, places: Any, size: int = 0) -> Any:
        before = self._outlines.get(frame)
        told = await outline(self, ask, frame, places, size)
        if before is None or self._outlines.get(frame) is not before:
            return told
        whole = await ask(frame, "outline", places=places)
        now = await ask(frame, "unchanged", token=before.token)
        counts = await self._counts(frame)
        still = now["unchanged"] and counts == before.counts
        if still and whole["tree"] != told["tree"] and (not places or not places.get("text")):
            differences.append((frame.url, places, told["tree"], whole["tree"]))
        return told

    patch.setattr(KeptOutlines, "outline", compared)
    return differences
