"""The domains Target, Browser, Page and Emulation, as far as the engine uses them."""

import asyncio
from contextlib import suppress
from typing import Any

from strap_firefox import own_world
from strap_firefox.bidi import BidiError
from strap_firefox.net_errors import net_error
from strap_firefox.session import FirefoxSession
from strap_firefox.tables import DEFAULT

Params = dict[str, Any]
LENGTH_LIMIT = 1.0
"""Seconds for the length of a page's history, which is at hand unless the page hangs."""


async def nothing(_: FirefoxSession, _page: str, _params: Params) -> Params:
    """Do nothing: Firefox does it by itself, or has no need of it."""
    return {}


async def contexts(_: FirefoxSession, _page: str, _params: Params) -> Params:
    """`Target.getBrowserContexts`."""
    return {"browserContextIds": [], "defaultBrowserContextId": DEFAULT}


async def make_context(firefox: FirefoxSession, _: str, _params: Params) -> Params:
    """`Target.createBrowserContext`, which is a user context."""
    answer = await firefox.bidi.send("browser.createUserContext")
    return {"browserContextId": answer["userContext"]}


async def end_context(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Target.disposeBrowserContext`."""
    await firefox.bidi.send("browser.removeUserContext", userContext=params["browserContextId"])
    return {}


async def make_page(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Target.createTarget`: in a window of its own, as what is in the background rests."""
    context = params.get("browserContextId", DEFAULT)
    answer = await firefox.bidi.send("browsingContext.create", type="window", userContext=context)
    return {"targetId": answer["context"]}


async def close_page(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Target.closeTarget`."""
    await firefox.bidi.send("browsingContext.close", context=params["targetId"])
    return {"success": True}


async def activate(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.bringToFront`, `Target.activateTarget`."""
    context = params.get("targetId", page)
    await firefox.bidi.send("browsingContext.activate", context=context)
    return {}


async def version(firefox: FirefoxSession, _: str, _params: Params) -> Params:
    """`Browser.getVersion`."""
    await firefox.bidi.send("session.status")
    return {"product": firefox.product}


async def allow_downloads(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Browser.setDownloadBehavior`."""
    folder = params.get("downloadPath")
    firefox.downloads.folder = folder
    behavior = {"type": "allowed", "destinationFolder": folder} if folder else None
    of = {"userContexts": [params["browserContextId"]]} if "browserContextId" in params else {}
    await firefox.bidi.send("browser.setDownloadBehavior", downloadBehavior=behavior, **of)
    return {}


async def frame_tree(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Page.getFrameTree`."""
    await firefox.bidi.send("browsingContext.getTree", root=page, maxDepth=0)
    return {"frameTree": _tree(firefox, page)}


def _tree(firefox: FirefoxSession, context: str) -> Params:
    known = firefox.contexts[context]
    inner = [_tree(firefox, child) for child in known.children]
    return {"frame": known.as_frame(), "childFrames": inner}


async def enable_runtime(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Runtime.enable`: tells of the worlds that there are."""
    if firefox.contexts.get(page):
        for context in firefox.contexts.within(page):
            for world in firefox.worlds.of(context):
                firefox.tell(page, "Runtime.executionContextCreated", context=world.as_context())
    return {}


async def navigate(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.navigate`: returns when the document begins to come."""
    url = params["url"]
    try:
        with firefox.navigations.expected(page, url) as begun:
            pending = firefox.bidi.send(
                "browsingContext.navigate", context=page, url=url, wait="none"
            )
            outcome = await _outcome(firefox, page, pending, begun)
    except BidiError as error:
        if error.code in ("no such frame", "session not created"):
            raise
        return {"frameId": page, "errorText": net_error(str(error))}
    return {"frameId": page, **outcome}


async def _outcome(
    firefox: FirefoxSession,
    page: str,
    pending: "asyncio.Future[Any]",
    begun: "asyncio.Future[str]",
) -> Params:
    await asyncio.wait((pending, begun), return_when=asyncio.FIRST_COMPLETED)
    if not begun.done():
        if (navigation := (await pending)["navigation"]) is None:
            return {}
        return await asyncio.shield(firefox.navigations.outcome(navigation))
    outcome = firefox.navigations.outcome(begun.result())
    await asyncio.wait((pending, outcome), return_when=asyncio.FIRST_COMPLETED)
    if not outcome.done():
        await pending
        context = firefox.contexts.get(page)
        if context is not None and context.loader == begun.result():
            return {"loaderId": context.loader}
    return await asyncio.shield(outcome)


async def reload(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Page.reload`."""
    firefox.histories.stays(page)
    await firefox.bidi.send("browsingContext.reload", context=page, wait="none")
    return {}


async def stop_loading(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Page.stopLoading`."""
    await own_world.ask(firefox.bidi, page, "() => stop()")
    firefox.tell(page, "Page.frameStoppedLoading", frameId=page)  # which Firefox does not tell
    return {}


async def history(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Page.getNavigationHistory`."""
    length = None
    if page not in firefox.prompts:  # whose dialog would hold the question
        with suppress(BidiError, TimeoutError):
            async with asyncio.timeout(LENGTH_LIMIT):
                answer = await own_world.ask(firefox.bidi, page, "() => history.length")
                length = answer["value"]
    return firefox.histories.answer(page, length)


async def travel(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.navigateToHistoryEntry`."""
    delta = firefox.histories.leads(page, params["entryId"])
    try:
        await firefox.bidi.send("browsingContext.traverseHistory", context=page, delta=delta)
    except BidiError:
        firefox.histories.gives_up(page)
        raise
    return {}


async def answer_dialog(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.handleJavaScriptDialog`."""
    text = {"userText": params["promptText"]} if "promptText" in params else {}
    context = firefox.prompts.get(page, page)
    await firefox.bidi.send(
        "browsingContext.handleUserPrompt", context=context, accept=params["accept"], **text
    )
    return {}


async def set_locale(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Emulation.setLocaleOverride`."""
    locale = params.get("locale")
    await firefox.bidi.send("emulation.setLocaleOverride", locale=locale, contexts=[page])
    return {}


async def disable_scripts(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Emulation.setScriptExecutionDisabled`, where this Firefox can do that."""
    enabled = False if params["value"] else None
    with suppress(BidiError):
        await firefox.bidi.send("emulation.setScriptingEnabled", enabled=enabled, contexts=[page])
    return {}


COMMANDS = {
    "Browser.getVersion": version,
    "Browser.setDownloadBehavior": allow_downloads,
    "Browser.setPermission": nothing,
    "Emulation.setFocusEmulationEnabled": nothing,
    "Emulation.setLocaleOverride": set_locale,
    "Emulation.setScriptExecutionDisabled": disable_scripts,
    "HeapProfiler.collectGarbage": nothing,
    "Inspector.enable": nothing,
    "Log.enable": nothing,
    "Network.enable": nothing,
    "Page.bringToFront": activate,
    "Page.enable": nothing,
    "Page.getFrameTree": frame_tree,
    "Page.getNavigationHistory": history,
    "Page.handleJavaScriptDialog": answer_dialog,
    "Page.navigate": navigate,
    "Page.navigateToHistoryEntry": travel,
    "Page.reload": reload,
    "Page.setInterceptFileChooserDialog": nothing,
    "Page.stopLoading": stop_loading,
    "Runtime.enable": enable_runtime,
    "Runtime.releaseObjectGroup": nothing,
    "Runtime.runIfWaitingForDebugger": nothing,
    "Target.activateTarget": activate,
    "Target.closeTarget": close_page,
    "Target.createBrowserContext": make_context,
    "Target.createTarget": make_page,
    "Target.detachFromTarget": nothing,
    "Target.disposeBrowserContext": end_context,
    "Target.getBrowserContexts": contexts,
    "Target.setAutoAttach": nothing,
}
