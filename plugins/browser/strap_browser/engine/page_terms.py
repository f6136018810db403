"""How the pages of a browser are set up."""

from collections.abc import Iterator, Mapping
from typing import Any

from strap import record
from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.frames.frame import World
from strap_browser.page_script.bundle import NAME, for_documents, question

Command = tuple[str, dict[str, Any]]
ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
BLANK = "about:blank"


@record
class PageTerms:
    """Settings of every page of a browser."""

    world: World
    """That of strap's script."""
    scripts: tuple[str, ...] = ()
    """Scripts that run in each document before any of its own."""
    viewport: tuple[int, int] | None = None
    """Size of each page; None leaves pages as large as their window."""
    locale: str | None = None
    extra_headers: Mapping[str, str] | None = None
    untouched: bool = False
    """Whether nothing is set that was not asked for: the pages are the user's own."""

    def commands(self, *, is_page: bool, is_new: bool) -> Iterator[Command]:
        """Yield the commands that set up a page, or a frame that another process runs.

        A document that `is_new` has run nothing so far.
        """
        for script in self.scripts:
            yield ADD_SCRIPT, {"source": script, "runImmediately": is_new}
        if self.locale is not None:
            yield "Emulation.setLocaleOverride", {"locale": self.locale}
        if self.extra_headers:
            yield "Network.setExtraHTTPHeaders", {"headers": dict(self.extra_headers)}
        if self.untouched:
            return
        yield "Emulation.setFocusEmulationEnabled", {"enabled": True}
        if is_page and self.viewport is not None:
            yield viewport(*self.viewport)

    def own_script(self, *, is_new: bool) -> Iterator[Command]:
        """Yield the command that gives strap's script to a page or frame that is to have it."""
        if self.world.has_script:
            yield ADD_SCRIPT, self._in_world(for_documents(), at_once=not is_new)

    async def warm_up(self, session: CdpSession) -> None:
        """Have strap's script look at a page that is blank, and has it; raises `CdpError`.

        What is compiled for that is compiled for all of its process, where the first document is
        another one. The page may have gone there until it is asked, and is not looked at then.
        """
        script = f"if (location.href === '{BLANK}') {NAME}.ask({question('outline', {})})"
        added = await session.send(ADD_SCRIPT, **self._in_world(script, at_once=True))
        number = added["identifier"]
        session.send("Page.removeScriptToEvaluateOnNewDocument", identifier=number)

    def _in_world(self, source: str, *, at_once: bool) -> dict[str, Any]:
        return {"source": source, "worldName": self.world.name, "runImmediately": at_once}


def viewport(width: int, height: int) -> Command:
    """Return the command that gives a page this size, in CSS pixels."""
    size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
    fixed = {"deviceScaleFactor": 1, "mobile": False}
    return "Emulation.setDeviceMetricsOverride", {**size, **fixed}
