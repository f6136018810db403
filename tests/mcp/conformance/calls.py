"""The tools that the conformance suite calls, by name: schema of the arguments and function."""

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import AudioContent, CallToolResult

from .parts import (
    SILENCE,
    embedded,
    form,
    image,
    needed,
    result,
    roots,
    sampling,
    text,
)

SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


async def simple_text(ctx, params):
    return result(text("This is a simple text response for testing."))


async def image_content(ctx, params):
    return result(image())


async def audio_content(ctx, params):
    return result(AudioContent(type="audio", data=SILENCE, mime_type="audio/wav"))


async def embedded_resource(ctx, params):
    words = "This is an embedded resource content."
    return result(embedded("test://embedded-resource", "text/plain", words))


async def multiple_content_types(ctx, params):
    data = embedded(
        "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
    )
    return result(text("Multiple content types test:"), image(), data)


async def tool_with_logging(ctx, params):
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await anyio.sleep(0.05)
    return result(text("logged"))


async def tool_with_progress(ctx, params):
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return result(text("progressed"))


async def error_handling(ctx, params):
    words = "This tool intentionally returns an error for testing"
    return CallToolResult(content=[text(words)], is_error=True)


async def ask_model(ctx, params):
    request = sampling(params.arguments["prompt"], 100).params
    answer = await ctx.session.create_message(
        request.messages, max_tokens=100, related_request_id=ctx.request_id
    )
    return result(text(f"LLM response: {answer.content.text}"))


async def _elicit(ctx, request):
    question = request.params
    answer = await ctx.session.elicit_form(
        question.message, question.requested_schema, related_request_id=ctx.request_id
    )
    return result(text(f"User response: action={answer.action}, content={answer.content}"))


async def elicitation(ctx, params):
    return await _elicit(ctx, form(params.arguments["message"], username="string", email="string"))


async def defaults(ctx, params):
    question = form(
        "Please give your data",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return await _elicit(ctx, question)


async def enums(ctx, params):
    plain = {"type": "string", "enum": ["option1", "option2", "option3"]}
    titled = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
    names = ["Option One", "Option Two", "Option Three"]
    question = form(
        "Please choose",
        untitledSingle=plain,
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names},
        untitledMulti={"type": "array", "items": plain},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return await _elicit(ctx, question)


async def reconnection(ctx, params):
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await anyio.sleep(0.1)
    return result(text("Reconnection test completed"))


async def missing_capability(ctx, params):
    data = {"requiredCapabilities": {"sampling": {}}}
    raise MCPError(-32021, "The client must be able to sample", data)


async def streaming_elicitation(ctx, params):
    await ctx.session.report_progress(1, 2)
    return needed(name=form("What is your name?", name="string"))


async def ask_name(ctx, params):
    answer = (params.input_responses or {}).get("user_name")
    if getattr(answer, "content", None) is None:
        return needed(user_name=form("What is your name?", name="string"))
    return result(text(f"Hello, {answer.content['name']}!"))


async def ask_capital(ctx, params):
    answer = (params.input_responses or {}).get("capital_question")
    if answer is None:
        return needed(capital_question=sampling("What is the capital of France?", 100))
    return result(text(f"The model says {answer.content.text}"))


async def ask_roots(ctx, params):
    answer = (params.input_responses or {}).get("client_roots")
    if answer is None:
        return needed(client_roots=roots())
    return result(text(f"Roots: {', '.join(str(root.uri) for root in answer.roots)}"))


async def keep_state(ctx, params):
    if params.request_state == "kept" and params.input_responses:
        return result(text("state-ok"))
    return needed("kept", confirm=form("Please confirm", ok="boolean"))


async def ask_all(ctx, params):
    wanted = {
        "user_name": form("What is your name?", name="string"),
        "greeting": sampling("Generate a greeting", 50),
        "client_roots": roots(),
    }
    if wanted.keys() <= (params.input_responses or {}).keys():
        return result(text("all there"))
    return needed("all", **wanted)


async def ask_twice(ctx, params):
    given = params.input_responses or {}
    if params.request_state == "two" and "step2" in given:
        return result(text("done"))
    if params.request_state == "one" and "step1" in given:
        return needed("two", step2=form("Step 2: What is your favorite color?", color="string"))
    return needed("one", step1=form("Step 1: What is your name?", name="string"))


async def ask_what_is_possible(ctx, params):
    able = ctx.session.client_capabilities
    possible = {
        "name": (able and able.elicitation, form("What is your name?", name="string")),
        "greeting": (able and able.sampling, sampling("Generate a greeting", 50)),
        "client_roots": (able and able.roots, roots()),
    }
    return needed(**{key: request for key, (can, request) in possible.items() if can})


def _takes(**properties):
    return {"type": "object", "properties": properties}


NOTHING = _takes()
STRING = {"type": "string"}
TOOLS = {
    "test_simple_text": (NOTHING, simple_text),
    "test_image_content": (NOTHING, image_content),
    "test_audio_content": (NOTHING, audio_content),
    "test_embedded_resource": (NOTHING, embedded_resource),
    "test_multiple_content_types": (NOTHING, multiple_content_types),
    "test_tool_with_logging": (NOTHING, tool_with_logging),
    "test_logging_tool": (NOTHING, tool_with_logging),
    "test_tool_with_progress": (NOTHING, tool_with_progress),
    "test_error_handling": (NOTHING, error_handling),
    "test_sampling": (_takes(prompt=STRING), ask_model),
    "test_elicitation": (_takes(message=STRING), elicitation),
    "test_elicitation_sep1034_defaults": (NOTHING, defaults),
    "test_elicitation_sep1330_enums": (NOTHING, enums),
    "test_reconnection": (NOTHING, reconnection),
    "json_schema_2020_12_tool": (SCHEMA_2020, simple_text),
    "test_x_mcp_header": (_takes(region={**STRING, "x-mcp-header": "Region"}), simple_text),
    "test_missing_capability": (NOTHING, missing_capability),
    "test_streaming_elicitation": (NOTHING, streaming_elicitation),
    "test_input_required_result_elicitation": (NOTHING, ask_name),
    "test_input_required_result_sampling": (NOTHING, ask_capital),
    "test_input_required_result_list_roots": (NOTHING, ask_roots),
    "test_input_required_result_request_state": (NOTHING, keep_state),
    "test_input_required_result_tampered_state": (NOTHING, keep_state),
    "test_input_required_result_multiple_inputs": (NOTHING, ask_all),
    "test_input_required_result_multi_round": (NOTHING, ask_twice),
    "test_input_required_result_capabilities": (NOTHING, ask_what_is_possible),
}
