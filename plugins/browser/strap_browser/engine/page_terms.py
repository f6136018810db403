"""How the pages of a browser are set up."""

from collections.abc import Iterator, Mapping
from typing import Any

from strap import record
from strap_browser.content.script import for_documents
from strap_browser.engine.frames.frame import World

Command = tuple[str, dict[str, Any]]


@record
class PageTerms:
    """What holds for each page of a browser."""

    world: World
    """That of strap's script."""
    scripts: tuple[str, ...] = ()
    """What runs in each document before any script of its own."""
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
            options = {"source": script, "runImmediately": is_new}
            yield "Page.addScriptToEvaluateOnNewDocument", options
        if self.locale is not None:
            yield "Emulation.setLocaleOverride", {"locale": self.locale}
        if self.extra_headers:
            yield "Network.setExtraHTTPHeaders", {"headers": dict(self.extra_headers)}
        if self.world.has_script:
            own = {"source": for_documents(), "worldName": self.world.name}
            yield "Page.addScriptToEvaluateOnNewDocument", own
        if self.untouched:
            return
        yield "Emulation.setFocusEmulationEnabled", {"enabled": True}
        if is_page and self.viewport is not None:
            yield viewport(*self.viewport)


def viewport(width: int, height: int) -> Command:
    """Return the command that gives a page this size, in CSS pixels."""
    size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
    fixed = {"deviceScaleFactor": 1, "mobile": False}
    return "Emulation.setDeviceMetricsOverride", {**size, **fixed}
