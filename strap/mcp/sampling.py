"""MCP sampling: asking the client's own model, where the client offers it.

It is deprecated from protocol 2026-07-28 on: a model that is configured lasts longer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ImageContent,
    SamplingMessage,
    TextContent,
)
from pydantic import ValidationError

from strap.api.calls import Sample
from strap.errors import ActionError
from strap.mcp.asking import Ask
from strap.text import replace_surrogates

REJECTED = -1
"""The code with which a client says that its user does not want it (MCP, sampling)."""
MAX_TOKENS = 16_384
"""Room for a long answer of an agent: what is cut is no JSON any more."""


def sampler(ctx: ServerRequestContext[Any, Any], ask: Ask | None) -> Sample | None:
    """Return what asks the model of the client behind `ctx`, None if it offers none."""
    capabilities = ctx.session.client_capabilities
    offered = capabilities is not None and capabilities.sampling is not None
    if not offered or ask is None:
        return None

    async def sample(system: str, turns: Sequence[Mapping[str, Any]]) -> str:
        params = CreateMessageRequestParams(
            messages=[message for turn in turns for message in _messages(turn)],
            system_prompt=replace_surrogates(system),
            max_tokens=MAX_TOKENS,
        )
        try:
            answer = await ask(CreateMessageRequest(params=params), CreateMessageResult)
        except (MCPError, ValidationError) as error:
            rejected = isinstance(error, MCPError) and error.code == REJECTED
            raise ActionError(
                f"The client's model gave no answer: {error}",
                code="sampling_rejected" if rejected else "sampling",
            ) from None
        if not isinstance(answer.content, TextContent):
            raise ActionError("The client's model answered with something else than text.")
        return answer.content.text

    return sample


def _messages(turn: Mapping[str, Any]) -> list[SamplingMessage]:
    """One message for each part: a message of the protocols in question has one content."""
    return [SamplingMessage(role=turn["role"], content=_content(part)) for part in turn["parts"]]


def _content(part: Mapping[str, Any]) -> TextContent | ImageContent:
    if part["type"] == "image":
        return ImageContent(type="image", data=part["data"], mime_type=part["mime"])
    return TextContent(type="text", text=replace_surrogates(part["text"]))
