"""`urls`: several addresses in one call of `http.fetch`, each answered for itself."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from strap import DEFAULT_MAX_TOKENS, Context, Result, StrapError
from strap_http.sites.addresses import host

PER_HOST = 2
"""Requests to a host at the same time."""
LEAST = 120
"""Tokens of each answer, however many there are."""
_ONE = "the same call with "
_ALONE = "this url alone with "


async def fetch_several(
    urls: Sequence[str], fields: Mapping[str, Any], ctx: Context[Any], *, seconds: float
) -> Result:
    """Fetch all `urls` with the same `fields`; `data["results"]` has the data or error of each."""
    share = max((ctx.max_tokens or DEFAULT_MAX_TOKENS) // len(urls), LEAST)
    hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(PER_HOST))
    fields = {**fields, "max_tokens": share, "session": ctx.call.params.session}

    async def fetch_one(url: str) -> Result:
        try:
            async with ctx.limited(seconds), hosts[host(url)]:
                return await ctx.web(resource="http", action="fetch", url=url, **fields)
        except TimeoutError:
            error: dict[str, Any] = {"message": "No time was left for it.", "code": "timeout"}
        except StrapError as failure:
            error = {"message": str(failure), "code": failure.code}
        return Result(text=f"{url}: {error['message']}", data={"url": url, "error": error})

    results = await asyncio.gather(*map(fetch_one, urls))
    text = "\n\n".join(result.text.replace(_ONE, _ALONE) for result in results)
    data = [result.data for result in results]
    return Result(
        text=text, data={"results": data}, is_error=all("error" in entry for entry in data)
    )
