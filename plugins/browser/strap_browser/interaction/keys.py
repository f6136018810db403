"""Names of keys, and keys that are held while something else is done."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strap import UsageError
from strap_browser.engine.input import keymap

if TYPE_CHECKING:
    from strap_browser.interaction.page_state import PageState

MODIFIERS = {
    "alt": "Alt",
    "control": "Control",
    "ctrl": "Control",
    "meta": "Meta",
    "cmd": "Meta",
    "command": "Meta",
    "super": "Meta",
    "win": "Meta",
    "option": "Alt",
    "shift": "Shift",
    "controlormeta": "ControlOrMeta",
}
NAMED = (
    *("Enter", "Tab", "Escape", "Backspace", "Delete", "Insert", "Space"),
    *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"),
    *(f"F{number}" for number in range(1, 13)),
)
KEYS = {key.code.lower(): name for name, key in reversed(keymap.KEYS.items())} | {
    "return": "Enter",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "up": "ArrowUp",
    "down": "ArrowDown",
    "left": "ArrowLeft",
    "right": "ArrowRight",
    "pgup": "PageUp",
    "pgdn": "PageDown",
}
"""By the place on the keyboard, which is the name of most: `KeyA` is the first that it types."""
ON_THE_KEYBOARD = range(0x20, 0x7F)
"""Characters that have a key (ASCII); others can only be entered."""
MOST_CHORDS = 100
RELEASE_LIMIT = 0.1


@dataclass(frozen=True, slots=True)
class Chord:
    """A key, and the modifiers to hold meanwhile."""

    key: str
    held: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it is a character that no key has: it is entered as an input method would."""
        return len(self.key) == 1 and ord(self.key) not in ON_THE_KEYBOARD


def modifiers(key: str | None) -> tuple[str, ...]:
    """Return the keys of `Control+Shift`; raises `UsageError` for any other key."""
    names = [_plain(part.strip()) for part in (key or "").split("+") if part.strip()]
    if any(name not in MODIFIERS for name in names):
        raise UsageError(
            f"key={key!r} holds more than modifiers.",
            hint="Valid: Alt, Control, Meta, Shift, joined by '+'.",
        )
    return tuple(MODIFIERS[name] for name in names)


def chords(keys: str) -> list[Chord]:
    """Return what to press for `Control+A Delete`; raises `UsageError` for unknown keys."""
    words = keys.split() or ["Space"] * keys.count(" ")
    if not words or len(words) > MOST_CHORDS:
        raise UsageError(
            f"key={keys[:80]!r} is not one to {MOST_CHORDS} keys.",
            hint="As in key='Enter' or key='Control+A Delete'.",
        )
    return [_chord(word) for word in words]


@asynccontextmanager
async def holding_keys(state: "PageState", keys: tuple[str, ...]) -> AsyncIterator[None]:
    """Hold keys down; they are released in any case, even behind a dialog."""
    keyboard, down = state.tab.page.keyboard, []
    try:
        for key in keys:
            down.append(key)
            await keyboard.down(key)
        yield
    finally:
        for key in reversed(down):
            release = state.tab.session.spawn(keyboard.up(key))
            with suppress(TimeoutError):
                async with asyncio.timeout(RELEASE_LIMIT):
                    await asyncio.shield(release)


def _plain(name: str) -> str:
    """Return a name as these tables have it: that of X is `Page_Down`, or `Control_L`."""
    return name.lower().removesuffix("_l").removesuffix("_r").replace("_", "")


def _chord(word: str) -> Chord:
    before, plus, last = word.rpartition("+")
    if plus and not last:  # the key is the plus itself, as in `Control++`
        before, last = before.removesuffix("+"), "+"
    key = last if len(last) == 1 else (KEYS | MODIFIERS).get(_plain(last))
    if key is None or not key.isprintable():
        raise UsageError(
            f"There is no key {last[:80]!r}.",
            hint=f"Keys: single characters, {', '.join(NAMED[:-12])}, F1 to F12; "
            "`type` types a text.",
        )
    chord = Chord(key, modifiers(before))
    if chord.is_text and chord.held:
        raise UsageError(f"No key is labelled {key!r}, so nothing can be held with it.")
    return chord
