"""The action `http.extract`: rows out of a page, without a model."""

import asyncio
from typing import TYPE_CHECKING

from strap import (
    ActionError,
    Context,
    Result,
    RowFields,
    Rows,
    action,
    answer_rows,
    read_rows,
    rows_file,
)
from strap_http.call_session import SHARE, named_caller, sender

if TYPE_CHECKING:
    from strap_http.message.response import Response
    from strap_http.state import HttpState

TIMEOUT = 30.0


class Extract(RowFields):
    """The parameters of `http.extract`."""

    url: str
    """Absolute http or https URL of the page."""


@action("http", effect="write", timeout=TIMEOUT, acts_as=("fetch",))
async def extract(params: Extract, ctx: "Context[HttpState]") -> Result:
    """Take rows out of a page, without a model: by rules, or all that its records have in common.

    Without `selector` the records are what the page repeats: rows of a table, cards, results; the
    answer says where they are. It shows as many rows as fit, in CSV; `output` has all of them, in
    CSV or JSON Lines. Scripts are not run: what they draw, `browser.extract` finds.
    """
    path = rows_file(params, ctx.outputs)
    caller = named_caller(ctx) or ctx.caller.principal
    query = params.selector or "", params.value or "", params.schema_ or ""
    key = (caller, params.url, *query)
    rows = ctx.state.rows.get(key) if params.start and path is None else None
    if rows is None:
        rows = await _read(params, ctx)
        ctx.state.rows.put(key, rows)
    return await answer_rows(rows, params, ctx.outputs, ctx.max_tokens, path)


async def _read(params: Extract, ctx: "Context[HttpState]") -> Rows:
    from strap.documents.media_types import kind_of, text_of
    from strap_http.message.request import build

    agent = ctx.state.client.settings.user_agent
    request = build("GET", params.url, {}, None, user_agent=agent)
    seconds = SHARE * (params.timeout or TIMEOUT)
    response = await sender(ctx)(request, seconds=seconds)
    kind, media_type = kind_of(response.media_type, response.body)
    if kind != "html":
        raise _told_status(_no_page(response, media_type), response)
    content_type = response.headers.get("content-type", "")
    source = await asyncio.to_thread(text_of, kind, response.body, content_type)
    workers = ctx.state.readers.workers
    function = "strap_http.extraction.pages:read_rows"
    try:
        rows = await read_rows(source, response.url, params, workers, function=function)
    except ActionError as error:
        raise _told_status(error, response) from None
    return rows.noted(_noted(response))


def _noted(response: "Response") -> str:
    if response.status >= 400:
        return f"HTTP status {response.status}"
    return "" if response.complete else "Incomplete: it was left at the time or size limit."


def _told_status(error: ActionError, response: "Response") -> ActionError:
    if response.status < 400:
        return error
    return ActionError(
        f"HTTP status {response.status}. {error.message}", hint=error.hint, code=error.code
    )


def _no_page(response: "Response", media_type: str) -> ActionError:
    what = media_type or "of no type"
    hint = "Read it with http.fetch; for JSON, selector takes a JSONPath there."
    return ActionError(f"{response.url!r} is {what}, no page.", hint=hint, code="no_records")
