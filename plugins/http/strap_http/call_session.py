"""Sending the requests of one call, on behalf of its caller."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from strap import Context

if TYPE_CHECKING:
    from strap_http.document.source import Send
    from strap_http.message.cookies import CallerCookies
    from strap_http.message.request import Request
    from strap_http.message.response import Response
    from strap_http.pipeline.client import HttpClient
    from strap_http.pipeline.follow import Exchange
    from strap_http.sites.visits import Visitor
    from strap_http.state import HttpState

SHARE = 0.9
"""Part of the time limit that requests get: they can say more than the router's limit."""


def named_caller(ctx: "Context[HttpState]") -> str | None:
    """Return the key of the caller's documents and cookies; None without a session or handle."""
    named = ctx.caller.session or ctx.call.params.session
    return ctx.caller_key if named else None


def sender(ctx: "Context[HttpState]", client: "HttpClient | None" = None) -> "Send":
    """Return the sender of one call's requests, with the caller's cookies where they are kept."""
    from strap_http.message.cookies import CallerCookies

    jars, caller = ctx.state.jars, named_caller(ctx)
    jar = CallerCookies() if jars is None or caller is None else jars.get(caller)
    exchange = partial(_exchange, ctx, client or ctx.state.client, jar)

    async def send(request: "Request", *, seconds: float) -> "Response":
        response = await exchange().run(request, seconds=seconds)
        ctx.flow.read(request.url, response.url)
        if any(map(ctx.config.secrets.named, (value for _, value in request.fields))):
            ctx.flow.credential(response.url)
        if jars is not None and caller is None and len(jar):
            jars.put(ctx.caller_key, jar)  # the answer names the handle that they are kept under
        return response

    return send


async def drawn(request: "Request", ctx: "Context[HttpState]") -> "Response":
    """Return the page that a browser shows for `request`, where robots may fetch it."""
    from strap_http.document import rendered
    from strap_http.message.cookies import CallerCookies

    return await rendered.drawn(request, _exchange(ctx, ctx.state.client, CallerCookies()), ctx)


def visitor(ctx: "Context[HttpState]", *, seconds: float) -> "Visitor":
    """Return the visitor of a site for this call, for `seconds`; it obeys robots.txt."""
    from strap_http.message.cookies import CallerCookies
    from strap_http.sites.visits import Visitor

    state, deadline = ctx.state, asyncio.get_running_loop().time() + seconds
    client = state.crawler
    return Visitor(
        send=sender(ctx, client),
        robots=lambda url: _exchange(ctx, client, CallerCookies()).robots(url),
        readers=state.readers,
        paces=state.paces,
        agent=client.settings.user_agent,
        deadline=deadline,
    )


def _exchange(ctx: "Context[HttpState]", client: "HttpClient", jar: "CallerCookies") -> "Exchange":
    from strap_http.document.render import prepare
    from strap_http.pipeline.follow import Exchange

    started = partial(prepare, workers=ctx.state.readers.workers)
    principal = ctx.caller.principal
    return Exchange(guard=ctx.guard, client=client, principal=principal, jar=jar, heard=started)
