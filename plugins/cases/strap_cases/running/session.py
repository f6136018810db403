"""The calls of one attempt: a caller of its own, in the browser of its slot."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from strap import Caller, Result, StrapError

RUNNING_LIMIT = 90.0
"""Seconds for a browser to start on a loaded machine."""

SHOWN_TOKENS = 150
"""How much of a page is told in a report."""


class Web(Protocol):
    """The tool, as a router or a client of a server offers it."""

    async def call(self, arguments: Mapping[str, Any], *, caller: Caller) -> Result:
        """Make a call; raises `StrapError`."""

    async def end_session(self, key: str) -> None:
        """End all that a caller has open; it is named by principal and session."""


class CaseSession:
    """Calls as one caller, who has cookies, storage and pages of its own."""

    def __init__(self, router: Web, profile: str, name: str) -> None:
        self.profile = profile
        self.page = ""
        """The page of the case, as calls name it."""
        self._router = router
        self._caller = Caller(session=name)
        self._records = False

    async def call(self, resource: str, action: str, /, **fields: Any) -> Result:
        """Make a call; raises `StrapError`, also for what an action answers as an error."""
        return await self.make({"resource": resource, "action": action, **fields})

    async def make(self, arguments: Mapping[str, Any], *, awaits_news: bool = True) -> Result:
        """Make a call of arguments as they stand; raises `StrapError`."""
        caller = replace(self._caller, awaits_news=awaits_news)
        return await self._router.call(arguments, caller=caller)

    async def on_page(self, action: str, /, **fields: Any) -> Result:
        """Call an action of the browser on the page of the case; raises `StrapError`."""
        return await self.call("browser", action, **{"target_id": self.page} | fields)

    async def act(self, action: str, /, *, awaits_news: bool, **fields: Any) -> Result:
        """Act on the page; `awaits_news` gives it a moment to change; raises `StrapError`."""
        named = {"resource": "browser", "action": action, "target_id": self.page}
        return await self.make(named | fields, awaits_news=awaits_news)

    async def pages(self) -> list[str]:
        """Return the ids of all pages that the case has open."""
        return [page["id"] for page in await self.listed()]

    async def listed(self) -> list[dict[str, Any]]:
        """Return what is known of the pages that the case has open."""
        answer = await self.call("browser", "list_pages", profile=self.profile)
        pages: list[dict[str, Any]] = answer.data
        return pages

    async def launch(self) -> None:
        """See that the browser of the slot runs."""
        await self.call("browser", "launch", profile=self.profile, timeout=RUNNING_LIMIT)

    async def start(self, *, viewport: str, evidence: Sequence[str] = ()) -> None:
        """Open a blank page, twice if it is slow, and record `evidence`; raises `StrapError`."""
        try:
            page = await self.call("browser", "new_page", profile=self.profile)
        except StrapError as error:
            if not error.retryable:
                raise
            page = await self.call("browser", "new_page", profile=self.profile)
        self.page = page.data["target_id"]
        if viewport:
            width, _, height = viewport.partition("x")
            await self.on_page("resize", width=int(width), height=int(height))
        if evidence:
            name = re.sub(r"\W+", "-", f"{self._caller.session}-{token_hex(4)}")
            await self.on_page("record", value=",".join(evidence), output=f"evidence/{name}")
        self._records = bool(evidence)

    async def recorded(self) -> Sequence[Path]:
        """End what is recorded; return its files."""
        with suppress(StrapError):
            return (await self.on_page("record", value="stop")).files if self._records else ()
        return ()

    async def go(self, url: str, *, state: str) -> None:
        """Lead the page to its place, with a login saved as `state`; raises `StrapError`."""
        if state:
            await self.call("browser", "setup_state", state_id=state, url=url)
        else:
            await self.on_page("navigate", url=url)

    async def follow(self, url: str | None) -> None:
        """Go on with the page on which the agent ended, if that is another one."""
        with suppress(StrapError):
            pages = await self.listed()
            at = [page["id"] for page in pages if without_query(page["url"]) == url]
            if at and self.page not in at:
                self.page = at[-1]

    async def picture(self) -> bytes:
        """Return a picture of the page as it is now, none where there cannot be one."""
        with suppress(StrapError):
            images = (await self.on_page("screenshot")).images
            return images[0].data if images else b""
        return b""

    async def place(self) -> str:
        """Return where the page is and its title, "" where that cannot be told."""
        with suppress(StrapError):
            for page in await self.listed():
                if page["id"] == self.page:
                    return f'{without_query(page["url"])} "{page["title"]}"'
        return ""

    async def shown(self) -> str:
        """Return the first of what the page shows, "" where there is nothing to be had."""
        with suppress(StrapError):
            text = (await self.on_page("text", max_tokens=SHOWN_TOKENS)).text
            return " ".join(text.partition("\n")[2].split())  # without title and address
        return ""

    async def save(self, state: str) -> None:
        """Save the login as `state`; raises `StrapError`."""
        await self.call("browser", "setup_state", state_id=state)

    async def end(self) -> None:
        """Close the pages; nothing is saved."""
        await self._router.end_session(f"{self._caller.principal}/{self._caller.session}")


def without_query(url: str) -> str:
    """Return an address as answers of runs tell it."""
    return url.partition("#")[0].partition("?")[0]
