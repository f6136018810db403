"""The history of a page: its entries, which of them it is at, and what loads one again."""

from typing import Any

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
