"""Going back and forward, and loading a page again."""

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from strap import ActionError, Context, Result
from strap_browser.actions.navigate import close_dialog, load
from strap_browser.interaction.response import ERROR_PAGE, add_page, response_for
from strap_browser.interaction.use_page import using_page
from strap_browser.pages.registry import BrowserRegistry

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

Way = Literal["back", "forward"]
STEPS = {"back": -1, "forward": 1}
WORDS = {"back": "earlier", "forward": "later"}
BLANK = "about:blank"


async def travel(way: Way, ctx: Context[BrowserRegistry]) -> Result:
    """Go one page back or forward and tell what is there."""
    async with using_page(ctx, leaving=True) as state:
        answer = response_for(ctx)
        if await close_dialog(state, answer):  # an earlier call was held up by it
            await add_page(answer, state)
            return answer.result(state.tab)
        url = await _entry(state.tab, way)
        target = await ctx.state.guard(ctx).check(url)
        page = state.tab.page
        go = page.go_back if way == "back" else page.go_forward
        work = state.tab.connection.lead(target, go(wait_until="commit", timeout=0), again=True)
        await load(state, work, url, target.host, answer)
        return answer.result(state.tab)


async def reload(ctx: Context[BrowserRegistry]) -> Result:
    """Load the page again and tell what is there."""
    async with using_page(ctx, leaving=True) as state:
        answer = response_for(ctx)
        await close_dialog(state, answer)
        page = state.tab.page
        failed = state.activity.document if page.url.startswith(ERROR_PAGE) else None
        url = failed.url if failed else page.url
        if url == BLANK:
            raise ActionError("The page is blank.", hint="Open one with navigate.", code="no_page")
        is_web = urlsplit(url).scheme in ("http", "https")
        target = await ctx.state.guard(ctx).check(url) if is_web else None
        # Chromium's page about a certificate does not answer any more when it is loaded again.
        again = page.goto(url, wait_until="commit", timeout=0) if failed else None
        work = again or page.reload(wait_until="commit", timeout=0)
        if target is not None:
            work = state.tab.connection.lead(target, work, again=True)
        await load(state, work, url, urlsplit(url).hostname or url, answer)
        return answer.result(state.tab)


async def _entry(tab: "Tab", way: Way) -> str:
    """Return the address of the next entry; raises `ActionError` (code "no_history")."""
    history: dict[str, Any] = await (await tab.cdp()).send("Page.getNavigationHistory")
    index = history["currentIndex"] + STEPS[way]
    entries = history["entries"]
    url = str(entries[index]["url"]) if 0 <= index < len(entries) else BLANK
    if url == BLANK:
        raise ActionError(
            f"There is no {WORDS[way]} page.", hint="Go on with navigate.", code="no_history"
        )
    return url
