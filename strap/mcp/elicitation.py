"""MCP elicitation: asking the person before the client, where the client offers it."""

from typing import Any
from uuid import uuid4

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
)
from pydantic import ValidationError

from strap.api.questions import Confirm, Invite, Question
from strap.errors import ActionError
from strap.mcp.asking import Ask
from strap.text import replace_surrogates

NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}
"""The form: whoever accepts it says yes."""
ONE_FIELD: dict[str, Any] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "Answer, if you need no browser for it"}},
}
WHEN_DONE = """An agent asks: {text}

Open {url} (it works once), press "Take control", and "Hand back" afterwards.
Accept when it is done."""


def confirmer(ctx: ServerRequestContext[Any, Any], ask: Ask | None) -> Confirm | None:
    """Return what asks the person before the client behind `ctx`, None if it offers no form."""
    offered = _offered(ctx)
    if offered is None or ask is None or not _has_forms(offered):
        return None

    async def confirm(question: Question) -> bool:
        return await _accepted(ask, _form(question.text))

    return confirm


def inviter(ctx: ServerRequestContext[Any, Any], ask: Ask | None) -> Invite | None:
    """Return what shows a link to the person before the client, None if it offers nothing.

    By URL mode where the client has it: who accepts goes there. Else by a form, which is accepted
    when it is done.
    """
    offered = _offered(ctx)
    if offered is None or ask is None:
        return None

    async def invite(text: str, url: str) -> bool | str | None:
        if offered.url is None:
            return await _done(ask, text, url)
        message = replace_surrogates(text)
        link = ElicitRequestURLParams(message=message, url=url, elicitation_id=str(uuid4()))
        return None if await _accepted(ask, link) else False

    return invite


async def _done(ask: Ask, text: str, url: str) -> bool | str:
    """Return whether it is done, or the answer to a question."""
    form = _form(WHEN_DONE.format(text=text, url=url))
    if not text.rstrip().endswith("?"):
        return await _accepted(ask, form)
    form.requested_schema = ONE_FIELD
    answer = await _answer(ask, form)
    words = (answer.content or {}).get("answer")
    if answer.action == "accept" and isinstance(words, str) and words.strip():
        return words
    return answer.action == "accept"


def _offered(ctx: ServerRequestContext[Any, Any]) -> ElicitationCapability | None:
    capabilities = ctx.session.client_capabilities
    return capabilities.elicitation if capabilities is not None else None


def _has_forms(offered: ElicitationCapability) -> bool:
    """Whether a client takes forms: one that declares neither kind knows of them alone."""
    return offered.form is not None or offered.url is None


def _form(text: str) -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=replace_surrogates(text), requested_schema=NO_FIELDS)


async def _accepted(ask: Ask, params: ElicitRequestFormParams | ElicitRequestURLParams) -> bool:
    return (await _answer(ask, params)).action == "accept"


async def _answer(
    ask: Ask, params: ElicitRequestFormParams | ElicitRequestURLParams
) -> ElicitResult:
    try:
        return await ask(ElicitRequest(params=params), ElicitResult)
    except (MCPError, ValidationError) as error:
        raise ActionError(f"The client did not ask: {error}", code="elicitation") from None
