"""How many values a message in JSON has, found out without making them.

What a client or a service sends is taken apart several times, each at one go: a megabyte of text is
nothing, a hundred thousand small values hold everybody up for as long as a second.
"""

import re

MOST_VALUES = 20_000
"""Values in one message; no action takes half as many."""
_SEPARATORS = (b",", b"[", b"{")
"""Before each value but the last of all there is one, or a name and a colon."""
_STRING_END = re.compile(rb'(?:[^"\\]++|\\.)*+"', re.DOTALL)


def has_too_many_values(message: bytes) -> bool:
    """Whether `message`, if it is JSON, has more than `MOST_VALUES` values."""
    if _separators(message, 0, len(message)) <= MOST_VALUES:
        return False  # even with those in its strings
    count = strings = at = 0
    while count <= MOST_VALUES and strings <= 2 * MOST_VALUES:  # values, and their names
        start = message.find(b'"', at)
        if start < 0:
            return count + _separators(message, at, len(message)) > MOST_VALUES
        count += _separators(message, at, start)
        strings += 1
        at = _string_end(message, start + 1)
        if at < 0:
            return False  # it is no JSON, which is found out where it breaks off
    return True


def _string_end(message: bytes, start: int) -> int:
    quote = message.find(b'"', start)
    if quote < 0 or message[quote - 1 : quote] != b"\\":
        return quote if quote < 0 else quote + 1  # most strings: so it is found ten times as fast
    end = _STRING_END.match(message, start)
    return -1 if end is None else end.end()


def _separators(message: bytes, start: int, end: int) -> int:
    return sum(message.count(separator, start, end) for separator in _SEPARATORS)
