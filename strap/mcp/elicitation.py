"""MCP elicitation: asking the person before the client, where the client offers it."""

from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from pydantic import ValidationError

from strap.api.questions import Confirm, Question
from strap.errors import ActionError
from strap.mcp.asking import Ask
from strap.text import replace_surrogates

NO_FIELDS: dict[str, Any] = {"type": "object", "properties": {}}
"""The form: whoever accepts it says yes."""


def confirmer(ctx: ServerRequestContext[Any, Any], ask: Ask | None) -> Confirm | None:
    """Return what asks the person before the client behind `ctx`, None if it offers no form."""
    capabilities = ctx.session.client_capabilities
    offered = capabilities.elicitation if capabilities is not None else None
    if offered is None or ask is None:
        return None
    if offered.form is None and offered.url is not None:
        return None  # neither is what clients declare that know of forms alone

    async def confirm(question: Question) -> bool:
        text = replace_surrogates(question.text)
        form = ElicitRequestFormParams(message=text, requested_schema=NO_FIELDS)
        try:
            answer = await ask(ElicitRequest(params=form), ElicitResult)
        except (MCPError, ValidationError) as error:
            raise ActionError(f"The client did not ask: {error}", code="elicitation") from None
        return answer.action == "accept"

    return confirm
