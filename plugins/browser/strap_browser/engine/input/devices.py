"""Mouse and keyboard of a page, by the domain Input of the DevTools protocol.

Commands of one session are carried out in their order: those of a click are sent in one go.
"""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any, Literal

from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.input.drag import DragInterception
from strap_browser.engine.input.keymap import KEYS, MAC_COMMANDS, MODIFIERS, SHIFTED, Key

Button = Literal["left", "middle", "right"]
BUTTONS = {"left": 1, "right": 2, "middle": 4}
"""The bit of each in the field `buttons` (UI Events, MouseEvent.buttons)."""
PRESSURE = 0.5
"""That of a mouse whose button is down (Pointer Events, `pressure`)."""
KEYS_TOGETHER = 8
"""Keys of a text that are sent without waiting: a call that is given up stops within so many."""


class Keyboard:
    """Holds keys down and lets them go; `modifiers` are those of all that happens meanwhile."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._held: set[str] = set()
        self._down: set[str] = set()

    @property
    def modifiers(self) -> int:
        """The modifiers that are held, as bits."""
        return sum(MODIFIERS[name] for name in self._held)

    async def down(self, key: str) -> None:
        """Press a key and keep it down; raises `KeyError` for one that no keyboard has."""
        await self._send_down(self._key(key))

    async def up(self, key: str) -> None:
        """Let a key go."""
        await self._send_up(self._key(key))

    async def press(self, keys: str) -> None:
        """Press a key, as in `Enter`, with what is to be held, as in `Control+A`."""
        *held, last = keys.split("+") if len(keys) > 1 else (keys,)
        for modifier in held:
            await self.down(modifier)
        try:
            key = self._key(last)
            await asyncio.gather(self._send_down(key), self._send_up(key))
        finally:
            for modifier in reversed(held):
                await self.up(modifier)

    async def type(self, text: str) -> None:
        """Press the keys of a text; a character that no key has is put in as by an input method."""
        waiting: list[asyncio.Future[Any]] = []
        for character in text:
            waiting += self._typed(character)
            if len(waiting) >= 2 * KEYS_TOGETHER:
                await asyncio.gather(*waiting)
                waiting.clear()
        await asyncio.gather(*waiting)

    async def insert_text(self, text: str) -> None:
        """Put in a text as an input method would, without any key."""
        await self._session.send("Input.insertText", text=text)

    def _typed(self, character: str) -> Iterator["asyncio.Future[Any]"]:
        if character in "\r\n":
            character = "Enter"
        if character not in KEYS:
            yield self._session.send("Input.insertText", text=character)
            return
        key = self._key(character)
        yield self._send_down(key)
        yield self._send_up(key)

    def _key(self, name: str) -> Key:
        if name == "ControlOrMeta":
            name = "Meta" if sys.platform == "darwin" else "Control"
        if "Shift" in self._held:
            name = SHIFTED.get(name, name)
        return KEYS[name]

    def _send_down(self, key: Key) -> "asyncio.Future[Any]":
        if key.key in MODIFIERS:
            self._held.add(key.key)
        repeats = key.code in self._down
        self._down.add(key.code)
        # What is held with another modifier than Shift is a command, and types nothing.
        text = "" if self.modifiers & ~MODIFIERS["Shift"] else key.text
        return self._session.send(
            "Input.dispatchKeyEvent",
            type="keyDown" if text else "rawKeyDown",
            text=text,
            unmodifiedText=text,
            autoRepeat=repeats,
            commands=self._commands(key),
            **self._fields(key),
        )

    def _send_up(self, key: Key) -> "asyncio.Future[Any]":
        self._held.discard(key.key)
        self._down.discard(key.code)
        return self._session.send("Input.dispatchKeyEvent", type="keyUp", **self._fields(key))

    def _fields(self, key: Key) -> dict[str, Any]:
        return {
            "modifiers": self.modifiers,
            "key": key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.number,
            "location": key.location,
        }

    def _commands(self, key: Key) -> list[str]:
        if sys.platform != "darwin":
            return []
        held = [name for name in ("Shift", "Control", "Alt", "Meta") if name in self._held]
        command = MAC_COMMANDS.get("+".join([*held, key.code]))
        return [command] if command else []


class Mouse:
    """Mouse of a page: its place, and the buttons that are down."""

    def __init__(self, session: CdpSession, keyboard: Keyboard) -> None:
        self._session = session
        self._keyboard = keyboard
        self._x = self._y = 0.0
        self._down: list[Button] = []
        self._drag = DragInterception(session)

    @property
    def place(self) -> tuple[float, float] | None:
        """Its place in CSS pixels of the page, None before it moved."""
        return (self._x, self._y) if self._x or self._y else None

    async def move(self, x: float, y: float, *, steps: int = 1) -> None:
        """Move there in so many steps of the same length.

        Each is waited for: what comes faster than it is handled, a browser makes one movement of.
        """
        from_x, from_y = self._x, self._y
        for step in range(1, steps + 1):
            part = step / steps
            self._x, self._y = from_x + (x - from_x) * part, from_y + (y - from_y) * part
            await self._step()

    async def linger(self) -> None:
        """Tell the page once more of what is dragged here, as a browser does while it rests."""
        if self._drag.is_on and await self._drag.has_begun():
            await self._drag.move(self._place())

    async def down(self, *, button: Button = "left", click_count: int = 1) -> None:
        """Press a button and keep it down; what the page lets be dragged goes along from now on."""
        if button == "left":
            await self._drag.begin()
        await self._press(button, click_count)

    async def up(self, *, button: Button = "left", click_count: int = 1) -> None:
        """Let a button go, and drop what it drags."""
        if not self._drag.is_on or button != "left":
            await self._release(button, click_count)
            return
        begun = await self._drag.has_begun()
        if begun:  # then the page gets no release, as of a drag by hand
            self._down.remove(button)
        else:
            await self._release(button, click_count)
        await self._drag.end(self._place())

    async def give_up(self) -> None:
        """Let the left button go without dropping anything."""
        if self._drag.is_on:
            await self._drag.end(self._place(), drop=False)
        await self._release("left", 1)

    async def click(
        self, x: float, y: float, *, button: Button = "left", click_count: int = 1
    ) -> None:
        """Move there and click, `click_count` times."""
        self._x, self._y = x, y
        sent = [self._send("mouseMoved")]
        for number in range(1, click_count + 1):
            sent += (self._press(button, number), self._release(button, number))
        await asyncio.gather(*sent)

    async def wheel(self, delta_x: float, delta_y: float) -> None:
        """Turn the wheel, by so many pixels."""
        await self._send("mouseWheel", deltaX=delta_x, deltaY=delta_y)

    async def _step(self) -> None:
        if self._drag.is_on and await self._drag.has_begun():
            await self._drag.move(self._place())
            return
        await self._send("mouseMoved")
        if self._drag.is_on and await self._drag.has_begun():
            await self._drag.move(self._place())

    def _place(self) -> dict[str, Any]:
        return {"x": self._x, "y": self._y, "modifiers": self._keyboard.modifiers}

    def _press(self, button: Button, count: int) -> "asyncio.Future[Any]":
        self._down.append(button)
        return self._send("mousePressed", button=button, clickCount=count)

    def _release(self, button: Button, count: int) -> "asyncio.Future[Any]":
        if button in self._down:
            self._down.remove(button)
        return self._send("mouseReleased", button=button, clickCount=count)

    def _send(self, kind: str, **fields: Any) -> "asyncio.Future[Any]":
        held = {"button": self._down[-1] if self._down else "none"}
        return self._session.send(
            "Input.dispatchMouseEvent",
            type=kind,
            x=self._x,
            y=self._y,
            modifiers=self._keyboard.modifiers,
            buttons=sum(BUTTONS[button] for button in set(self._down)),
            force=PRESSURE if self._down else 0,
            **{**held, **fields},
        )
