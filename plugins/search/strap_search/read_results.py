"""`read`: what the pages of the first results say to the query, through `http.fetch`."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from strap import Context, Result, StrapError
from strap_search.engine import Hit
from strap_search.render import Extract
from strap_search.state import SearchState

SECONDS = 12.0
"""How long a page is waited for."""
PER_HOST = 2
"""Pages of a host that are fetched at the same time."""
LEAST = 120
"""Tokens of a page that are worth a request."""
_AROUND = 150
"""Tokens of an answer of `http.fetch` beside its passages; they are not shown here."""
_OPERATOR = re.compile(r"\s*(?:(?<!\S)-\S+|\b\w+:\S+|\b(?:AND|OR)\b|[\"“”()])")


async def read(
    hits: Sequence[Hit], words: str, ctx: Context[SearchState], *, room: int, deadline: float
) -> tuple[Extract, ...]:
    """Return an extract of each hit, `room` tokens together, until `deadline` (loop time)."""
    share = max(room // max(len(hits), 1), LEAST)
    hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(PER_HOST))
    fetch = partial(
        ctx.web,
        resource="http",
        action="fetch",
        text=_OPERATOR.sub(" ", words).strip() or words,
        max_tokens=share + _AROUND,
        session=ctx.call.params.session,
    )
    pages = (_extract(hit, fetch, hosts[urlsplit(hit.url).netloc], deadline, ctx) for hit in hits)
    return tuple(await asyncio.gather(*pages))


async def _extract(
    hit: Hit,
    fetch: Callable[..., Awaitable[Result]],
    turn: asyncio.Semaphore,
    deadline: float,
    ctx: Context[SearchState],
) -> Extract:
    now = asyncio.get_running_loop().time
    try:
        async with ctx.limited(deadline - now()), turn:
            seconds = min(SECONDS, max(deadline - now(), 1))
            result = await fetch(url=hit.url, led_from=hit.space, timeout=seconds)
    except TimeoutError:
        return Extract(note="not read: no time was left")
    except StrapError as error:
        return Extract(note=f"not read: {error.message}")
    return _of(result.data or {})


def _of(data: Mapping[str, Any]) -> Extract:
    """An extract of what `http.fetch` answered with `text`."""
    status = data.get("status", 0)
    if status >= HTTPStatus.BAD_REQUEST:
        return Extract(note=f"not read: HTTP status {status}")
    passages = tuple((passage["start"], passage["text"]) for passage in data.get("passages", ()))
    if passages:
        return Extract(passages=passages)
    return Extract(note=f"its {data.get('characters', 0):,} characters have none of the words")
