"""The action `http.fetch`: send, then render, save or describe what came."""

import asyncio
import json
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from strap import (
    DEFAULT_MAX_TOKENS,
    ActionError,
    Context,
    Outputs,
    Params,
    Result,
    StringList,
    StringMap,
    UsageError,
    action,
)
from strap.text import counted
from strap_http.call_session import SHARE, drawn, named_caller, sender

if TYPE_CHECKING:
    from strap import Workers
    from strap_http.document.document_cache import Document
    from strap_http.document.find import HeldDocument
    from strap_http.document.present import View
    from strap_http.message.request import Request
    from strap_http.message.response import Response
    from strap_http.state import HttpState

# What carries a call out is imported by the call: the action is declared in every process.

TIMEOUT = 30.0
MOST_URLS = 10
"""Addresses of one call: each has to have a share of the answer that says something."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def _as_json(value: Any) -> Any:
    """Take an object or array for a body: that is how some models write JSON."""
    if not isinstance(value, (dict, list)):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be written as JSON ({error})") from None


def _as_list(urls: Any) -> list[Any]:
    try:
        return TypeAdapter(StringList).validate_python(urls)
    except ValidationError:
        return []  # its own error says what it is


def _no_path(value: Any) -> Any:
    """Refuse a JSONPath as a view, and say where it goes."""
    if isinstance(value, str) and value.startswith("$"):
        raise ValueError(f"{value[:100]!r} is a JSONPath: it goes into selector")
    return value


class Fetch(Params):
    """The parameters of `http.fetch`."""

    url: str
    """Absolute http or https URL."""
    method: str = "GET"
    """GET, POST, PUT, DELETE, PATCH, HEAD or OPTIONS."""
    headers: StringMap = Field(default_factory=dict, max_length=64)
    """Header fields to send; `{{name}}` stands for a secret of the configuration."""
    body: Annotated[str | None, BeforeValidator(_as_json)] = None
    """Content to send; a JSON object or array is sent as application/json."""
    output: str | None = Field(default=None, min_length=1, max_length=1_024)
    """New file in the output folder that takes the body as it came, or as `*.har` the exchange."""
    start: int = Field(default=0, ge=0)
    """Character of the document to begin at, as the previous answer named it."""
    text: str | None = Field(default=None, min_length=1, max_length=1_024)
    """Words to find in the document: the passages that have them are shown."""
    value: Annotated[
        Literal["page", "raw", "meta", "outline", "links", "rendered"] | None,
        BeforeValidator(_no_path),
    ] = None
    """In place of the main part: the whole page, its source, metadata, headings, or links;
    `rendered`: the main part of what a browser shows, for a page that scripts draw."""
    selector: str | None = Field(default=None, min_length=1, max_length=1_024)
    """JSONPath of the values to return, as in $.items[*].name; value=outline lists paths."""
    urls: StringList = Field(default_factory=list, max_length=MOST_URLS)
    """Several addresses at once, in place of url or beside it; each has its share of the answer."""

    @model_validator(mode="before")
    @classmethod
    def _with_url(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not values.get("urls") or values.get("url") is not None:
            return values
        urls = _as_list(values["urls"])
        return {**values, "url": urls[0]} if urls else values


@action("http", effect="write", timeout=TIMEOUT, asks_person=True)
async def fetch(params: Fetch, ctx: "Context[HttpState]") -> Result:
    """Request a URL: the main part of a page, documents, feeds as Markdown, JSON and text as is.

    The first line of the answer is the status, type, final URL and size. Redirects are followed.
    With value=page a page comes with all around its main part, with value=raw as its source;
    value=meta tells its title, author, dates, OpenGraph and JSON-LD, value=links its links,
    value=outline the headings of the document, each with the `start` to read on from, or the paths
    of JSON, whose values `selector` shows. value=rendered opens a page in the browser first, in a
    context of its own without logins, for what scripts draw; headers are not sent then.
    A status of 400 or more is an answer like any other. A long document comes in parts: the end
    of each names the `start` of the next. With `text` it answers with the passages that have those
    words, each with the `start` to read on from. With `output` the body is saved unchanged; a
    file `*.har` takes request and answer, credentials masked. `urls` are fetched at the same time,
    two of a host, and each is answered for itself.
    """
    from strap_http.document.find import HeldDocument
    from strap_http.document.present import present
    from strap_http.message.request import build

    state, seconds = ctx.state, SHARE * (params.timeout or TIMEOUT)
    if params.urls:
        return await _several(params, ctx, seconds)
    agent = state.client.settings.user_agent
    request = build(params.method, params.url, params.headers, params.body, user_agent=agent)
    path = _output(params, request, ctx.outputs)
    view = None if params.value == "outline" else params.value
    key = named_caller(ctx) or ctx.caller.principal, request, view
    document = state.documents.get(key) if params.start else None
    response = None
    if document is None:
        _refuse_repetition(params, request)
        await ctx.consent.by_fields(request.url)
        began = time.time()
        response = await _sent(request, ctx, seconds, view if path is None else "raw")
        if path is not None:
            return await _save(request, response, began, path, ctx)
        document = await present(request.method, response, state.readers, view)
    source = None if view == "rendered" else response  # whose whole page is another document
    held = HeldDocument(key=key, document=document, response=source)
    return await _answered(held, params, ctx)


async def _sent(
    request: "Request", ctx: "Context[HttpState]", seconds: float, view: "View | None"
) -> "Response":
    if view == "rendered":
        return await drawn(request, ctx)
    send = sender(ctx)
    if view is None:
        from strap_http.document.source import read

        send = partial(read, send=send)
    return await send(request, seconds=seconds)


async def _several(params: Fetch, ctx: "Context[HttpState]", seconds: float) -> Result:
    from strap_http.fetch_many import fetch_several

    if params.start or params.output is not None or params.method.upper() not in SAFE_METHODS:
        raise UsageError(
            "urls goes neither with start, output nor a method that changes something.",
            hint="Give one of them as url.",
        )
    own = {"url", "urls", *Params.model_fields}
    fields = params.model_dump(exclude=own, exclude_unset=True)
    urls = list(dict.fromkeys((params.url, *params.urls)))
    ctx.consent.settle()  # each asks for itself
    return await fetch_several(urls, fields, ctx, seconds=seconds)


async def _answered(held: "HeldDocument", params: Fetch, ctx: "Context[HttpState]") -> Result:
    from strap.documents.content import part
    from strap_http.document.find import find

    ctx.consent.settle()  # what is held is sent for no more
    ctx.flow.read(params.url, held.document.url)
    documents, max_tokens = ctx.state.documents, ctx.max_tokens or DEFAULT_MAX_TOKENS
    if params.text is not None:
        searched, matches = await find(
            held, params.text, params.start, max_tokens, documents, ctx.state.readers
        )
        passages = [{"start": shown.start, "text": shown.text} for shown in matches.passages]
        data = _data(searched, matches.next_start) | {"passages": passages}
        return Result(text=matches.text, data=data)
    document = await _seen(held.document, params, ctx.state.readers.workers)
    text, next_start = part(document, params.start, max_tokens)
    if next_start is not None or document is not held.document:
        documents.put(held.key, held.document)
    return Result(text=text, data=_data(document, next_start))


async def _seen(document: "Document", params: Fetch, workers: "Workers") -> "Document":
    from strap.documents.media_types import is_json
    from strap_http.document import json_views
    from strap_http.document.outline import outline

    if params.selector is not None:
        return await json_views.selected(document, params.selector, workers)
    if params.value != "outline":
        return document
    if is_json(document.media_type):
        return await json_views.paths(document, workers)
    return outline(document)


def _output(params: Fetch, request: "Request", outputs: Outputs) -> Path | None:
    from strap.documents.passages import refuse_blank

    refuse_blank(params.text)
    if params.text is not None and params.value == "outline":
        raise UsageError(
            "text goes not with value=outline.", hint="Leave value out to find passages."
        )
    if params.selector is not None and (params.text or params.value or params.output):
        raise UsageError("selector goes neither with text, value nor output.")
    if params.output is None:
        return None
    if params.value == "rendered":
        raise UsageError("output saves a body as it came: it goes not with value=rendered.")
    if params.start or params.text is not None or request.method == "HEAD":
        raise UsageError("output saves a whole body: it goes neither with start, text nor HEAD.")
    path = outputs.resolve(params.output)
    outputs.refuse_taken(path)  # before anything is sent for it
    return path


def _refuse_repetition(params: Fetch, request: "Request") -> None:
    if params.start and request.method not in SAFE_METHODS:
        raise ActionError(
            f"The answer to that {request.method} is no longer held, and it is not sent again.",
            hint="Repeat the call without start if sending it again is right.",
            code="gone",
        )


async def _save(
    request: "Request", response: "Response", began: float, path: Path, ctx: "Context[HttpState]"
) -> Result:
    from strap.documents.media_types import kind_of
    from strap_http import exchange_file
    from strap_http.document.present import described

    content = response.body
    if path.suffix == exchange_file.SUFFIX:
        secrets = ctx.config.secrets
        content = await asyncio.to_thread(exchange_file.as_har, request, response, began, secrets)
    await asyncio.to_thread(ctx.outputs.write, path, content)
    _, media_type = kind_of(response.media_type, response.body)
    document = described(response, media_type, "")
    text = f"{document.head}\nSaved to {path} ({counted(len(content), 'byte')})."
    return Result(text=text, data=_data(document, None) | {"path": str(path)})


def _data(document: "Document", next_start: int | None) -> dict[str, object]:
    return {
        "status": document.status or None,
        "url": document.url,
        "media_type": document.media_type,
        "size": document.size,
        "characters": len(document.text),
        "next_start": next_start,
    }
