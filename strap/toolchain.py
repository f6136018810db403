"""The tool as function definitions for OpenAI, Anthropic and Gemini, with one dispatch function."""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any

from strap.api.calls import Caller
from strap.api.results import Result
from strap.errors import UsageError
from strap.routing.router import Router
from strap.routing.tool_schema import tool_definition
from strap.text import short_repr

_GEMINI_KEYS = ("type", "enum", "items", "properties", "required", "description")


class Toolchain:
    """Definitions of the `web` tool in other formats, and `dispatch` for the calls they bring.

    async with strap.open_router() as web:
        tools = strap.Toolchain(web)
        response = client.chat.completions.create(tools=[tools.openai()], …)
        answer = await tools.dispatch(call.function.name, call.function.arguments)
    """

    def __init__(self, router: Router, caller: Caller | None = None) -> None:
        self.router = router
        self.caller = caller or router.caller

    def definition(self, style: str) -> dict[str, Any]:
        """Return the definition in a style of `FORMATS`; raises `UsageError` for another."""
        if style not in FORMATS:
            raise UsageError(f"Unknown format: {style!r} (valid: {', '.join(FORMATS)}).")
        return FORMATS[style](tool_definition(self.router.catalog))

    def openai(self) -> dict[str, Any]:
        """A tool of OpenAI's Chat Completions and compatible interfaces."""
        return self.definition("openai")

    def responses(self) -> dict[str, Any]:
        """A tool of OpenAI's Responses interface."""
        return self.definition("openai-responses")

    def anthropic(self) -> dict[str, Any]:
        """A tool of Anthropic's Messages interface."""
        return self.definition("anthropic")

    def gemini(self) -> dict[str, Any]:
        """A function declaration of Google's Gemini interface."""
        return self.definition("gemini")

    async def dispatch(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Run a call as a model sent it and return the text for the tool message.

        `arguments` may be the JSON text that OpenAI sends or an object. Never raises for what the
        model did wrong: the text then says what to do. Pictures are left out; see `run`.
        """
        return (await self.run(name, arguments)).text

    async def run(self, name: str, arguments: str | Mapping[str, Any]) -> Result:
        """Like `dispatch`, but returns the whole `Result` with its pictures."""
        if name != "web":
            return Result(text=f"Unknown tool: {short_repr(name)} (valid: web).", is_error=True)
        try:
            fields = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        except ValueError as error:
            return Result(text=f"The arguments are not valid JSON: {error}.", is_error=True)
        except RecursionError:
            return Result(text="The arguments are nested too deeply.", is_error=True)
        result, _ = await self.router.answer(fields, caller=self.caller)
        return result


def anthropic_content(result: Result) -> list[dict[str, Any]]:
    """Render a result as the content of an Anthropic `tool_result` block, pictures included."""
    content: list[dict[str, Any]] = [{"type": "text", "text": result.text}] if result.text else []
    for image in result.images:
        data = base64.b64encode(image.data).decode()
        source = {"type": "base64", "media_type": image.mime, "data": data}
        content.append({"type": "image", "source": source})
    return content


def _mcp(tool: dict[str, Any]) -> dict[str, Any]:
    return tool


def _openai(tool: dict[str, Any]) -> dict[str, Any]:
    function = {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["inputSchema"],
    }
    return {"type": "function", "function": function}


def _responses(tool: dict[str, Any]) -> dict[str, Any]:
    # Strict would be assumed there, and wants every field given in every call.
    return {"type": "function", "strict": False, **_openai(tool)["function"]}


def _anthropic(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "input_schema": tool["inputSchema"],
    }


def _gemini(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": _gemini_schema(tool["inputSchema"]),
    }


def _gemini_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the subset that Gemini takes; a map becomes a JSON string."""
    if schema.get("type") == "object" and "properties" not in schema:
        return {"type": "string", "description": "a JSON object of strings"}
    result = {key: schema[key] for key in _GEMINI_KEYS if key in schema}
    if "properties" in result:
        result["properties"] = {k: _gemini_schema(v) for k, v in result["properties"].items()}
    if "items" in result:
        result["items"] = _gemini_schema(result["items"])
    return result


FORMATS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "mcp": _mcp,
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
