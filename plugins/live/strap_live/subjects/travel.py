"""Navigation by a person, under the rules that hold for the agent as well."""

from collections.abc import Awaitable, Callable
from typing import Any

from strap import Guard
from strap_browser.api import CdpSession, Tab, load_again, next_entry

Check = Callable[[str], Awaitable[Any]]


async def travel(tab: Tab, to: str, url: str, guard: Guard) -> None:
    """Have a caller's page go to `url`, "back", "forward" or "reload".

    Raises `PolicyDenied`, `CdpError`.
    """
    page = tab.page
    if to == "url":
        await tab.connection.lead(await guard.check(url), page.goto(url))
    elif to == "reload":
        target = await guard.check(page.url)
        await tab.connection.lead(target, page.reload(), again=True)
    elif (entry := await next_entry(page.session, to)) is not None:
        target = await guard.check(entry["url"])
        await tab.connection.lead(target, page.go_to_entry(entry["id"]), again=True)


async def travel_in_run(session: CdpSession, to: str, url: str, check: Check) -> None:
    """The same in a page of a run, each of whose requests its monitor checks as well."""
    if to == "url":
        await check(url)
        await session.send("Page.navigate", url=url)
    elif to == "reload":
        await load_again(session)
    elif (entry := await next_entry(session, to)) is not None:
        await check(entry["url"])
        await session.send("Page.navigateToHistoryEntry", entryId=entry["id"])


def stop(session: CdpSession) -> None:
    """End what a page loads, and the script that runs; one that hangs answers neither."""
    for method in ("Page.stopLoading", "Runtime.terminateExecution"):
        session.send(method)
