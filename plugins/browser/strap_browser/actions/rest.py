"""Whether a page rests: no request runs, and nothing has changed for a while."""

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strap_browser.engine.page_activity import PageActivity
    from strap_browser.interaction.effects import Effects

REST_MS = 500
"""How long a page has to rest, in milliseconds."""
RESTLESS = 3.0
"""Seconds after which changes alone (a clock, an animation) do not count any more."""


class Rest:
    """Whether a page rests, which `effects` watches."""

    def __init__(self, activity: "PageActivity", effects: "Effects") -> None:
        self._activity = activity
        self._effects = effects
        self._begin()

    def _begin(self) -> None:
        self._began = monotonic()
        self._unchanged = self._began - self._effects.quiet

    async def look(self) -> bool:
        """Ask the page."""
        activity = self._activity
        if activity.leaving or not activity.parsed or activity.busy:
            return False
        report = await self._effects.report()
        if not report["same"]:
            await self._effects.begin()  # there is another document
            self._begin()
            return False
        if report["changes"] and monotonic() - self._began < RESTLESS:
            return float(report["quiet"]) >= REST_MS
        # Some pages ask for something all the time: an event begins the time anew only before that.
        since = min(self._began, max(self._unchanged, activity.stirred))
        return monotonic() - since > REST_MS / 1000
