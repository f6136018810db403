"""The resources, prompts and completions that the conformance suite asks for."""

import json
import re

from mcp.shared.exceptions import MCPError
from mcp_types import (
    BlobResourceContents,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextResourceContents,
    UnsubscribeRequestParams,
)

from .parts import PIXEL, embedded, form, image, needed, text

RESOURCES = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", None),
    "test://watched-resource": ("text/plain", "Watched."),
}
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def list_resources(ctx, params):
    found = [
        Resource(uri=uri, name=uri, description="For the suite.", mime_type=mime)
        for uri, (mime, _) in RESOURCES.items()
    ]
    return ListResourcesResult(resources=found)


async def list_templates(ctx, params):
    template = ResourceTemplate(
        uri_template="test://template/{id}/data", name="data", description="For the suite."
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx, params):
    uri = str(params.uri)
    match = re.fullmatch(r"test://template/([^/]+)/data", uri)
    if match:
        data = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
        mime, words = "application/json", json.dumps(data)
    elif uri in RESOURCES:
        mime, words = RESOURCES[uri]
    else:
        raise MCPError(-32602, "Resource not found", {"uri": uri})
    if words is None:
        contents = BlobResourceContents(uri=uri, mime_type=mime, blob=PIXEL)
    else:
        contents = TextResourceContents(uri=uri, mime_type=mime, text=words)
    return ReadResourceResult(contents=[contents])


async def list_prompts(ctx, params):
    found = [
        Prompt(
            name=name,
            description="For the suite.",
            arguments=[PromptArgument(name=a, required=True) for a in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]
    return ListPromptsResult(prompts=found)


async def get_prompt(ctx, params):
    given = params.arguments or {}
    if params.name == "test_input_required_result_prompt":
        if not params.input_responses:
            question = form("What context should the prompt use?", context="string")
            return needed(user_context=question)
        content = [text("With context.")]
    elif params.name == "test_prompt_with_arguments":
        content = [text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")]
    elif params.name == "test_prompt_with_embedded_resource":
        words = "Embedded resource content for testing."
        document = embedded(given["resourceUri"], "text/plain", words)
        content = [document, text("Please process the embedded resource above.")]
    elif params.name == "test_prompt_with_image":
        content = [image(), text("Please analyze the image above.")]
    else:
        content = [text("This is a simple prompt for testing.")]
    return GetPromptResult(messages=[PromptMessage(role="user", content=c) for c in content])


async def complete(ctx, params):
    return CompleteResult(completion=Completion(values=["paris", "park"], total=2))


async def acknowledge(ctx, params):
    return EmptyResult()


HANDLERS = {
    "resources/list": (PaginatedRequestParams, list_resources),
    "resources/templates/list": (PaginatedRequestParams, list_templates),
    "resources/read": (ReadResourceRequestParams, read_resource),
    "resources/subscribe": (SubscribeRequestParams, acknowledge),
    "resources/unsubscribe": (UnsubscribeRequestParams, acknowledge),
    "prompts/list": (PaginatedRequestParams, list_prompts),
    "prompts/get": (GetPromptRequestParams, get_prompt),
    "completion/complete": (CompleteRequestParams, complete),
    "logging/setLevel": (SetLevelRequestParams, acknowledge),
}
