"""Reading the list of results out of the JSON of an API."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.common.json_answers import read_json
from strap_search.common.text import unmarked
from strap_search.engine import Hit, Picture

Named = str | Callable[[dict[str, Any]], str]
"""The name of a field of an item, or what reads it out of one."""
Pictured = Callable[[dict[str, Any]], Picture]
DIGITS = 6
"""Most digits of a width or height in pixels; longer ones count as unknown."""


def hits(
    api: Api,
    reply: Reply,
    path: str,
    *,
    url: Named,
    snippet: str,
    date: Named,
    picture: Pictured | None = None,
    always: bool = False,
) -> tuple[Hit, ...]:
    """Read the list at `path`, empty if absent unless `always` there; raises `ActionError`."""
    try:
        entries: Any = read_json(reply.body)
        for name in path.split("."):
            entries = entries[name] if always else entries.get(name) or {}
        listed = (_hit(item, url, snippet, date, picture) for item in entries)
        return tuple(replace(hit, space=reply.space) for hit in listed)
    except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
        raise failures.unreadable(api.engine, "something that is not its JSON") from None


def picture_at(url: object, width: object = 0, height: object = 0) -> Picture:
    """Return a picture by what an API says of it."""
    return Picture(url=str(url or ""), width=_pixels(width), height=_pixels(height))


def _pixels(size: object) -> int:
    text = str(size or "")
    is_count = text.isascii() and text.isdigit() and len(text) <= DIGITS
    return int(text) if is_count else 0


def _hit(
    item: dict[str, Any], url: Named, snippet: str, date: Named, picture: Pictured | None
) -> Hit:
    return Hit(
        title=unmarked(_text(item, "title")),
        url=_read(item, url),
        snippet=unmarked(_text(item, snippet)),
        date=_read(item, date),
        picture=picture(item) if picture is not None else None,
    )


def _read(item: dict[str, Any], name: Named) -> str:
    return name(item) if callable(name) else _text(item, name)


def _text(item: dict[str, Any], key: str) -> str:
    return str(item.get(key) or "")
