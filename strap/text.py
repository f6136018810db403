"""Text that UTF-8 can carry and a message has room for."""

import re
import reprlib
from typing import Any

from strap.errors import UsageError

MAX_NESTING = 32
"""Levels of lists and objects in the arguments of a call; fields are flat, two would do."""
MAX_BITS = 1024
"""Size of the integers in them; a number with a fraction has no more either."""

_LONE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot carry, by U+FFFD."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def replace_all_surrogates(value: Any, *, levels: int = MAX_NESTING) -> Any:
    """Mend every string in plain JSON data, keys included.

    Raises `UsageError` for lists and objects nested deeper than `levels`, and for an integer of
    so many digits that Python does not write it.
    """
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise UsageError(f"The arguments have an integer of more than {MAX_BITS} bits.")
    if not isinstance(value, list | dict):
        return value
    if not levels:
        raise UsageError(f"The arguments are nested too deeply (at most {MAX_NESTING} levels).")
    if isinstance(value, list):
        return [replace_all_surrogates(item, levels=levels - 1) for item in value]
    return {
        replace_all_surrogates(k, levels=0): replace_all_surrogates(v, levels=levels - 1)
        for k, v in value.items()
    }


def short_repr(value: Any, most: int = 60) -> str:
    """`repr(value)`, cut to a length that fits into a message: a text to `most` characters."""
    cutter = reprlib.Repr()
    cutter.maxstring = cutter.maxother = most
    return cutter.repr(value)


def counted(number: int, noun: str, many: str = "") -> str:
    """Return a number of things: `1 byte`, but `2,000 bytes`; `many` is what an s does not make."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"
