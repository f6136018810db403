"""Plain JSON values with their texts masked: all texts are searched at once."""

from collections.abc import Callable, Iterator
from typing import Any

BETWEEN = "\0"
"""Separator of the joined texts: no secret has it, and hardly a text of a page."""


def masked(value: Any, hide: Callable[[str], str], *, keys: bool = True) -> Any:
    """Return `value` with what `hide` makes of its texts, `keys`, and whole numbers.

    One search of all texts together takes a tenth of the time of one for each.
    """
    texts = list(_texts(value, keys))
    together = BETWEEN.join(texts)
    hidden = hide(together)
    if hidden == together:
        return value
    if together.count(BETWEEN) == hidden.count(BETWEEN) == len(texts) - 1:
        return _with(value, iter(hidden.split(BETWEEN)), keys)
    return _with(value, map(hide, texts), keys)  # a text has that character itself


def _texts(value: Any, keys: bool) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif type(value) is int:
        yield str(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            if keys:
                yield from _texts(key, keys)
            yield from _texts(item, keys)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item, keys)


def _with(value: Any, texts: Iterator[str], keys: bool) -> Any:
    """Return `value` with the next of `texts` in place of each of its own."""
    if isinstance(value, str):
        return next(texts)
    if type(value) is int:
        return value if (text := next(texts)) == str(value) else text
    if isinstance(value, dict):
        return {
            _with(key, texts, keys) if keys else key: _with(item, texts, keys)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_with(item, texts, keys) for item in value]
    return value
