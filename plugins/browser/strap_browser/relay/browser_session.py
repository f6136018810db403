"""The browser's own session of a client, as it would find it at a debugging port."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from strap_browser.cdp.granted_tabs import HOLD_TABS, STATUS
from strap_browser.relay.access.allowed_methods import address_refusal
from strap_browser.relay.access.cookie_scope import READS, cookie_refusal, own_cookies
from strap_browser.relay.cdp_client import INVALID_PARAMS, CdpClient
from strap_browser.relay.granted_tabs import GrantedTabs, TabRegistry
from strap_browser.relay.messages import CdpFailure, withheld
from strap_browser.relay.outbox import Message, Outbox
from strap_browser.relay.shared_tab import CONTEXT, SharedTab
from strap_browser.relay.target_sessions import ClientSession, TabPort

Params = dict[str, Any]
Handler = Callable[[Params, str], Awaitable[Params]]
"""Takes the parameters and the session in which the command came."""
FORWARDED = frozenset({"Browser.getWindowForTarget", "Storage.getCookies", "Storage.setCookies"})
"""Commands to the browser that any of its pages can carry out."""
NOTHING_TO_DO = frozenset({
    "Browser.close", "Browser.grantPermissions", "Browser.resetPermissions",
    "Browser.setDownloadBehavior", "Security.setIgnoreCertificateErrors",
})  # fmt: skip
"""Commands that do nothing: clients set up and leave by them, or the user decides instead."""
METHOD_NOT_FOUND = -32601
NO_SESSION = -32001


class BrowserSession(CdpClient):
    """Emulates the browser's session (CDP domains Browser and Target) for one client.

    Commands to tabs are passed on at once, in order. `party` names the client's process.
    """

    def __init__(self, registry: TabRegistry, outbox: Outbox, party: str) -> None:
        super().__init__(outbox, party)
        self.sessions = {""}
        """The ids under which the client may speak to it."""
        self._registry = registry
        self._auto_attach = False
        self._discover = False
        self._shown: dict[TabPort, ClientSession] = {}
        """The tabs that were attached for the client without being asked for one by one."""
        self._handlers: dict[str, Handler] = {
            "Browser.getVersion": self._version,
            "Target.activateTarget": self._activate,
            "Target.attachToBrowserTarget": self._attach_to_browser,
            "Target.attachToTarget": self._attach,
            "Target.closeTarget": self._close,
            "Target.createTarget": self._create,
            "Target.detachFromTarget": self._detach,
            "Target.getBrowserContexts": self._contexts,
            "Target.getTargetInfo": self._info,
            "Target.getTargets": self._targets,
            "Target.setAutoAttach": self._set_auto_attach,
            "Target.setDiscoverTargets": self._set_discover,
            STATUS: self._status,
            HOLD_TABS: self._hold,
        }

    def receive(self, message: Message) -> None:
        """Carry out a command; one that makes no sense is answered with an error."""
        number, session = message.get("id"), message.get("sessionId")
        session = "" if session is None else session
        method, params = message.get("method"), message.get("params")
        params = {} if params is None else params
        with self.answering(number, session):
            if not isinstance(method, str) or not isinstance(params, dict):
                raise CdpFailure("A command has a method and an object of params.", -32600)
            if not isinstance(session, str) or session not in self.sessions | self.views.keys():
                raise CdpFailure("Session with given id not found.", NO_SESSION)
            if session in self.sessions:
                self._run(number, method, params, session)
            else:
                self.views[session].run(number, method, params)

    def _run(self, number: Any, method: str, params: Params, session: str) -> None:
        """Carry out a command to the browser; its answer comes after the events that it causes."""
        if method in NOTHING_TO_DO:
            self.reply(number, {"result": {}}, session)
        elif method in FORWARDED:
            self.spawn(self._ask_a_tab(number, method, params, session))
        elif handler := self._handlers.get(method):
            self.spawn(self._answer(number, handler, params, session))
        else:
            raise CdpFailure(f"The relay has no {method[:100]!r}.", METHOD_NOT_FOUND)

    def tab_came(self, tab: SharedTab) -> None:
        """A tab was granted, or can be reached again."""
        if self._is_withheld:
            return
        if self._discover:
            self.event("Target.targetCreated", {"targetInfo": tab.target_info})
        if self._auto_attach:
            self.spawn(self._show(tab))

    def tab_changed(self, tab: SharedTab) -> None:
        """A tab has another address or title."""
        if self._is_withheld:
            return
        if self._discover or tab in self._shown:
            self.event("Target.targetInfoChanged", {"targetInfo": tab.target_info})

    def tab_lost(self, tab: SharedTab, *, gone: bool) -> None:
        """A tab was taken back or closed (`gone`), or cannot be reached for a while."""
        self._shown.pop(tab, None)
        if gone and self._discover:
            self.event("Target.targetDestroyed", {"targetId": tab.target_id})

    def lose_tabs(self) -> None:
        """All tabs are another process's for now."""
        for view in list(self.views.values()):
            view.end()
            view.gone()
        for tab in self._registry.granted.tabs.values() if self._registry.granted else ():
            self.tab_lost(tab, gone=True)
        for held in list(self._held):
            self.spawn(self.detach(held))

    async def _answer(self, number: Any, handler: Handler, params: Params, session: str) -> None:
        with self.answering(number, session):
            self.reply(number, {"result": await handler(params, session)}, session)

    async def _ask_a_tab(self, number: Any, method: str, params: Params, session: str) -> None:
        def then(answer: Message) -> None:
            if method in READS and "result" in answer:
                answer = {"result": own_cookies(answer["result"], tab.granted_urls)}
            self.reply(number, answer, session)

        with self.answering(number, session):
            tab = await self._forward(method, params)
            self._expect_free()
            tab.command("", method, params, then)

    async def _forward(self, method: str, params: Params) -> SharedTab:
        """Return the tab that carries the command out: the one that it is about, else any."""
        self._expect_free()
        chrome = self._chrome
        if why := cookie_refusal(method, params, chrome.urls):
            raise CdpFailure(why)
        target = params.pop("targetId", None)
        params.pop("browserContextId", None)
        tab = self._tab(target) if target else next(iter(chrome.tabs.values()), None)
        if tab is None:
            raise CdpFailure("No tab is granted.")
        await self.attach(tab)
        return tab

    async def _version(self, _: Params, __: str) -> Params:
        chrome = self._chrome.peer
        return {
            "protocolVersion": "1.3",
            "product": chrome.product,
            "revision": "",
            "userAgent": chrome.user_agent,
            "jsVersion": "",
        }

    async def _status(self, _: Params, __: str) -> Params:
        return {**self._registry.status(), "kept": self._is_withheld}

    async def _hold(self, params: Params, _: str) -> Params:
        self._registry.hold(self, on=bool(params["on"]))
        return {}

    async def _contexts(self, _: Params, __: str) -> Params:
        return {"browserContextIds": []}

    async def _targets(self, _: Params, __: str) -> Params:
        return {"targetInfos": [tab.target_info for tab in self._tabs]}

    async def _info(self, params: Params, _: str) -> Params:
        target = params.get("targetId")
        if target:
            return {"targetInfo": self._tab(target).target_info}
        info = {"targetId": "relay", "type": "browser", "title": "", "url": "", "attached": True}
        return {"targetInfo": {**info, "canAccessOpener": False}}

    async def _set_discover(self, params: Params, _: str) -> Params:
        before, self._discover = self._discover, bool(params.get("discover"))
        if self._discover and not before:
            for tab in self._tabs:
                self.event("Target.targetCreated", {"targetInfo": tab.target_info})
        return {}

    async def _set_auto_attach(self, params: Params, _: str) -> Params:
        self._auto_attach = bool(params.get("autoAttach"))
        if self._auto_attach:
            for tab in self._tabs:
                await self._show(tab)
        return {}

    async def _show(self, tab: SharedTab) -> None:
        """Attach a tab and tell the client of it, once: Playwright ends if it is told twice."""
        if tab in self._shown:
            return
        try:
            await self.attach(tab)
        except CdpFailure:
            return  # a page that nobody may debug; it is told of when the user goes elsewhere
        if tab not in self._shown and tab in self._tabs:
            self._shown[tab] = self._open(tab)

    def _open(self, tab: SharedTab, parent: str = "") -> ClientSession:
        view = ClientSession(self, tab.page, parent)
        self.event(
            "Target.attachedToTarget",
            {
                "sessionId": view.id,
                "targetInfo": {**tab.target_info, "attached": True},
                "waitingForDebugger": False,
            },
            parent,
        )
        return view

    async def _attach(self, params: Params, session: str) -> Params:
        target = params.get("targetId")
        for view in self.views.values():  # a frame or worker that the client knows
            if view.channel.session and view.channel.target_id == target:
                return {"sessionId": ClientSession(self, view.channel, session).id}
        tab = self._tab(target)
        await self.attach(tab)
        self._expect_free()
        return {"sessionId": self._open(tab, session).id}

    async def _attach_to_browser(self, _: Params, __: str) -> Params:
        session = secrets.token_hex(16).upper()
        self.sessions.add(session)
        return {"sessionId": session}

    async def _detach(self, params: Params, _: str) -> Params:
        session = params.get("sessionId")
        if session in self.sessions - {""}:
            self.sessions.discard(str(session))
            return {}
        view = self.views.get(str(session))
        if view is None:
            raise CdpFailure("No session with given id.", INVALID_PARAMS)
        view.end()
        view.gone()
        tab = view.channel.tab
        if self._shown.get(tab) is view:
            del self._shown[tab]
        if not any(other.channel.tab is tab for other in self.views.values()):
            await self.detach(tab)
        return {}

    async def _create(self, params: Params, _: str) -> Params:
        url = params.get("url") or "about:blank"
        if why := address_refusal(url):
            raise CdpFailure(why)
        if params.get("browserContextId") not in (None, CONTEXT):
            raise CdpFailure("The user's Chrome has no further contexts.")
        self._expect_free()
        chrome = self._chrome
        answer = await chrome.peer.request("create", url=url)
        tab = self._registry.grant(chrome, answer["tab"])
        if self._auto_attach:
            await self._show(tab)
        return {"targetId": tab.target_id}

    async def _close(self, params: Params, _: str) -> Params:
        tab = self._tab(params.get("targetId"))
        await self._chrome.peer.request("close", tabId=tab.number)
        return {"success": True}

    async def _activate(self, params: Params, _: str) -> Params:
        await self._chrome.peer.request("activate", tabId=self._tab(params.get("targetId")).number)
        return {}

    @property
    def _chrome(self) -> GrantedTabs:
        chrome = self._registry.granted
        if chrome is None:
            raise CdpFailure("The extension is not connected.")
        return chrome

    @property
    def _is_withheld(self) -> bool:
        return self._registry.keeps_from(self)

    @property
    def _tabs(self) -> list[SharedTab]:
        return [] if self._is_withheld else list(self._chrome.tabs.values())

    def _expect_free(self) -> None:
        if self._is_withheld:
            raise withheld()

    def _tab(self, target: object) -> SharedTab:
        self._expect_free()
        for tab in self._chrome.tabs.values():
            if tab.target_id == target:
                return tab
        raise CdpFailure("No target with given id found", INVALID_PARAMS)
