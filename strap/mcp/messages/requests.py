"""Opening messages that the front may answer itself: only those of the plainest form.

The SDK validates every field; a request that is not recognised here as surely valid goes to the
SDK, which then refuses it in its own words or answers it a little later.
"""

from typing import Any

from strap.mcp.messages.strict_json import parse_json

PROTOCOL = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT = "io.modelcontextprotocol/clientInfo"
RESERVED = "io.modelcontextprotocol/"
TASKS = "io.modelcontextprotocol/tasks"
"""The extension of MCP by which a long call is answered with a task."""
MODERN = "2026-07-28"
"""The protocol version without a handshake: each request carries version and capabilities."""

_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})
_INFO = frozenset({"name", "version", "title", "description"})


def parse(line: bytes) -> dict[str, Any] | None:
    """Return the JSON-RPC request in `line`, None if it is anything else or malformed."""
    try:
        message = parse_json(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    if not message.keys() <= _MEMBERS:  # beside an error it would be an answer to the SDK
        return None
    number, method = message.get("id"), message.get("method")
    if isinstance(number, bool) or not isinstance(number, int | str):
        return None
    plain = isinstance(method, str) and isinstance(message.get("params", {}), dict | None)
    return message if plain else None


def meta(request: dict[str, Any]) -> dict[str, Any]:
    """Return the `_meta` of a request, empty if it has none or a malformed one."""
    fields = (request.get("params") or {}).get("_meta")
    return fields if isinstance(fields, dict) else {}


def is_modern(request: dict[str, Any]) -> bool:
    """Whether the request opens a connection without a handshake, as the SDK decides it."""
    return request["method"] != "initialize" and PROTOCOL in meta(request)


def plain_modern(request: dict[str, Any]) -> bool:
    """Whether the request has a valid 2026-07-28 envelope and no parameters beside it."""
    fields = meta(request)
    known = {PROTOCOL, CAPABILITIES, CLIENT}
    return (
        fields.get(PROTOCOL) == MODERN
        and _plain_capabilities(fields.get(CAPABILITIES))
        and (CLIENT not in fields or _plain_info(fields[CLIENT]))
        and all(key in known or not key.startswith(RESERVED) for key in fields)
        and _only_meta(request)
    )


def plain_legacy(request: dict[str, Any]) -> bool:
    """Whether the request has no parameters beside a valid `_meta` of the handshake protocols."""
    fields = meta(request)
    return _only_meta(request) and not any(key.startswith(RESERVED) for key in fields)


def plain_initialize(request: dict[str, Any]) -> bool:
    """Whether the request is a valid `initialize`."""
    params = request.get("params") or {}
    return (
        isinstance(params.get("protocolVersion"), str)
        and _plain_capabilities(params.get("capabilities"))
        and _plain_info(params.get("clientInfo"))
        and plain_legacy({**request, "params": {"_meta": params.get("_meta", {})}})
    )


def declares_tasks(request: dict[str, Any]) -> bool:
    """Whether the client takes a task as the answer to this request."""
    capabilities = meta(request).get(CAPABILITIES)
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    return isinstance(extensions, dict) and TASKS in extensions


def _only_meta(request: dict[str, Any]) -> bool:
    params = request.get("params") or {}
    fields = params.get("_meta", {})
    token = fields.get("progressToken", "") if isinstance(fields, dict) else None
    return (
        params.keys() <= {"_meta"} and isinstance(token, int | str) and not isinstance(token, bool)
    )


def _plain_capabilities(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(capability, dict)
        and all(
            isinstance(detail, bool if name == "roots" else dict) for detail in capability.values()
        )
        for name, capability in value.items()
    )


def _plain_info(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and {"name", "version"} <= value.keys() <= _INFO
        and all(isinstance(part, str) for part in value.values())
    )
