"""The tool as function definitions, and their dispatch."""

import json

import pytest

from strap import Image, Result, Toolchain, UsageError, testing
from strap.toolchain import anthropic_content

from . import sample

pytestmark = pytest.mark.anyio


@pytest.fixture
async def tools(tmp_path):
    async with testing.router(sample, home=tmp_path) as web:
        yield Toolchain(web.router)


async def test_openai(tools):
    tool = tools.openai()
    assert tool["type"] == "function"
    assert tool["function"]["name"] == "web"
    assert tool["function"]["parameters"]["properties"]["times"] == {"type": "integer"}


async def test_responses(tools):
    tool = tools.responses()
    assert set(tool) == {"type", "strict", "name", "description", "parameters"}
    assert (tool["type"], tool["strict"], tool["name"]) == ("function", False, "web")
    assert tool["parameters"] == tools.openai()["function"]["parameters"]


async def test_anthropic(tools):
    tool = tools.anthropic()
    assert set(tool) == {"name", "description", "input_schema"}
    assert tool["input_schema"]["type"] == "object"


async def test_gemini_has_no_additional_properties(tools):
    tool = tools.gemini()
    assert "additionalProperties" not in json.dumps(tool)
    assert tool["parameters"]["properties"]["headers"]["type"] == "string"
    assert tool["parameters"]["properties"]["tags"] == {
        "type": "array",
        "items": {"type": "string"},
    }


async def test_an_unknown_format(tools):
    with pytest.raises(UsageError, match=r"Unknown format: 'yaml' \(valid: mcp, openai"):
        tools.definition("yaml")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ('{"resource": "sample", "action": "greet", "name": "Ada"}', "hello Ada"),
        ({"resource": "sample", "action": "greet", "name": "Ada"}, "hello Ada"),
        ('{"resource": "sample", "action": "fail"}', "The sample failed. Call greet."),
        ('{"resource": ', "The arguments are not valid JSON: "),
        ("[]", "The arguments must be an object with 'resource' and 'action'."),
        ("", "No resource and action given"),
    ],
)
async def test_dispatch_always_answers(tools, arguments, text):
    assert (await tools.dispatch("web", arguments)).startswith(text)


async def test_dispatch_of_another_tool(tools):
    assert await tools.dispatch("shell", "{}") == "Unknown tool: 'shell' (valid: web)."


async def test_pictures_for_anthropic():
    content = anthropic_content(Result(text="a page", images=(Image(data=b"abc"),)))
    assert content[0] == {"type": "text", "text": "a page"}
    assert content[1]["source"] == {"type": "base64", "media_type": "image/jpeg", "data": "YWJj"}


async def test_arguments_that_never_end(tmp_path):
    async with testing.router(home=tmp_path) as web:
        text = await Toolchain(web.router).dispatch("web", "[" * 100_000)
    assert text == "The arguments are nested too deeply."
