"""The action `record_person`: notes what a person does in pages, for `strap record`."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

from pydantic import Field

from strap import ActionError, Context, PolicyDenied, Result, action
from strap.text import counted
from strap_browser.api import PersonRecorder, ProfileParams

if TYPE_CHECKING:
    from strap_browser.api import BrowserState

LOOK = 0.2
"""Seconds between two looks whether any page is left."""
MOST_SECONDS = 24 * 3600


_running: "WeakKeyDictionary[BrowserState, dict[str, asyncio.Event]]" = WeakKeyDictionary()
"""By caller and profile, the events that end its recording."""


class RecordPerson(ProfileParams):
    """For how long, and until when."""

    value: Literal["stop"] | None = None
    """`stop` ends the recording of another call."""
    timeout: float | None = Field(default=None, gt=0, le=MOST_SECONDS)


@action("browser", effect="read", timeout=MOST_SECONDS, advertised=False)
async def record_person(params: RecordPerson, ctx: "Context[BrowserState]") -> Result:
    """Note what a person does in your pages until the last one is closed, or the call ends.

    `script` writes it. Passwords are left out. Tabs of the user's own browser are not recorded.
    """
    profile = ctx.state.profile(ctx)
    running = _running.setdefault(ctx.state, {})
    name = f"{profile.name} {ctx.caller_key}"
    if params.value == "stop":
        if name in running:
            running[name].set()
        return Result(text="The recording ends.")
    if "user_tabs" in profile.driver.can:
        raise PolicyDenied("What a person does in tabs of their own browser is not recorded.")
    pages = profile.known(ctx.caller_key)
    if pages is None or not pages.tabs:
        raise ActionError("There is no page.", hint="Open one with navigate.", code="no_page")
    stop = running[name] = asyncio.Event()
    recorder = PersonRecorder(
        lambda: [*pages.tabs.values()],
        ctx.state.calls,
        key=ctx.caller_key,
        profile=profile.name,
        keeps=True,
    )
    try:
        while not stop.is_set() and any(tab.alive for tab in pages.tabs.values()):
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK)
    finally:
        running.pop(name, None)
        await recorder.aclose()
    return Result(text=f"Noted {counted(recorder.count, 'call')}. `script` writes them.")
