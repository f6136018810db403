"""A person's mouse and keyboard in a page: sent at once, in order, and never late."""

import asyncio
import time
from collections import deque
from contextlib import suppress
from typing import Any

from strap_browser.api import CdpError, CdpSession, Params
from strap_live.control.page_frames import PageElement, PageFrames
from strap_live.messages import Key, Mouse

MOST_WAITING = 200
"""Presses and keys that may be under way; a page that hangs takes none."""
BUTTONS = ("left", "middle", "right", "back", "forward")
HELD = {1: "left", 2: "right", 4: "middle", 8: "back", 16: "forward"}
"""The bits of `buttons` (UI Events, 4.3.1). A movement names the button that it drags with."""
KINDS = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased", "wheel": "mouseWheel"}
CONTROL, META = 2, 4
EDITING = {"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo", "y": "redo"}
"""Editing commands of keys with Control: a headless browser has no menu that would run them."""
ANSWER_LIMIT = 2.0
HANGS = 1.0
"""Seconds without an answer after which a page counts as one that hangs."""
MOST_OPTIONS = 1_000
MOST_COPIED = 100_000
"""Characters of a selected text."""
OPENING = ("F4", " ", "ArrowDown")
"""Keys that open a list where it has the focus, the last of them with Alt."""
ALT = 1
LIST_SCRIPT = """function(most) {
  if (this.tagName !== "SELECT" || this.multiple || this.size > 1 || this.disabled) return null;
  return [...this.options].slice(0, most).map((each) => ({ text: each.label.slice(0, 200),
    on: each.selected, off: each.disabled }));
}"""
SELECTED_SCRIPT = """function(most) {
  const typed = ["INPUT", "TEXTAREA"].includes(this.tagName);
  const dots = /disc|circle|square/.test(getComputedStyle(this).webkitTextSecurity);
  const text = !typed ? String(getSelection()) : dots || this.type === "password" ? ""
    : this.value.slice(this.selectionStart ?? 0, this.selectionEnd ?? 0);
  return text.slice(0, most);
}"""
CHOOSE_SCRIPT = """function(index) {
  this.selectedIndex = index;
  for (const type of ["input", "change"]) this.dispatchEvent(new Event(type, { bubbles: true }));
}"""


class Hand:
    """The holder's hand in one page."""

    def __init__(self, session: CdpSession, frames: PageFrames) -> None:
        self._session = session
        self._frames = frames
        self._under_way: deque[tuple[float, asyncio.Future[Any]]] = deque()
        """Messages to the page, and when they were sent, by the monotonic clock."""
        self._move: Mouse | None = None
        """The newest movement, which waits for the one under way."""
        self._moving = False
        self._keys: dict[str, Key] = {}
        self._buttons: dict[str, Mouse] = {}
        self._list: PageElement | None = None
        """The list that was opened."""
        self._has_moved = False
        """Whether the mouse moved since a button went down: only then can a drag have begun."""
        self._dragged: Params | None = None
        """Drag data of the page (HTML, 6.11); the mouse sends drag events meanwhile."""
        self._release: asyncio.Task[None] | None = None
        """Waits until it is known whether the released button drops something."""
        self._later: deque[Mouse] = deque(maxlen=MOST_WAITING)
        """Mouse events since the release, which wait for it."""
        session.on("Input.dragIntercepted", self._on_drag)

    @property
    def slow(self) -> bool:
        """Whether the page takes nothing any more."""
        self._forget_answered()
        return len(self._under_way) >= MOST_WAITING

    @property
    def under_way(self) -> "list[asyncio.Future[Any]]":
        """Messages to the page that have not arrived."""
        return [sent for _, sent in self._under_way if not sent.done()]

    @property
    def hangs(self) -> bool:
        """Whether the page does not answer."""
        self._forget_answered()
        return bool(self._under_way) and time.monotonic() - self._under_way[0][0] > HANGS

    def _forget_answered(self) -> None:
        while self._under_way and self._under_way[0][1].done():
            self._under_way.popleft()

    def mouse(self, event: Mouse) -> None:
        """Move, press, let go or turn the wheel."""
        if self._release is not None:
            self._later.append(event)
        elif event.kind in ("move", "wheel"):
            self._has_moved = True
            self._follow(event)
        elif event.kind == "down":
            self._buttons[BUTTONS[event.button]] = event
            # A browser would hand a drag to the operating system, where no command reaches it.
            self._send("Input.setInterceptDrags", enabled=True)
            self._send_mouse(event)
            self._has_moved = False
        elif self._has_moved:
            self._release = asyncio.create_task(self._let_go_of(event))
        else:
            self._up(event)

    def key(self, event: Key) -> None:
        """Press a key, or let it go."""
        if event.kind == "up":
            self._keys.pop(event.code, None)
        else:
            self._keys[event.code] = event
        chord = event.mods & (CONTROL | META)
        text = "\r" if event.key == "Enter" else event.key if len(event.key) == 1 else ""
        types = event.kind == "down" and text and not chord
        fields: dict[str, Any] = {
            "type": "keyUp" if event.kind == "up" else "keyDown" if types else "rawKeyDown",
            "key": event.key,
            "code": event.code,
            "windowsVirtualKeyCode": event.number,
            "modifiers": event.mods,
        }
        if types:
            fields |= {"text": text, "unmodifiedText": text, "autoRepeat": event.repeat}
        if chord and event.kind == "down" and (command := EDITING.get(event.key.lower())):
            fields["commands"] = [command]
        self._send("Input.dispatchKeyEvent", **fields)

    def text(self, text: str) -> None:
        """Enter a text that was pasted, or put together by an input method."""
        self._send("Input.insertText", text=text)

    def let_go(self) -> None:
        """Let go of what is pressed: nothing of a person's stays behind."""
        self._move = None
        self._later.clear()
        if self._release is not None:
            self._release.cancel()
            self._release = None
        for pressed in list(self._keys.values()):
            self.key(pressed.model_copy(update={"kind": "up"}))
        for button in list(self._buttons.values()):
            self._up(button.model_copy(update={"kind": "up", "buttons": 0}), drops=False)

    async def _let_go_of(self, event: Mouse) -> None:
        """Let go of a button after what it dragged is known.

        The browser tells of a drag by another way than of the movement; a question to the page
        takes the same one. A page that hangs tells nothing.
        """
        self._send_pending()
        sent = [*self.under_way, self._send("Runtime.evaluate", expression="0")]
        await asyncio.wait(sent, timeout=HANGS)
        self._release = None
        self._up(event)
        later = list(self._later)
        self._later.clear()
        for late in later:
            self.mouse(late)

    def _up(self, event: Mouse, *, drops: bool = True) -> None:
        self._buttons.pop(BUTTONS[event.button], None)
        if self._dragged is None:
            self._send_mouse(event)
        else:
            self._send_drag(event, "drop" if drops else "dragCancel")
            self._dragged = None
        if not self._buttons:
            self._send("Input.setInterceptDrags", enabled=False)

    def _on_drag(self, params: Params) -> None:
        if self._buttons:
            self._dragged = params["data"]
            entered = next(iter(self._buttons.values()))
            self._send_drag(entered, "dragEnter")

    def _send_drag(self, event: Mouse, kind: str) -> "asyncio.Future[Any]":
        place: Params = {"x": event.x, "y": event.y, "modifiers": event.mods}
        return self._send("Input.dispatchDragEvent", type=kind, data=self._dragged, **place)

    async def list_at(self, x: float, y: float) -> list[dict[str, Any]] | None:
        """Return the options of the list at a place, which no picture shows open; None: no list."""
        with suppress(CdpError, TimeoutError, KeyError):
            async with asyncio.timeout(ANSWER_LIMIT):
                return await self._options(await self._frames.at(x, y))
        return None

    async def list_opened_by(self, event: Key) -> list[dict[str, Any]] | None:
        """Return the options of the list with the focus, where the key opens it; None: no list."""
        opens = event.kind == "down" and event.key in OPENING and not event.mods & (CONTROL | META)
        if not opens or (event.key == OPENING[-1]) != bool(event.mods & ALT):
            return None
        with suppress(CdpError, TimeoutError, KeyError):
            async with asyncio.timeout(ANSWER_LIMIT):
                return await self._options(await self._focused())
        return None

    async def selected(self) -> str:
        """Return what is selected in the frame that has the focus; '' where nothing is.

        Nobody copies what is in a password field, as in any browser.
        """
        with suppress(CdpError, TimeoutError, KeyError):
            async with asyncio.timeout(ANSWER_LIMIT):
                focused = await self._focused()
                call = {"functionDeclaration": SELECTED_SCRIPT, "returnByValue": True}
                answer = await focused.session.send(
                    "Runtime.callFunctionOn",
                    objectId=focused.object,
                    arguments=[{"value": MOST_COPIED}],
                    **call,
                )
                return str(answer["result"].get("value") or "")
        return ""

    async def _focused(self) -> PageElement:
        if sent := self.under_way:
            await asyncio.wait(sent)  # which, when the time is over, leaves them under way
        return await self._frames.focused()

    async def _options(self, element: PageElement) -> list[dict[str, Any]] | None:
        call = {"functionDeclaration": LIST_SCRIPT, "arguments": [{"value": MOST_OPTIONS}]}
        answer = await element.session.send(
            "Runtime.callFunctionOn", objectId=element.object, returnByValue=True, **call
        )
        options: list[dict[str, Any]] | None = answer["result"]["value"]
        self._list = element if options is not None else self._list
        return options

    def choose(self, index: int) -> None:
        """Choose an option of the list that was opened."""
        if self._list is not None:
            call = {"functionDeclaration": CHOOSE_SCRIPT, "arguments": [{"value": index}]}
            self._send("Runtime.callFunctionOn", self._list, objectId=self._list.object, **call)

    def _follow(self, event: Mouse) -> None:
        """Send the newest movement when the one before has arrived; wheels add up."""
        last = self._move
        if last is not None and last.kind == event.kind == "wheel":
            event = event.model_copy(update={"dx": last.dx + event.dx, "dy": last.dy + event.dy})
        self._move = event
        if not self._moving:
            self._send_move()

    def _send_move(self) -> None:
        event, self._move = self._move, None
        if event is None:
            self._moving = False
            return
        self._moving = True
        self._send_mouse(event).add_done_callback(lambda _: self._send_move())

    def _send_mouse(self, event: Mouse) -> "asyncio.Future[Any]":
        if event.kind in ("down", "up") and self._move is not None:
            self._send_pending()
        if event.kind == "move" and self._dragged is not None:
            return self._send_drag(event, "dragOver")
        pressed = event.kind in ("down", "up")
        dragging = next((name for bit, name in HELD.items() if event.buttons & bit), "none")
        fields: dict[str, Any] = {
            "type": KINDS[event.kind],
            "x": event.x,
            "y": event.y,
            "modifiers": event.mods,
            "buttons": event.buttons,
            "button": BUTTONS[event.button] if pressed else dragging,
        }
        if pressed:
            fields["clickCount"] = max(1, event.clicks)
        if event.kind == "wheel":
            fields |= {"deltaX": event.dx, "deltaY": event.dy}
        return self._send("Input.dispatchMouseEvent", **fields)

    def _send_pending(self) -> None:
        """Send the movement that waits: what is pressed comes after it."""
        event, self._move = self._move, None
        if event is not None:
            self._send_mouse(event)

    def _send(
        self, method: str, element: PageElement | None = None, **params: Any
    ) -> "asyncio.Future[Any]":
        sent = (element.session if element else self._session).send(method, **params)
        self._under_way.append((time.monotonic(), sent))
        return sent
