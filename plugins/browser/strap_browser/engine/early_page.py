"""A page of a browser of ours before Playwright is there.

To start, Playwright's driver takes as much of the processor's time as the browser itself does. So
the first page is opened and shown over the browser's pipe, and the driver starts after that. This
is as much of Playwright's `Page` as it takes to go to a URL, and to tell what the page does
meanwhile. Then Playwright's own takes its place (`Session.take_over`).
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from strap_browser.cdp.connection import CdpConnection, CdpSession
from strap_browser.cdp.errors import CdpError
from strap_browser.engine.early_downloads import EarlyDownloads
from strap_browser.engine.early_requests import EarlyFrame, EarlyTraffic, logged, spoken, thrown
from strap_browser.engine.endpoint import Endpoint
from strap_browser.engine.playwright.errors import Error

Fields = dict[str, Any]
Handler = Callable[[Any], object]
BLANK = "about:blank"
DOMAINS = ("Inspector", "Page", "Runtime", "Log", "Network")


class EarlySession:
    """A DevTools session, as Playwright's `CDPSession`."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self.on = session.on

    async def send(self, method: str, params: Mapping[str, Any] | None = None) -> Fields:
        """Return the answer to a command; raises `Error`."""
        try:
            return await self._session.send(method, **(params or {}))
        except CdpError as refused:
            raise Error(f"{method}: {refused}") from None


@dataclass(frozen=True, slots=True)
class EarlyDialog:
    """An open dialog, as Playwright's `Dialog`."""

    session: EarlySession
    type: str
    message: str
    default_value: str

    async def accept(self, text: str | None = None) -> None:
        """Say yes; `text` is what to enter in a prompt."""
        await self._answer(accept=True, **({} if text is None else {"promptText": text}))

    async def dismiss(self) -> None:
        """Say no."""
        await self._answer(accept=False)

    async def _answer(self, **answer: Any) -> None:
        await self.session.send("Page.handleJavaScriptDialog", answer)


class EarlyPage:
    """A page, and as its own `context` what is asked of Playwright's `BrowserContext`."""

    def __init__(self, target_id: str, raw: CdpSession) -> None:
        """Follow the page; `take` makes one."""
        self.target_id = target_id
        self.context = self
        self.url = BLANK
        self.main_frame = EarlyFrame(target_id)  # a page and its main frame have the same id
        self.world = f"strap-{secrets.token_hex(8)}"
        """Name of the world that each of its documents has for the agent."""
        self.whole = True
        """Whether there is nothing to it, such as frames, that only Playwright can show."""
        self.dialog: EarlyDialog | None = None
        self._raw = raw
        self._session = session = EarlySession(raw)
        self._handlers: dict[str, list[Handler]] = {}
        self._traffic = EarlyTraffic(session.send, self._emit)
        self._downloads = EarlyDownloads(raw.connection.root, partial(self._emit, "download"))
        self._retired = self._closed = self._crashed = False
        self._loaders: deque[str] = deque(maxlen=50)
        """The documents that came last."""
        self._moved = asyncio.Event()
        for event, handler in self._followed():
            session.on(event, handler)

    @classmethod
    async def take(
        cls, cdp: CdpConnection, target_id: str, endpoint: Endpoint, scripts: tuple[str, ...]
    ) -> "EarlyPage":
        """Make one of the blank page with this id; raises `CdpError`.

        `scripts` run in each of its documents before any script of theirs.
        """
        page = cls(target_id, await cdp.attach(target_id))
        world = {"frameId": target_id, "worldName": page.world}
        wishes = (
            *((f"{name}.enable", {}) for name in DOMAINS),
            *_wishes(endpoint, scripts, page.world),
            ("Page.createIsolatedWorld", world),  # of the blank document
        )
        answers = [page._raw.send(method, **fields) for method, fields in wishes]
        if endpoint.artifacts is not None:
            answers.append(page._downloads.allow(endpoint.artifacts))
        await asyncio.gather(*answers)
        return page

    @property
    def frames(self) -> list[EarlyFrame]:
        """The main frame alone: `whole` tells of further ones."""
        return [self.main_frame]

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` at each such event of Playwright's names, as far as it is told here."""
        self._handlers.setdefault(event, []).append(handler)

    def is_closed(self) -> bool:
        """Whether the page is gone."""
        return self._closed

    async def new_cdp_session(self, _: object) -> EarlySession:
        """Return the DevTools session of the page."""
        return self._session

    async def title(self) -> str:
        """Return the title of the document; raises `Error`."""
        asked = {"expression": "document.title", "returnByValue": True}
        return str((await self._session.send("Runtime.evaluate", asked))["result"].get("value", ""))

    async def goto(self, url: str, **_: object) -> None:
        """Go there and return when the document begins to come; raises `Error`."""
        self.whole = True
        told = await self._session.send("Page.navigate", {"url": url})
        if told.get("isDownload"):
            raise Error("Page.goto: Download is starting")
        if failure := told.get("errorText"):
            raise Error(f"Page.goto: {failure} at {url}")
        wanted = told.get("loaderId")
        while wanted and wanted not in self._loaders and not self._closed:
            self._moved.clear()
            await self._moved.wait()

    async def close(self) -> None:
        """Close the page; raises `Error`."""
        try:
            await self._raw.connection.send("Target.closeTarget", targetId=self.target_id)
        except CdpError as refused:
            raise Error(str(refused)) from None

    def retire(self) -> None:
        """Tell no more of the page, but of what was begun: others tell of it now."""
        self._retired = self._traffic.retired = self._downloads.retired = True

    def rest(self) -> None:
        """Let the session rest, which stays: at its end what it set of the page would be reset."""
        for name in ("Fetch", *DOMAINS):
            if name != "Network":  # of which there is something to tell, until the page leaves
                self._raw.send(f"{name}.disable")

    def _followed(self) -> Iterator[tuple[str, Handler]]:
        """The events of the session, and who takes them."""
        for name in EarlyTraffic.EVENTS:
            yield f"Network.{name}", partial(self._traffic.take, name)
        yield "Network.requestWillBeSent", self._on_request
        yield "Inspector.targetCrashed", self._on_crash
        yield "Log.entryAdded", lambda told: self._say("console", logged(told["entry"]))
        yield "Page.frameAttached", self._on_more
        yield "Page.frameNavigated", self._on_document
        yield "Page.javascriptDialogClosed", self._on_answered
        yield "Page.javascriptDialogOpening", self._on_dialog
        yield "Page.navigatedWithinDocument", self._on_within
        yield "Page.windowOpen", self._on_more
        yield "Runtime.consoleAPICalled", lambda told: self._say("console", spoken(told))
        yield "Runtime.exceptionThrown", lambda told: self._say("pageerror", thrown(told))
        yield "Target.detachedFromTarget", self._on_end

    def _emit(self, event: str, told: Any) -> None:
        for handler in self._handlers.get(event, ()):
            handler(told)

    def _say(self, event: str, told: Any) -> None:
        if not self._retired:
            self._emit(event, told)

    def _on_more(self, _: Fields) -> None:
        self.whole = False

    def _on_document(self, told: Fields) -> None:
        frame = told["frame"]
        if frame.get("parentId"):
            return
        self.url = frame["url"] + frame.get("urlFragment", "")
        self._loaders.append(frame["loaderId"])
        self._moved.set()

    def _on_request(self, told: Fields) -> None:
        """End it all where Playwright's page goes elsewhere: no answer is kept any longer."""
        if self._retired and told.get("type") == "Document" and told["frameId"] == self.target_id:
            self._raw.send("Network.disable")

    def _on_within(self, told: Fields) -> None:
        if told["frameId"] == self.target_id:
            self.url = told["url"]

    def _on_dialog(self, told: Fields) -> None:
        if not self._retired:
            asked = told["type"], told["message"], told.get("defaultPrompt", "")
            self.dialog = EarlyDialog(self._session, *asked)
            self._emit("dialog", self.dialog)

    def _on_answered(self, _: Fields) -> None:
        dialog, self.dialog = self.dialog, None
        self._say("dialogclosed", dialog)

    def _on_crash(self, _: Fields) -> None:
        """Close the page as well: Playwright would wait for it when it connects.

        With its last page the browser would end the session, and forget its cookies.
        """
        if self._crashed:  # which is told twice
            return
        self._crashed = True
        self._emit("crash", self)
        self._raw.connection.send("Target.createTarget", url=BLANK)
        self._raw.connection.send("Target.closeTarget", targetId=self.target_id)

    def _on_end(self, _: Fields) -> None:
        self._moved.set()
        if not self._retired:
            self._closed = self._downloads.retired = True
            self._emit("close", self)


def _wishes(
    endpoint: Endpoint, scripts: tuple[str, ...], world: str
) -> Iterator[tuple[str, Fields]]:
    """The commands that set a page up."""
    run_first = "Page.addScriptToEvaluateOnNewDocument"
    for script in scripts:
        yield run_first, {"source": script}
    yield run_first, {"source": "", "worldName": world}
    yield "Emulation.setFocusEmulationEnabled", {"enabled": True}
    if endpoint.viewport is not None:
        width, height = endpoint.viewport
        size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
        fixed = {"deviceScaleFactor": 1, "mobile": False}
        yield "Emulation.setDeviceMetricsOverride", {**size, **fixed}
    if endpoint.locale is not None:
        yield "Emulation.setLocaleOverride", {"locale": endpoint.locale}
    if endpoint.extra_headers:
        yield "Network.setExtraHTTPHeaders", {"headers": dict(endpoint.extra_headers)}
