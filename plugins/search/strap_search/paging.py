"""Collecting as many results as were asked for, page by page."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from strap import ActionError
from strap_search import failures
from strap_search.engines import Engine, Hit, Page

MAX_PAGES = 10
_TRACKING = ("utm_", "fbclid=", "gclid=", "msclkid=")


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Results without duplicates; `failure` is why there are fewer than asked for."""

    hits: tuple[Hit, ...]
    failure: ActionError | None = None


async def collect(
    engine: Engine,
    query: str,
    *,
    limit: int,
    seconds: float,
    progress: Callable[[str, float, float], Awaitable[None]],
) -> Found:
    """Ask for pages until there are `limit` results, or no more, or `seconds` have passed.

    What was found before a failure is kept; raises the `ActionError` if that is nothing.
    """
    hits: dict[str, Hit] = {}
    failure: ActionError | None = None
    try:
        async with asyncio.timeout(seconds):
            page: Page | None = None
            for _ in range(MAX_PAGES):
                page = await engine.search(query, page)
                known = len(hits)
                for one in page.hits:
                    hits.setdefault(same_page(one.url), one)
                if len(hits) >= limit or len(hits) == known or page.following is None:
                    break
                await progress(f"{engine.name}: {len(hits)} results", len(hits), limit)
    except TimeoutError:
        failure = failures.timed_out(engine.name, seconds)
    except ActionError as error:
        failure = error
    if failure and not hits:
        raise failure
    return Found(hits=tuple(hits.values())[:limit], failure=failure)


def same_page(url: str) -> str:
    """Return a key that is equal for URLs of the same page.

    Scheme, `www.`, a final slash, tracking fields and a plain fragment make no difference.
    """
    parts = urlsplit(url)
    host = parts.netloc.lower().removeprefix("www.")
    fields = [f for f in parts.query.split("&") if f and not f.lower().startswith(_TRACKING)]
    route = parts.fragment if parts.fragment.startswith(("!", "/")) else ""
    return f"{host}{parts.path.rstrip('/')}?{'&'.join(fields)}#{route}"
