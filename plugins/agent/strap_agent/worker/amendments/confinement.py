"""Pages of the web are all that the agent may open: no scripts, files or pages of the browser.

Its actions say why; below them the CDP client refuses whatever else of browser-use leads there.
What a page does is watched from outside.
"""

from typing import Any

from strap_browser.api import unopened

HISTORY, ENTRY = "Page.getNavigationHistory", "Page.navigateToHistoryEntry"
DIALOG = "Page.handleJavaScriptDialog"
"""Not carried out: strap answers dialogs itself, and a second answer would be for the next one."""
OPENING = frozenset({"Page.navigate", "Target.createTarget"})


def install() -> None:
    """Make every CDP client of this process refuse to open what is none of the web."""
    from browser_use.browser import session

    base: Any = session.TimeoutWrappedCDPClient

    class ConfinedClient(base):  # type: ignore[misc]
        async def send_raw(
            self, method: str, params: Any = None, session_id: str | None = None
        ) -> Any:
            if method == DIALOG:
                return {}
            url = "about:blank"
            if method in OPENING:
                url = params["url"] or url
            elif method == ENTRY:
                history = await super().send_raw(HISTORY, None, session_id)
                urls = (e["url"] for e in history["entries"] if e["id"] == params["entryId"])
                url = next(urls, url)
            if why := unopened(url):
                raise RuntimeError(why)
            return await super().send_raw(method, params, session_id)

    session.TimeoutWrappedCDPClient = ConfinedClient


def confine(tools: Any) -> None:
    """Let the actions `navigate` and `go_back` say why they do not open an address."""
    _guard(tools, "navigate", _asked_for)
    _guard(tools, "go_back", _before)


def _guard(tools: Any, name: str, leads_to: Any) -> None:
    from browser_use import ActionResult

    action = tools.registry.registry.actions[name]
    as_it_is = action.function

    async def guarded(*, params: Any, browser_session: Any, **context: Any) -> Any:
        if why := unopened(await leads_to(params, browser_session)):
            return ActionResult(error=why)
        return await as_it_is(params=params, browser_session=browser_session, **context)

    action.function = guarded


async def _asked_for(params: Any, _: Any) -> str:
    return str(params.url)


async def _before(_: Any, browser_session: Any) -> str:
    session = await browser_session.get_or_create_cdp_session()
    history = await session.cdp_client.send.Page.getNavigationHistory(session_id=session.session_id)
    at = history["currentIndex"]
    return str(history["entries"][at - 1]["url"]) if at > 0 else "about:blank"
