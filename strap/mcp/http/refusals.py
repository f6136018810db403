"""Errors of HTTP as clients of MCP understand them."""

from starlette.responses import JSONResponse, Response

RETRY = {"retry-after": "30"}
"""Seconds after which a client may ask again what is refused for now."""


def refusal(message: str, status: int, headers: dict[str, str] | None = None) -> Response:
    """Return an error of JSON-RPC that belongs to no request."""
    error = {"code": -32600 if status < 500 else -32603, "message": message}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status_code=status, headers=headers)
