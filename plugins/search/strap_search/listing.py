"""Reading the list of results out of the JSON of an API."""

import json
from collections.abc import Callable
from typing import Any

from strap_search import failures
from strap_search.apis import Api, Reply
from strap_search.common.text import unmarked
from strap_search.engine import Hit

Date = str | Callable[[dict[str, Any]], str]


def hits(
    api: Api, reply: Reply, path: str, *, url: str, snippet: str, date: Date
) -> tuple[Hit, ...]:
    """Read the list at `path`, as in `web.results`; one that is not there is empty.

    `url`, `snippet` and `date` are the names of fields, `date` may be a function of the item.
    Raises `ActionError` for what has another form.
    """
    try:
        found: Any = json.loads(reply.body)
        for name in path.split("."):
            found = found.get(name) or {}
        return tuple(_hit(item, url, snippet, date) for item in found)
    except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
        raise failures.unreadable(api.engine, "something that is not its JSON") from None


def _hit(item: dict[str, Any], url: str, snippet: str, date: Date) -> Hit:
    return Hit(
        title=unmarked(_text(item, "title")),
        url=_text(item, url),
        snippet=unmarked(_text(item, snippet)),
        date=date(item) if callable(date) else _text(item, date),
    )


def _text(item: dict[str, Any], key: str) -> str:
    return str(item.get(key) or "")
