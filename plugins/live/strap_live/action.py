"""The action `live`: a link with which a person watches the browser."""

from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, Result, action
from strap.credentials.answers import takes_words, words_taken
from strap_browser.api import ProfileParams, origin_of

if TYPE_CHECKING:
    from strap_agent.person.pause import Words
    from strap_browser.api import BrowserSettings
    from strap_live.state import LiveState

LIMIT = 120.0
"""Seconds for which a person is waited for, where the call does not say."""
PATIENT = 0.95
"""The part of it after which the answer is that nobody came: later there would be none."""
UNSEEN_LIMIT = 50.0
"""Seconds where no progress is told: such clients give up after a minute."""
AGAIN = "then call live again with the same text, which waits."


class Live(ProfileParams):
    """Request to a person."""

    text: str | None = Field(default=None, max_length=500)
    """Request to a person in the browser; leave it out to get only a link."""


@action("browser", effect="write", timeout=120, asks_caller=True, before="render")
async def live(params: Live, ctx: "Context[LiveState]") -> Result:
    """Answer with a link to the live view, to show to the user: it works once, for five minutes.

    Whoever opens it on this machine sees your pages and runs as they are drawn, can pause you and
    take control. With `text` it asks them for something, as to log in, and waits until they had
    control and handed it back. A `text` that ends with `?` may be answered in words, as a code
    from a mail: the answer is the name of a secret for the origin of your page, to be filled in.
    """
    profile = ctx.state.browsers.profile(ctx)
    if "devtools" not in profile.driver.can:
        raise ActionError(
            f"The live view shows Chromium alone, and profile {profile.name!r} is a "
            f"{profile.driver.browser}.",
            hint="`screenshot` shows its page.",
            code="unsupported",
        )
    settings: BrowserSettings = ctx.settings  # type: ignore[assignment]
    if not settings.live.enabled:
        raise ActionError("The operator has switched the live view off.", code="disabled")
    view = ctx.state.view
    place = view.places.of_caller(ctx.state.browsers.profile(ctx).name, ctx.caller_key)
    invite = ctx.state.invitation(ctx)
    if params.text and place is not None and (place.lookers or invite):
        limit = (params.timeout or LIMIT) * PATIENT
        limit = min(limit, UNSEEN_LIMIT) if ctx.report is None else limit
        words = await _words(params.text, ctx)
        answer = await place.questions.ask(params.text, limit, ctx.progress, invite, words)
        return Result(text=answer)
    return await _link(params, ctx)


async def _words(text: str, ctx: "Context[LiveState]") -> "Words | None":
    """Return what makes an answer in words a secret of the page, None where nothing is asked."""
    tab = await ctx.state.browsers.peek(ctx)
    origin = origin_of(tab.page.url)
    if not takes_words(text, origin):
        return None

    def take(words: str) -> str:
        shared = ctx.caller.transport == "http"
        return words_taken(ctx.config.secrets.answered(words, origin, shared=shared), origin)

    return take


async def _link(params: Live, ctx: "Context[LiveState]") -> Result:
    view, grant = ctx.state.view, ctx.state.grant(ctx)
    link, watching = await view.link(grant), view.watchers(grant)
    data = {"url": link, "watching": watching}
    if params.text:
        text = f'Nobody watches. Ask the user to open {link} and press "Take control"; {AGAIN}'
        return Result(text=text, data=data)
    who = f"{watching} viewer{'' if watching == 1 else 's'}" if watching else "nobody"
    text = f"Live view: {link} (open it within 5 minutes; it works once). Watching: {who}."
    return Result(text=text, data=data)
