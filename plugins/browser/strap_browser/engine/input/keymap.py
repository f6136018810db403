"""The keys of a US keyboard: what each is called, and what it types.

Source: UI Events KeyboardEvent code and key values (W3C), virtual key codes of Windows, which
browsers use on all systems.
"""

from typing import NamedTuple


class Key(NamedTuple):
    """A key as `Input.dispatchKeyEvent` has it; `text` is what it types, "" for nothing."""

    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0
    """1 for the left one of two, as modifiers are."""


_SIGNS = {
    "`~": ("Backquote", 192),
    "-_": ("Minus", 189),
    "=+": ("Equal", 187),
    "[{": ("BracketLeft", 219),
    "]}": ("BracketRight", 221),
    "\\|": ("Backslash", 220),
    ";:": ("Semicolon", 186),
    "'\"": ("Quote", 222),
    ",<": ("Comma", 188),
    ".>": ("Period", 190),
    "/?": ("Slash", 191),
    **{f"{digit}{sign}": (f"Digit{digit}", 48 + int(digit)) for digit, sign in
       zip("0123456789", ")!@#$%^&*(", strict=True)},
    **{letter + letter.upper(): (f"Key{letter.upper()}", ord(letter.upper()))
       for letter in "abcdefghijklmnopqrstuvwxyz"},
}  # fmt: skip
"""Both characters of a key, without and with Shift."""
_NAMED = {
    "Backspace": 8,
    "Tab": 9,
    "Escape": 27,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Insert": 45,
    "Delete": 46,
    **{f"F{number}": 111 + number for number in range(1, 13)},
}
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""The bit of each in the field `modifiers`."""
_MODIFIER_NUMBERS = {"Alt": 18, "Control": 17, "Meta": 91, "Shift": 16}
KEYS: dict[str, Key] = {
    **{
        character: Key(character, code, number, character)
        for both, (code, number) in _SIGNS.items()
        for character in both
    },
    **{name: Key(name, name, number) for name, number in _NAMED.items()},
    **{
        name: Key(name, f"{name}Left", number, location=1)
        for name, number in _MODIFIER_NUMBERS.items()
    },
    "Enter": Key("Enter", "Enter", 13, "\r"),
    "Space": Key(" ", "Space", 32, " "),
    " ": Key(" ", "Space", 32, " "),
}
"""By the character that it types, or by its name."""
SHIFTED = {both[0]: both[1] for both in _SIGNS}
"""Characters of keys while Shift is held."""
MAC_COMMANDS = {
    "Meta+KeyA": "selectAll",
    "Meta+KeyC": "copy",
    "Meta+KeyV": "paste",
    "Meta+KeyX": "cut",
    "Meta+KeyZ": "undo",
    "Shift+Meta+KeyZ": "redo",
    "Meta+ArrowLeft": "moveToLeftEndOfLine",
    "Meta+ArrowRight": "moveToRightEndOfLine",
    "Meta+ArrowUp": "moveToBeginningOfDocument",
    "Meta+ArrowDown": "moveToEndOfDocument",
    "Alt+ArrowLeft": "moveWordLeft",
    "Alt+ArrowRight": "moveWordRight",
}
"""Editing commands of macOS for keys that no page sees, to be sent by name."""
