"""The tool as streamable HTTP can carry it."""

import json
from typing import Any

import anyio

from strap.api.calls import Caller, Progress
from strap.mcp.tool import CallResult, WebTool, failure
from strap.routing.router import Router

MAX_EVENT = (1 << 20) - (1 << 15)
"""Bytes of an answer: clients refuse server-sent events from 1 MiB on; the rest is envelope."""


class HttpTool(WebTool):
    """The tool whose answers fit into a server-sent event, and whose calls can be told to end."""

    def __init__(self, router: Router, *, max_calls: int) -> None:
        super().__init__(router, max_calls=max_calls)
        self.draining = False
        """Whether no further call is taken."""
        self._scopes: set[anyio.CancelScope] = set()

    async def call(
        self, arguments: dict[str, Any] | None, caller: Caller, progress: Progress | None
    ) -> CallResult:
        """Answer a call, also one that is cancelled because the server leaves."""
        if self.draining:
            return _leaving("The call was not begun")
        with anyio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                return await super().call(arguments, caller, progress)
            finally:
                self._scopes.discard(scope)
        return _leaving("The call was cancelled")

    def cancel_all(self) -> None:
        """Cancel every call; each is answered."""
        for scope in tuple(self._scopes):
            scope.cancel()

    def fit(self, result: CallResult) -> CallResult:
        """Replace an answer that is too big for one server-sent event."""
        size = sum(_size(content) for content in result["content"])
        if size <= MAX_EVENT:
            return result
        images = any(content["type"] == "image" for content in result["content"])
        way = "a smaller picture" if images else "less with max_tokens"
        return failure(
            f"The answer takes {size >> 10} KiB, and clients over HTTP take at most "
            f"{MAX_EVENT >> 10}. Save it to a file with output, or ask for {way}.",
            code="too_large",
        )


def _leaving(what: str) -> CallResult:
    text = f"{what}: strap is shutting down. Open another session and repeat it."
    return failure(text, code="shutting_down", retryable=True)


def _size(content: dict[str, str]) -> int:
    """Bytes of one content in JSON; text as where everything beyond ASCII is escaped."""
    return len(content["data"]) if content["type"] == "image" else len(json.dumps(content["text"]))
