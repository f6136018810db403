"""Parts of the conformance suite's fixtures; the suite fixes their form."""

from mcp_types import (
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
"""A red PNG of one pixel, base64."""
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
"""A WAV file of one sample, base64."""


def text(words):
    return TextContent(type="text", text=words)


def image():
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri, mime, words):
    contents = TextResourceContents(uri=uri, mime_type=mime, text=words)
    return EmbeddedResource(type="resource", resource=contents)


def result(*content):
    return CallToolResult(content=list(content))


def form(message, **fields):
    """A question to the user: each field is a JSON type, or a whole schema."""
    properties = {k: v if isinstance(v, dict) else {"type": v} for k, v in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def sampling(words, limit):
    message = SamplingMessage(role="user", content=text(words))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=limit)
    )


def roots():
    return ListRootsRequest()


def needed(state=None, **requests):
    """The result that asks the client before the request is repeated."""
    return InputRequiredResult(input_requests=requests, request_state=state)
