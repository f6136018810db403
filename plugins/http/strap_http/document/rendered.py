"""Pages as a browser draws them, by way of the `browser` resource and all of its rules."""

import asyncio
from typing import TYPE_CHECKING, Any

from strap import Context, UsageError
from strap_http.message.request import Request
from strap_http.message.response import NO_STATUS, Response

if TYPE_CHECKING:
    from strap_http.pipeline.follow import Exchange

NOTE = "As a browser draws it."
CUT = "Only the first part of what the browser shows is rendered."
RESTLESS = "It had not come to rest when it was read: more may have come later."
VEILED = "Most of it is transparent or hidden: the page has it, and shows it to nobody yet."
OWN_FIELDS = ("accept", "user-agent")
"""Fields that each request has without its caller."""


async def drawn(request: Request, exchange: "Exchange", ctx: Context[Any]) -> Response:
    """Return a page as a browser draws it; raises `UsageError` and what `browser.navigate` does."""
    if request.method != "GET" or any(name not in OWN_FIELDS for name, _ in request.fields):
        raise UsageError(
            "value=rendered opens the page in a browser: it goes with GET and without headers.",
            hint="Leave method, headers and body out, or value.",
        )
    ctx.check(resource="browser", action="navigate", url=request.url)
    await exchange.check(request.url)
    result = await ctx.web(
        resource="browser", action="render", url=request.url, timeout=ctx.call.params.timeout
    )
    return await asyncio.to_thread(_response, result.data)


def _response(page: dict[str, Any]) -> Response:
    import httpx2

    restless = "" if page["rests"] else RESTLESS
    veiled = VEILED if page["veiled"] else ""
    seen = f"All that it shows is {page['seen']!r}." if page["seen"] else ""
    notes = (NOTE, CUT if page["cut"] else "", veiled, seen, restless)
    return Response(
        status=page["status"] or NO_STATUS,
        url=page["url"],
        headers=httpx2.Headers({"content-type": "text/html; charset=utf-8"}),
        body=page["html"].encode("utf-8", "replace"),
        notes=tuple(filter(None, notes)),
    )
