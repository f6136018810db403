"""Profiles whose pages may be given other answers and devices."""

from typing import TYPE_CHECKING

from strap import ActionError, Context

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry


def refuse_foreign(
    ctx: "Context[BrowserRegistry]", *, shared_too: bool = False, firefox_too: bool = True
) -> None:
    """Raise `ActionError` (code "unsupported") for tabs of the user, and for a Firefox.

    With `shared_too` for browsers that run elsewhere as well: others use them.
    """
    profile, name = ctx.state.profile(ctx), ctx.call.action
    can = profile.driver.can
    whose = ""
    if "user_tabs" in can:
        whose = "the user's own tabs"
    elif firefox_too and "devtools" not in can:
        whose = "a Firefox"
    elif shared_too and "agent_page" not in can:
        whose = "a browser that others may use"
    if whose:
        raise ActionError(
            f"{name} needs a Chromium of strap's, and profile {profile.name!r} has {whose}.",
            hint="Use another profile.",
            code="unsupported",
        )
