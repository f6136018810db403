"""Queue of input for the mouse and keyboard of a page, by the actions of WebDriver."""

import asyncio
from collections import deque
from collections.abc import Container, Coroutine
from contextlib import suppress
from typing import Any

from strap import record
from strap_browser.api import SCRIPT_NAME, started
from strap_firefox import own_world
from strap_firefox.bidi import BidiConnection, BidiError
from strap_firefox.values import Value, local_value

Params = dict[str, Any]
INSERT = f"(text) => {SCRIPT_NAME}.insert(text)"
DRAWN = """() => new Promise((done) => {
  setTimeout(done, 100);
  requestAnimationFrame(() => requestAnimationFrame(done));
}).then(() => document.hidden)"""
"""The mouse meets what was drawn last: what is scrolled or moved now is there a little later."""
CLOSE = """() => {
  let element = document.activeElement;
  while (element && element.shadowRoot && element.shadowRoot.activeElement)
    element = element.shadowRoot.activeElement;
  if (element && element.contentWindow) return element.contentWindow;
  if (!element || !element.matches("select:open")) return null;
  element.blur();
  element.focus({ preventScroll: true });
  return null;
}"""


@record(frozen=False)
class _Wish:
    source: str
    """The kind of device, "text" for an input method."""
    actions: list[Params]
    work: "asyncio.Future[None] | None" = None
    """Future of the command that carries it out, with others for the same device."""


class InputQueue:
    """Carries out what is asked of one page's mouse and keyboard, in the order of the asking.

    What waits for the same device goes in one command.
    """

    def __init__(
        self, bidi: BidiConnection, prompts: Container[str], page: str, world: str
    ) -> None:
        """`prompts` holds the pages that a dialog holds; `world` is the sandbox of the script."""
        self._bidi = bidi
        self._world = world
        self._prompts = prompts
        self._page = page
        self._waiting: deque[_Wish] = deque()
        self._turn = asyncio.Lock()

    async def act(self, source: str, actions: list[Params]) -> Params:
        """Do what a device is to do; raises `BidiError`."""
        wish = _Wish(source=source, actions=actions)
        self._waiting.append(wish)
        async with self._turn:
            await asyncio.sleep(0)  # what is asked in one go waits by then
            if wish.work is None:
                together = self._next()
                work = started(self._do(together))
                for other in together:
                    other.work = work
                await asyncio.wait((work,))
        assert wish.work is not None
        await wish.work
        return {}

    def _next(self) -> list[_Wish]:
        together = [self._waiting.popleft()]
        while self._waiting and self._waiting[0].source == together[0].source:
            together.append(self._waiting.popleft())
        return together

    async def _do(self, together: list[_Wish]) -> None:
        kind = together[0].source
        if kind == "text":
            text = "".join(action["text"] for wish in together for action in wish.actions)
            await self._at_focus(INSERT, local_value(text), sandbox=self._world)
            return
        device: Params = {"type": kind, "id": kind}
        if kind == "pointer":
            device["parameters"] = {"pointerType": "mouse"}
        device["actions"] = [action for wish in together for action in wish.actions]
        if self._has(device, "pointerDown"):
            await self._if_there(self._show())
        await self._bidi.send("input.performActions", context=self._page, actions=[device])
        if self._has(device, "pointerUp"):
            # The list of a drop-down is a window of Firefox's own, where no key gets to.
            await self._if_there(self._at_focus(CLOSE))

    async def _show(self) -> None:
        answer = await own_world.ask(self._bidi, self._page, DRAWN)
        if answer.get("value") is True:
            await self._bidi.send("browsingContext.activate", context=self._page)
            await own_world.ask(self._bidi, self._page, DRAWN)

    async def _if_there(self, work: Coroutine[Any, Any, Any]) -> None:
        """Do what a document that a dialog holds, or that goes meanwhile, is not asked for."""
        if self._page in self._prompts:
            work.close()
            return
        with suppress(BidiError):
            await work

    def _has(self, device: Params, kind: str) -> bool:
        return any(action["type"] == kind for action in device["actions"])

    async def _at_focus(
        self, function: str, *arguments: Value, sandbox: str = own_world.NAME
    ) -> None:
        """Call a function where the focus is, in whatever frame."""
        context = self._page
        while True:
            answer = await own_world.call(
                self._bidi, context, function, *arguments, sandbox=sandbox
            )
            if answer["type"] != "window":
                return
            context = answer["value"]["context"]
