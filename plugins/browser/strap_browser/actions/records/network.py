"""Requests of the page."""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, PolicyDenied, Result, Secrets, UsageError, action, cut
from strap.evidence.redaction import header_value, without_secrets
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.records.listing import NOTE_TOKENS, listed
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import FAIR, clip
from strap_browser.proxy.control import may_be_refused

if TYPE_CHECKING:
    from strap_browser.engine.traffic.requests import Request, Response
    from strap_browser.interaction.response import ResponseBuilder
    from strap_browser.pages.page_log import LoggedRequest
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab

URL = 300
BODY_LIMIT = 2.0
TEXTUAL = ("text/", "json", "javascript", "xml", "x-www-form-urlencoded", "graphql")


class Network(BrowserParams):
    """Fields of `network`."""

    limit: int = Field(default=20, ge=1, le=300)
    """Number of requests, the last ones."""
    text: str | None = Field(default=None, max_length=1_000)
    """Only requests whose line contains this: a part of the URL, a type, a status."""
    ref: str | None = Field(default=None, max_length=40)
    """One request, such as r12: its headers and bodies."""
    output: str | None = Field(default=None, max_length=1_000)
    """With ref: the file in the output folder that takes the body of the answer as it came."""
    start: int = Field(default=0, ge=0)
    """With ref: character of the answer's body to begin at, as the last answer said."""


@action("browser", effect="read", asks_person=True)
async def network(params: Network, ctx: "Context[BrowserRegistry]") -> Result:
    """List the page's requests, or with `ref` show one with headers and bodies.

    A line is ref, method, status, type, URL and time; of a WebSocket also how many messages, which
    `ref` shows. Never waits for the page. The last 300 are kept; credentials are masked. A long
    body is read on with `start`; `output` saves it, with no value of a secret.
    """
    if (params.start or params.output) and not params.ref:
        raise UsageError("start and output go with ref: they are about one body.")
    async with interaction.peek_page(ctx) as tab:
        await _explain(tab)
        if not params.ref:
            lines = [_exchange(exchange, tab) for exchange in tab.records.exchanges]
            data = [_as_data(exchange, tab.secrets) for exchange in tab.records.exchanges]
            return listed(lines, params.limit, params.text, "requests", ctx, data)
        exchange = tab.records.find(params.ref.strip())
        if exchange is None:
            raise ActionError(
                f"There is no request {params.ref!r}.",
                hint="`network` without ref lists them: r1, r2, ….",
                code="unknown_ref",
            )
        answer = interaction.response_for(ctx)
        if params.output:
            answer.add(await _save(exchange, tab, params.output, ctx))
        else:
            await _describe(answer, exchange, tab, params.start)
        return Result(text="\n".join(answer.lines))


async def _explain(tab: "Tab") -> None:
    """Put the reasons in place of what the browser makes of connections that its proxy refused."""
    gate = tab.connection.endpoint.gate
    if gate is None:
        return
    for exchange in filter(lambda known: may_be_refused(known.failure), tab.records.exchanges):
        error = await gate.explain(exchange.request.url)
        if isinstance(error, PolicyDenied):
            exchange.failure = f"REFUSED_BY_STRAP ({error.code})"
        elif error is not None:
            exchange.failure = f"ERR_{error.code.upper()}"


def _as_data(exchange: "LoggedRequest", secrets: Secrets) -> dict[str, object]:
    request = exchange.request
    return {
        "ref": exchange.ref,
        "method": request.method,
        "url": without_secrets(secrets.hide(request.url)),
        "type": request.resource_type.lower(),
        "status": exchange.status,
        "failure": exchange.failure or None,
    }


def _exchange(exchange: "LoggedRequest", tab: "Tab") -> str:
    request = exchange.request
    took = ((exchange.ended or monotonic()) - exchange.began) * 1000
    state = exchange.outcome or "…"
    url = without_secrets(clip(tab.secrets.hide(request.url), URL))
    kind = request.resource_type.lower()
    many = exchange.sent + exchange.received
    messages = f", {exchange.sent:,} sent, {exchange.received:,} received" if many else ""
    mocked = ", mocked" if tab.session.conditions.mocks.has_answered(request.id) else ""
    return f"{exchange.ref} {request.method} {state} {kind} {url} {took:,.0f} ms{messages}{mocked}"


async def _save(
    exchange: "LoggedRequest", tab: "Tab", output: str, ctx: "Context[BrowserRegistry]"
) -> str:
    path, response = ctx.outputs.resolve(output), exchange.request.response
    body = await _content(response) if response is not None else None
    if body is None:
        raise ActionError(
            f"There is no body of {exchange.ref}: {exchange.outcome or 'no answer so far'}.",
            hint="The browser keeps bodies until the page goes on; `record` keeps all.",
            code="no_body",
        )
    hidden = await asyncio.to_thread(tab.secrets.hide_bytes, body)
    await asyncio.to_thread(ctx.outputs.write, path, hidden)
    masked = "" if hidden == body else " Values of secrets are masked in it."
    return f"Saved to {path} ({counted(len(hidden), 'byte')}).{masked}"


async def _describe(
    answer: "ResponseBuilder", exchange: "LoggedRequest", tab: "Tab", start: int
) -> None:
    answer.add(_exchange(exchange, tab))
    secrets = tab.secrets
    request = exchange.request
    response = request.response if exchange.status else None
    if start:
        body = await _body(response, secrets) if response is not None else ""
        if start >= len(body):
            raise UsageError(f"start={start:,} is beyond the body: {len(body):,} characters.")
        _add_text(answer, "Response body", body, share=1, start=start)
        return
    answer.add("Request headers:", *_headers(request.headers, secrets))
    if response is not None:
        headers = _headers(response.headers, secrets)
        answer.add(f"Response headers ({response.status_text}):", *headers)
    if messages := exchange.messages:
        arrows = (f"{'>' if message.is_sent else '<'} {message.text}" for message in messages)
        many = exchange.sent + exchange.received
        left = f", the last {len(messages)} of {many:,}" if many > len(messages) else ""
        _add_text(answer, f"Messages (> sent, < received{left})", "\n".join(arrows), share=1)
        return
    _add_text(answer, "Request body", await _body(request, secrets), share=2)
    if response is not None:
        _add_text(answer, "Response body", await _body(response, secrets), share=1, start=0)


def _headers(headers: dict[str, str], secrets: Secrets) -> list[str]:
    shown = ((name, clip(secrets.hide(value), URL)) for name, value in sorted(headers.items()))
    return [f"  {name}: {header_value(name, value)}" for name, value in shown]


async def _body(message: "Request | Response", secrets: Secrets) -> str:
    """Return a body as text without credentials."""
    body = await _content(message)
    if body is None:
        return "(not kept by the browser)"
    text = _decoded(body, message.headers.get("content-type", ""))
    return await asyncio.to_thread(lambda: without_secrets(secrets.hide(text)))


async def _content(message: "Request | Response") -> bytes | None:
    """Return the bytes of a body, None where the browser does not keep it."""
    try:
        async with asyncio.timeout(BODY_LIMIT):
            return await message.body()
    except (CdpError, TimeoutError):
        return None


def _decoded(body: bytes, kind: str) -> str:
    if body and not any(part in kind for part in TEXTUAL):
        return f"({counted(len(body), 'byte')} of {kind or 'unknown type'})"
    return body.decode("utf-8", "replace")


def _add_text(
    answer: "ResponseBuilder", title: str, text: str, *, share: int, start: int | None = None
) -> None:
    """Add a part of a text; with `start` the answer tells how to read on."""
    if not text:
        return
    head, rest = cut(text[start or 0 :], int(answer.left * FAIR) // share - NOTE_TOKENS)
    answer.add(f"{title}{f' from {start:,}' if start else ''}:", head)
    if rest:
        more = "raise max_tokens" if start is None else f"start={(start + len(head))}"
        answer.add(f"… {counted(len(rest), 'more character')}: {more}")
