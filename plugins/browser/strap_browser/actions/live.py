"""The action `live`: a link with which a person watches the browser."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, action
from strap_browser.actions.params import ProfileParams

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from strap_browser.live.admission import Grant
    from strap_browser.settings.browser import BrowserSettings

LIMIT = 120.0
"""Seconds for which a person is waited for, where the call does not say."""
PATIENT = 0.95
"""The part of it after which the answer is that nobody came: later there would be none."""
UNSEEN_LIMIT = 50.0
"""Seconds where no progress is told: such clients give up after a minute."""
AGAIN = "then call live again with the same text, which waits."


class Live(ProfileParams):
    """What to ask a person."""

    text: str | None = Field(default=None, max_length=500)
    """What to ask a person to do in the browser; left out: only a link is wanted."""


@action("browser", effect="write", timeout=120, asks_caller=True)
async def live(params: Live, ctx: "Context[Any]") -> Result:
    """Answer with a link to the live view, to show to the user: it works once, for five minutes.

    Whoever opens it on this machine sees your pages and runs as they are drawn, can pause you and
    take control. With `text` it asks them for something, as to log in, and waits until they had
    control and handed it back.
    """
    profile = ctx.state.profile(ctx)
    if not profile.driver.is_chromium:
        raise ActionError(
            f"The live view shows Chromium alone, and profile {profile.name!r} is a Firefox.",
            hint="`screenshot` shows its page.",
            code="unsupported",
        )
    settings: BrowserSettings = ctx.settings  # type: ignore[assignment]
    if not settings.live.enabled:
        raise ActionError("The operator has switched the live view off.", code="disabled")
    view = ctx.state.live
    place = view.places.of_caller(ctx.state.profile(ctx).name, ctx.caller_key)
    invite = invitation(ctx)
    if params.text and place is not None and (place.lookers or invite):
        limit = (params.timeout or LIMIT) * PATIENT
        limit = min(limit, UNSEEN_LIMIT) if ctx.report is None else limit
        return Result(text=await place.questions.ask(params.text, limit, ctx.progress, invite))
    return await _link(params, ctx)


def invitation(ctx: "Context[Any]") -> "Callable[[str], Awaitable[bool | None]] | None":
    """Return what asks the person before the caller's client, with a link of their own.

    None where the client offers none, or links let nobody take control.
    """
    settings: BrowserSettings = ctx.settings  # type: ignore[assignment]
    invite = ctx.caller.invite
    if invite is None or not settings.live.enabled or settings.live.allows != "control":
        return None

    async def invited(text: str) -> bool | None:
        return await invite(text, await ctx.state.live.link(_grant(ctx)))

    return invited


def _grant(ctx: "Context[Any]") -> "Grant":
    from strap_browser.agent.queries import owner
    from strap_browser.live.admission import Grant

    settings: BrowserSettings = ctx.settings  # type: ignore[assignment]
    return Grant(role=settings.live.allows, owner=ctx.caller_key, runs=owner(ctx))


async def _link(params: Live, ctx: "Context[Any]") -> Result:
    view, grant = ctx.state.live, _grant(ctx)
    link, watching = await view.link(grant), view.watchers(grant)
    data = {"url": link, "watching": watching}
    if params.text:
        said = f'Nobody watches. Ask the user to open {link} and press "Take control"; {AGAIN}'
        return Result(text=said, data=data)
    who = f"{watching} viewer{'' if watching == 1 else 's'}" if watching else "nobody"
    said = f"Live view: {link} (open it within 5 minutes; it works once). Watching: {who}."
    return Result(text=said, data=data)
