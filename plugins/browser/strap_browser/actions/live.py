"""The action `live`: a link with which a person watches the browser."""

from typing import TYPE_CHECKING, Any

from strap import ActionError, Context, Result, action
from strap_browser.actions.params import ProfileParams

if TYPE_CHECKING:
    from strap_browser.settings.browser import BrowserSettings


@action("browser", effect="read")
async def live(params: ProfileParams, ctx: "Context[Any]") -> Result:
    """Answer with a link to the live view, to show to the user: it works once, for five minutes.

    Whoever opens it on this machine sees your pages and runs as they are drawn.
    """
    from strap_browser.agent.queries import owner
    from strap_browser.live.admission import Grant

    settings: BrowserSettings = ctx.settings  # type: ignore[assignment]
    if not settings.live.enabled:
        raise ActionError("The operator has switched the live view off.", code="disabled")
    grant = Grant(role=settings.live.links, owner=ctx.caller_key, runs=owner(ctx))
    view = ctx.state.live
    link, watching = await view.link(grant), view.watchers(grant)
    who = f"{watching} viewer{'' if watching == 1 else 's'}" if watching else "nobody"
    return Result(
        text=f"Live view: {link} (open it within 5 minutes; it works once). Watching: {who}.",
        data={"url": link, "watching": watching},
    )
