"""The work of `http.fetch`: send, then render, save or describe what came."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from strap import DEFAULT_MAX_TOKENS, ActionError, Context, Outputs, Result, UsageError
from strap_http.document import answer
from strap_http.document.document_cache import Document
from strap_http.document.find import HeldDocument, find
from strap_http.document.media_types import kind_of
from strap_http.document.present import described, present
from strap_http.message.cookies import CallerCookies
from strap_http.message.request import Request, build
from strap_http.message.response import Response
from strap_http.pipeline.follow import Exchange
from strap_http.state import HttpState

if TYPE_CHECKING:
    from strap_http.resource import Fetch

SHARE = 0.9
"""Part of the time limit that the exchange gets: it can say more than the router's limit."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


async def run(params: "Fetch", ctx: Context[HttpState], *, seconds: float) -> Result:
    """Answer one call of `http.fetch`; raises `StrapError`."""
    state = ctx.state
    request = build(
        params.method,
        params.url,
        params.headers,
        params.body,
        user_agent=state.settings.user_agent,
    )
    path = _output(params, request, ctx.outputs)
    key = _caller(ctx) or ctx.caller.principal, request, params.value
    document = state.documents.get(key) if params.start else None
    response = None
    if document is None:
        _refuse_repetition(params, request)
        response = await _sent(request, ctx, seconds * SHARE)
        if path is not None:
            return await _save(response, path, ctx.outputs)
        document = await present(request.method, response, state.workers, params.value)
    max_tokens = ctx.max_tokens or DEFAULT_MAX_TOKENS
    if params.text is not None:
        held = HeldDocument(key=key, document=document, response=response)
        searched, text, next_start = await find(held, params.text, params.start, max_tokens, state)
        return Result(text=text, data=_data(searched, next_start))
    text, next_start = answer.part(document, params.start, max_tokens)
    if next_start is not None:
        state.documents.put(key, document)
    return Result(text=text, data=_data(document, next_start))


async def _sent(request: Request, ctx: Context[HttpState], seconds: float) -> Response:
    """Send `request`, with the caller's cookies where they are kept."""
    jars, caller = ctx.state.jars, _caller(ctx)
    jar = CallerCookies() if jars is None or caller is None else jars.get(caller)
    principal = ctx.caller.principal
    exchange = Exchange(guard=ctx.guard, state=ctx.state, principal=principal, jar=jar)
    response = await exchange.run(request, seconds=seconds)
    if jars is not None and caller is None and len(jar):
        jars.put(ctx.caller_key, jar)  # the answer names the handle that they are kept under
    return response


def _output(params: "Fetch", request: Request, outputs: Outputs) -> Path | None:
    if params.text is not None and not params.text.strip():
        raise UsageError("text is empty.", hint="Give the words to find.")
    if params.output is None:
        return None
    if params.start or params.text is not None or request.method == "HEAD":
        raise UsageError("output saves a whole body: it goes neither with start, text nor HEAD.")
    return outputs.resolve(params.output)


def _caller(ctx: Context[HttpState]) -> str | None:
    """Whose documents and cookies these are; None where neither session nor handle is named."""
    named = ctx.caller.session or ctx.call.params.session
    return ctx.caller_key if named else None


def _refuse_repetition(params: "Fetch", request: Request) -> None:
    if params.start and request.method not in SAFE_METHODS:
        raise ActionError(
            f"The answer to that {request.method} is no longer held, and it is not sent again.",
            hint="Repeat the call without start if sending it again is right.",
            code="gone",
        )


async def _save(response: Response, path: Path, outputs: Outputs) -> Result:
    await asyncio.to_thread(outputs.write, path, response.body)
    _, media_type = kind_of(response.media_type, response.body)
    document = described(response, media_type, "")
    text = f"{document.head}\nSaved to {path} ({len(response.body):,} bytes)."
    return Result(text=text, data=_data(document, None) | {"path": str(path)})


def _data(document: Document, next_start: int | None) -> dict[str, object]:
    return {
        "status": document.status,
        "url": document.url,
        "media_type": document.media_type,
        "size": document.size,
        "characters": len(document.text),
        "next_start": next_start,
    }
