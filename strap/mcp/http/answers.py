"""Answers without MCP: refusals as its clients understand them, and those to probes."""

from starlette.responses import JSONResponse, PlainTextResponse, Response

RETRY = {"retry-after": "30"}
"""Seconds after which a client may ask again what is refused for now."""
HEALTH, READY = "/healthz", "/readyz"
PROBES = (HEALTH, READY)
"""Paths that orchestrators probe, without a token and by any host name."""


def refusal(message: str, status: int, headers: dict[str, str] | None = None) -> Response:
    """Return an error of JSON-RPC that belongs to no request."""
    error = {"code": -32600 if status < 500 else -32603, "message": message}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return JSONResponse(body, status_code=status, headers=headers)


def probed(path: str, *, ready: bool) -> Response:
    """Return the answer to one of `PROBES`: that there is one says that the server lives."""
    if path == HEALTH or ready:
        return PlainTextResponse("ok\n")
    return PlainTextResponse("not ready\n", status_code=503)
