"""Events of WebDriver BiDi, told as those of the DevTools protocol that the engine listens to."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from strap_firefox import own_world
from strap_firefox.net_errors import net_error
from strap_firefox.session import FirefoxSession
from strap_firefox.tables import BrowsingContext, origin_of
from strap_firefox.values import node_number, remote_object

Params = dict[str, Any]
EVENTS = ("browsingContext", "input", "log", "network", "script")
"""The modules of the standard whose events are subscribed to."""
LEVELS = {"warn": "warning"}
DOCUMENTS = frozenset(("about", "blob", "data", "file", "http", "https", "view-source"))
"""Schemes of addresses that a document can have."""
CRASHED = "about:tabcrashed"
"""The address of what Firefox shows in the place of a page whose process is gone."""
DIALOGS = frozenset(("alert", "confirm", "prompt", "beforeunload"))


def context_created(firefox: FirefoxSession, event: Params) -> None:
    """A page or a frame is there."""
    if firefox.contexts.get(event["context"]):
        return
    new = firefox.contexts.add(event)
    if new.parent is None:
        _attach(firefox, new)
        return
    page = firefox.contexts.page(new.id)
    firefox.tell(page, "Page.frameAttached", frameId=new.id, parentFrameId=new.parent)
    firefox.tell(page, "Page.frameNavigated", frame=new.as_frame(), type="Navigation")


def _attach(firefox: FirefoxSession, page: BrowsingContext) -> None:
    if page.opener:
        opener = firefox.contexts.page(page.opener)
        firefox.tell(opener, "Page.windowOpen", url=page.url, windowName="")
    attached = {"sessionId": page.id, "targetInfo": page.as_target(), "waitingForDebugger": False}
    firefox.tell("", "Target.attachedToTarget", **attached)


def context_destroyed(firefox: FirefoxSession, event: Params) -> None:
    """A page or a frame is gone."""
    page = firefox.contexts.page(event["context"])
    gone = firefox.contexts.remove(event["context"])
    if gone is None:
        return
    if gone.parent is None:
        firefox.forget(gone)
        firefox.tell("", "Target.detachedFromTarget", sessionId=gone.id, targetId=gone.id)
    else:
        firefox.tell(page, "Page.frameDetached", frameId=gone.id, reason="remove")


def realm_created(firefox: FirefoxSession, event: Params) -> None:
    """A document has a world, and begins to come: of one that comes slowly nothing else tells."""
    if event["type"] == "window":
        world = firefox.worlds.add(event)
        context = firefox.contexts.get(world.context)
        if context and not world.sandbox and _is_awaited(context, event["origin"]):
            _commit(firefox, context, *context.pending)
        page = firefox.contexts.page(world.context)
        firefox.tell(page, "Runtime.executionContextCreated", context=world.as_context())


def _is_awaited(context: BrowsingContext, origin: str) -> bool:
    """Whether a new world is that of the document that its server answered with.

    Another process begins with an empty one.
    """
    navigation, url = context.pending
    return context.answered == navigation != "" and origin_of(url) == origin


def realm_destroyed(firefox: FirefoxSession, event: Params) -> None:
    """A world is gone, mostly with its document."""
    if world := firefox.worlds.remove(event["realm"]):
        page = firefox.contexts.page(world.context)
        firefox.tell(page, "Runtime.executionContextDestroyed", executionContextId=world.number)


def navigation_started(firefox: FirefoxSession, event: Params) -> None:
    """A page or frame is on its way to another document; other programs' addresses lead to none."""
    # It is not told of one that waits for the answer whether to leave the page.
    url = event.get("url") or firefox.navigations.goal(event["context"])
    if urlsplit(url).scheme not in DOCUMENTS:
        return
    how = {"navigationType": "differentDocument", "loaderId": event["navigation"]}
    if context := firefox.contexts.get(event["context"]):
        context.pending = event["navigation"] or "", url
        firefox.navigations.begin(context.id, *context.pending)
    _of_frame(firefox, event, "Page.frameStartedNavigating", url=url, **how)


def navigation_committed(firefox: FirefoxSession, event: Params) -> None:
    """A document begins to come."""
    context = firefox.contexts.get(event["context"])
    if context is None:
        return
    if event["url"].startswith(CRASHED):
        firefox.tell(context.id, "Inspector.targetCrashed")
        return
    navigation = event["navigation"] or firefox.new_id()
    if context.loader != navigation:
        _commit(firefox, context, navigation, event["url"])


def _commit(firefox: FirefoxSession, context: BrowsingContext, navigation: str, url: str) -> None:
    context.url, context.loader, context.pending = url, navigation, ("", "")
    for child in list(context.children):
        context_destroyed(firefox, {"context": child})
    page = firefox.contexts.page(context.id)
    if context.id == page:
        firefox.histories.arrived(page, context.url)
    firefox.tell(page, "Page.frameNavigated", frame=context.as_frame(), type="Navigation")
    if not context.is_unreachable:  # else what it failed of is told next
        firefox.navigations.end(navigation, {"loaderId": navigation})


def navigation_ended(firefox: FirefoxSession, event: Params) -> None:
    """There will be no other document, or there is one already."""
    context = firefox.contexts.get(event["context"])
    if context and context.pending[0] == event["navigation"]:
        context.pending = "", ""
    failure = event.get("message") or "NS_BINDING_ABORTED"
    firefox.navigations.end(event["navigation"], {"errorText": net_error(failure)})
    _of_frame(firefox, event, "Page.frameStoppedLoading")


def moved_within(firefox: FirefoxSession, event: Params) -> None:
    """A document has another address."""
    context = firefox.contexts.get(event["context"])
    if context is None:
        return
    context.url = event["url"]
    if context.parent is None:
        firefox.histories.moved(context.id, context.url)
    _of_frame(firefox, event, "Page.navigatedWithinDocument", url=event["url"])
    firefox.navigations.end(event.get("navigation"), {})


def parsed(firefox: FirefoxSession, event: Params) -> None:
    """A document is parsed."""
    firefox.start(_send_late(firefox, event, "Page.domContentEventFired"))


def loaded(firefox: FirefoxSession, event: Params) -> None:
    """A document is loaded with everything in it."""
    firefox.start(_send_late(firefox, event, "Page.loadEventFired"))


async def _send_late(firefox: FirefoxSession, params: Params, event: str) -> None:
    """Tell of an event of a page after the requests that it made until then, which are told late.

    What is asked of a document meanwhile comes behind them.
    """
    context = firefox.contexts.get(params["context"])
    if context is None:
        return
    loader = context.loader
    await own_world.pass_by(firefox.bidi, context.id)
    if context.loader != loader:  # another one is there
        return
    if context.parent is None:
        firefox.tell(context.id, event, timestamp=params["timestamp"])
    if event == "Page.loadEventFired":
        _of_frame(firefox, params, "Page.frameStoppedLoading")


def prompt_opened(firefox: FirefoxSession, event: Params) -> None:
    """A dialog holds a page."""
    if event["type"] in DIALOGS:
        page = firefox.contexts.page(event["context"])
        firefox.prompts[page] = event["context"]
        dialog = {"type": event["type"], "message": event["message"]}
        default = {"defaultPrompt": event.get("defaultValue", "")}
        firefox.tell(page, "Page.javascriptDialogOpening", **dialog, **default)


def prompt_closed(firefox: FirefoxSession, event: Params) -> None:
    """A dialog was answered."""
    page = firefox.contexts.page(event["context"])
    firefox.prompts.pop(page, None)
    firefox.tell(page, "Page.javascriptDialogClosed", result=event["accepted"])


def files_asked(firefox: FirefoxSession, event: Params) -> None:
    """A field asks for files."""
    element = event.get("element")
    node = {"backendNodeId": node_number(element["sharedId"])} if element else {}
    mode = "selectMultiple" if event["multiple"] else "selectSingle"
    _of_frame(firefox, event, "Page.fileChooserOpened", mode=mode, **node)


def logged(firefox: FirefoxSession, event: Params) -> None:
    """A page says something by its console, or a script of it failed."""
    source = event["source"]
    context = source.get("context")
    if context is None:
        return
    page = firefox.contexts.page(context)
    frames = [
        {"url": _shown_url(frame["url"]), "lineNumber": frame["lineNumber"]}
        for frame in (event.get("stackTrace") or {}).get("callFrames", ())
    ]
    if event["type"] == "console":
        shown = [remote_object(source["realm"], value, whole=True) for value in event["args"]]
        kind = LEVELS.get(event["method"], event["method"])
        stack = {"callFrames": frames}
        firefox.tell(page, "Runtime.consoleAPICalled", type=kind, args=shown, stackTrace=stack)
    elif event["level"] == "error":
        details = {"text": event["text"], "exception": {"description": event["text"]}}
        firefox.tell(page, "Runtime.exceptionThrown", exceptionDetails=details)
    else:
        entry = {"source": "other", "text": event["text"]}
        level = LEVELS.get(event["level"], event["level"])
        firefox.tell(page, "Log.entryAdded", entry=entry | {"level": level})


def download_begun(firefox: FirefoxSession, event: Params) -> None:
    """A file is on its way."""
    page = firefox.contexts.page(event["context"])
    guid = firefox.downloads.begin(event)
    about = {"url": event["url"], "suggestedFilename": event["suggestedFilename"]}
    firefox.tell("", "Browser.downloadWillBegin", frameId=event["context"], guid=guid, **about)
    firefox.tell(page, "Page.downloadWillBegin", frameId=event["context"], guid=guid, **about)
    outcome = {"errorText": "net::ERR_ABORTED", "isDownload": True}
    firefox.navigations.end(event["navigation"], outcome)


def download_ended(firefox: FirefoxSession, event: Params) -> None:
    """A file is there, or will not be."""
    guid = firefox.downloads.end(event)
    if guid is None:
        return
    state = "canceled"
    folder, file = firefox.downloads.folder, event.get("filepath")
    if event["status"] == "complete" and file:
        state = "completed"
        if folder:
            with suppress(OSError):  # then whoever looks for it finds nothing, and says so
                Path(file).replace(Path(folder, guid))
    firefox.tell("", "Browser.downloadProgress", guid=guid, state=state)


def _of_frame(firefox: FirefoxSession, params: Params, event: str, **more: Any) -> None:
    page = firefox.contexts.page(params["context"])
    firefox.tell(page, event, frameId=params["context"], **more)


def _shown_url(url: str) -> str:
    """Return where a script is, "" for one that another one evaluated."""
    return "" if EVALUATED.search(url) else url


EVALUATED = re.compile(r" line \d+ > ")
"""In the address of a script that another one evaluated."""
HANDLERS: dict[str, Callable[[FirefoxSession, Params], None]] = {
    "browsingContext.contextCreated": context_created,
    "browsingContext.contextDestroyed": context_destroyed,
    "browsingContext.domContentLoaded": parsed,
    "browsingContext.downloadEnd": download_ended,
    "browsingContext.downloadWillBegin": download_begun,
    "browsingContext.fragmentNavigated": moved_within,
    "browsingContext.historyUpdated": moved_within,
    "browsingContext.load": loaded,
    "browsingContext.navigationAborted": navigation_ended,
    "browsingContext.navigationCommitted": navigation_committed,
    "browsingContext.navigationFailed": navigation_ended,
    "browsingContext.navigationStarted": navigation_started,
    "browsingContext.userPromptClosed": prompt_closed,
    "browsingContext.userPromptOpened": prompt_opened,
    "input.fileDialogOpened": files_asked,
    "log.entryAdded": logged,
    "script.realmCreated": realm_created,
    "script.realmDestroyed": realm_destroyed,
}
