"""Where a person has a page go, under the rules that hold for the agent as well."""

from typing import Any

from strap import Guard
from strap_browser.pages.tab import Tab

STEPS = {"back": -1, "forward": 1}


async def travel(tab: Tab, to: str, url: str, guard: Guard) -> None:
    """Go to `url`, "back", "forward", "reload" or "stop"; raises `PolicyDenied`, `CdpError`."""
    page = tab.page
    if to == "stop":
        await page.session.send("Page.stopLoading")
    elif to == "url":
        await tab.connection.lead(await guard.check(url), page.goto(url))
    elif to == "reload":
        target = await guard.check(page.url)
        await tab.connection.lead(target, page.reload(), again=True)
    elif (entry := await _entry(tab, STEPS[to])) is not None:
        target = await guard.check(entry["url"])
        await tab.connection.lead(target, page.go_to_entry(entry["id"]), again=True)


async def _entry(tab: Tab, step: int) -> dict[str, Any] | None:
    history = await tab.page.session.send("Page.getNavigationHistory")
    index = history["currentIndex"] + step
    entries: list[dict[str, Any]] = history["entries"]
    return entries[index] if 0 <= index < len(entries) else None
