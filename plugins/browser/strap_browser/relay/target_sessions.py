"""The targets of a granted tab, and the sessions in which clients see them.

Chrome gives an extension one DevTools session a tab. Several clients share it: each domain's
events go to those who enabled the domain, who comes later is told what the others heard at first,
and a domain is disabled when the last of them is done with it.
"""

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from strap_browser.relay.access.allowed_methods import DENIED, address_refusal, refusal
from strap_browser.relay.access.cookie_scope import READS, cookie_refusal, own_cookies
from strap_browser.relay.cast import ACK, FRAME, START, STOP, Cast
from strap_browser.relay.outbox import Message

AUTO_ATTACH = "Target.setAutoAttach"
OPENERS = {
    AUTO_ATTACH: "Target",
    "Input.setInterceptDrags": "Input",
    "Runtime.addBinding": "Runtime",
}
"""Commands that begin a domain's events, beside each domain's `enable`."""


class TabPort(Protocol):
    """The tab that a target is in."""

    channels: "dict[str, SharedTarget]"

    @property
    def granted_urls(self) -> list[str]:
        """The addresses of all granted tabs."""

    @property
    def target_info(self) -> dict[str, Any]:
        """The page as a `Target.TargetInfo` of CDP."""

    def command(
        self,
        session: str,
        method: str,
        params: Mapping[str, Any],
        then: Callable[[Message], None] = ...,
    ) -> None:
        """Send a command to a target of the tab; `then` gets the answer."""

    async def hold(self, client: "ClientPort") -> None:
        """Attach the tab unless it is; raises `CdpFailure`."""

    async def release(self, client: "ClientPort") -> None:
        """Let the tab go; it is detached when nobody uses it."""


class ClientPort(Protocol):
    """A client as its sessions see it."""

    party: str
    """Names the process that it is one of."""
    views: "dict[str, ClientSession]"
    """Its sessions of targets."""

    def event(self, method: str, params: Mapping[str, Any], session: str = "") -> None:
        """Send an event of a session, '' for the browser's own."""

    def reply(self, number: Any, answer: Message, session: str = "") -> None:
        """Answer a command."""


class ClientSession:
    """A channel as one client sees it: the session id, and the domains that it enabled."""

    def __init__(
        self, client: ClientPort, channel: "SharedTarget", parent: str, wish: str = ""
    ) -> None:
        taken = not wish or wish in client.views
        self.id = secrets.token_hex(16).upper() if taken else wish
        self.client = client
        self.channel = channel
        self.parent = parent
        """The session in which the client was told of this one, '' for the browser's."""
        self.domains: set[str] = set()
        client.views[self.id] = self
        channel.views.append(self)

    def event(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the client of an event."""
        self.client.event(method, params, self.id)

    def reply(self, number: Any, answer: Message) -> None:
        """Answer the client's command `number`."""
        self.client.reply(number, answer, self.id)

    def run(self, number: Any, method: str, params: dict[str, Any]) -> None:
        """Carry out a command of the client."""
        if method == "Target.getTargetInfo":
            self.reply(number, {"result": {"targetInfo": self.channel.tab.target_info}})
            return
        urls = self.channel.tab.granted_urls
        if why := refusal(method, params) or cookie_refusal(method, params, urls):
            self._deny(number, why)
        elif method == "Page.navigateToHistoryEntry":
            self._go_in_history(number, method, params)
        else:
            self.channel.run(self, number, method, params)

    def _go_in_history(self, number: Any, method: str, params: dict[str, Any]) -> None:
        """Go to an entry that is of the web; those from before the tab was granted need not be."""
        entry_id = int(params["entryId"])

        def then(answer: Message) -> None:
            if "error" in answer:
                self.reply(number, answer)
                return
            urls = {entry["id"]: entry["url"] for entry in answer["result"]["entries"]}
            if why := address_refusal(urls.get(entry_id)):
                self._deny(number, why if entry_id in urls else "No entry with given id.")
            else:
                self.channel.run(self, number, method, params)

        self.channel.tab.command(self.channel.session, "Page.getNavigationHistory", {}, then)

    def _deny(self, number: Any, why: str) -> None:
        self.reply(number, {"error": {"code": DENIED, "message": why}})

    def end(self) -> None:
        """Forget the session, and disable what nobody else needs."""
        self.client.views.pop(self.id, None)
        self.channel.forget(self)

    def gone(self) -> None:
        """The target is gone or out of reach: tell the client and forget the session."""
        self.client.views.pop(self.id, None)
        params = {"sessionId": self.id, "targetId": self.channel.target_id}
        self.client.event("Target.detachedFromTarget", params, self.parent)


class SharedTarget:
    """One target in a tab: the page itself, a frame of another process, a worker."""

    def __init__(self, tab: TabPort, session: str, target_id: str) -> None:
        self.tab = tab
        self.session = session
        """The id in the extension's session, '' for the page."""
        self.target_id = target_id
        self.views: list[ClientSession] = []
        self._cast = Cast(partial(tab.command, session))
        self._contexts: dict[int, Mapping[str, Any]] = {}
        self._children: dict[str, Mapping[str, Any]] = {}

    def run(self, view: ClientSession, number: Any, method: str, params: dict[str, Any]) -> None:
        """Pass a command on; the answer goes to `view`."""
        if method in (START, STOP, ACK):
            self._cast.run(view, number, method, params)
            return
        domain, _, verb = method.partition(".")
        if verb == "disable" or (method == AUTO_ATTACH and not params.get("autoAttach")):
            view.domains.discard(domain)
            if self._wants(domain):
                view.reply(number, {"result": {}})
                return
        opened = domain if verb == "enable" else OPENERS.get(method)
        joins = opened is not None and opened not in view.domains and self._wants(opened)
        if opened and not joins:
            view.domains.add(opened)
        if joins and method == AUTO_ATTACH:  # those of who came first stay
            self._join(view, "Target")
            view.reply(number, {"result": {}})
            return

        def then(answer: Message) -> None:
            if joins and opened:
                self._join(view, opened)
            if method in READS and "result" in answer:
                answer = {"result": own_cookies(answer["result"], self.tab.granted_urls)}
            view.reply(number, answer)

        self.tab.command(self.session, method, params, then)

    def event(self, method: str, params: Mapping[str, Any]) -> None:
        """Pass on an event to those who want it, and keep in mind what later ones need to know."""
        if method == "Target.attachedToTarget":
            self._child_came(params)
            return
        if method == "Target.detachedFromTarget":
            self._child_went(str(params["sessionId"]))
            return
        if method == FRAME:
            self._cast.frame(params)
            return
        if method == "Runtime.executionContextCreated":
            self._contexts[params["context"]["id"]] = params
        elif method == "Runtime.executionContextDestroyed":
            self._contexts.pop(params["executionContextId"], None)
        elif method == "Runtime.executionContextsCleared":
            self._contexts.clear()
        domain = method.partition(".")[0]
        for view in list(self.views):
            if domain in view.domains:
                view.event(method, params)

    def forget(self, view: ClientSession) -> None:
        """A client's session ends: drop what nobody else needs."""
        if view in self.views:
            self.views.remove(view)
            self._cast.leave(view)
            for domain in sorted(view.domains):
                self.close(domain)

    def close(self, domain: str) -> None:
        """Disable a domain that nobody wants any more."""
        if self._wants(domain):
            return
        if domain == "Runtime":
            self._contexts.clear()
        if domain == "Target":
            params = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}
            self.tab.command(self.session, AUTO_ATTACH, params)
        else:
            self.tab.command(self.session, f"{domain}.disable", {})

    def leave(self, client: ClientPort) -> None:
        """A client goes: forget its sessions."""
        for view in [view for view in self.views if view.client is client]:
            view.end()

    def end(self) -> None:
        """The target is gone: tell everybody who sees it, and of what is below it."""
        for session in list(self._children):
            self._child_went(session)
        views, self.views = self.views, []
        for view in views:
            view.gone()

    def _wants(self, domain: str) -> bool:
        return any(domain in view.domains for view in self.views)

    def _join(self, view: ClientSession, domain: str) -> None:
        """Tell who comes later what enabling the domain told those who came first."""
        view.domains.add(domain)
        if domain == "Runtime":
            for context in self._contexts.values():
                view.event("Runtime.executionContextCreated", context)
        elif domain == "Target":
            for child in self._children.values():
                self._offer(view, {**child, "waitingForDebugger": False})

    def _child_came(self, params: Mapping[str, Any]) -> None:
        session, info = str(params["sessionId"]), params["targetInfo"]
        self._children[session] = params
        self.tab.channels[session] = SharedTarget(self.tab, session, str(info["targetId"]))
        for view in list(self.views):
            if "Target" in view.domains:
                self._offer(view, params)

    def _offer(self, view: ClientSession, params: Mapping[str, Any]) -> None:
        session = str(params["sessionId"])
        child = ClientSession(view.client, self.tab.channels[session], view.id, session)
        view.event("Target.attachedToTarget", {**params, "sessionId": child.id})

    def _child_went(self, session: str) -> None:
        self._children.pop(session, None)
        channel = self.tab.channels.pop(session, None)
        if channel is not None:
            channel.end()


def ignore(_: Message) -> None:
    """Nobody needs the answer."""
