"""The one tool, apart from any protocol library: arguments in, a `tools/call` result out."""

import logging
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from strap.api.calls import Caller, Progress
from strap.api.results import Result
from strap.errors import StrapError
from strap.routing.router import Router
from strap.routing.tool_schema import tool_definition
from strap.text import replace_surrogates

NAME = "strap"
INSTRUCTIONS = (
    "One tool, web(resource, action, …), reaches the web: fetch pages, search, drive a browser. "
    "The tool's description lists every action with its fields; action=help explains a resource, "
    "or one action given as value. An error says what to call next."
)
ERROR_META = "strap/error"
"""Key of a failed result's `_meta` that holds `code` and `retryable` for programs."""
MAX_CALLS = 64
"""Calls that run at a time, of all clients together."""

CallResult = dict[str, Any]
"""A `CallToolResult` of the protocol as plain JSON."""

log = logging.getLogger(__name__)


class WebTool:
    """Calls the router for clients of MCP; a subclass fits the results to its transport."""

    def __init__(self, router: Router, *, max_calls: int = MAX_CALLS) -> None:
        self.definition = tool_definition(router.catalog)
        """The entry of `tools/list`."""
        self.name: str = self.definition["name"]
        self.router = router
        self.running = 0
        """Number of calls that run now."""
        self._max_calls = max_calls

    async def call(
        self, arguments: dict[str, Any] | None, caller: Caller, progress: Progress | None
    ) -> CallResult:
        """Answer a call; nothing but cancellation escapes.

        `progress` is None where the client did not ask to be told.
        """
        if self.running >= self._max_calls:
            return failure(
                f"{self._max_calls} calls are running already. Repeat this one when one is done.",
                code="busy",
                retryable=True,
            )
        self.running += 1
        try:
            result, error = await self.router.answer(
                arguments or {}, caller=caller, progress=_mended(progress)
            )
            answer = _convert(result, error)
            answer["content"] += self.links(result.files, caller)
            return self.fit(answer)
        except Exception:
            log.exception("Unexpected error in a call of %s", self.name)
            return failure("Internal error; the details are in strap's log.", code="internal")
        finally:
            self.running -= 1

    def asks_caller(self, arguments: dict[str, Any] | None) -> bool:
        """Whether the call may send requests to the client before it is answered."""
        if self.router.catalog.policy.confirms_any:
            return True  # also what calls others that need a person's yes
        fields = arguments or {}
        try:
            return self.router.catalog.find(
                fields.get("resource"), fields.get("action")
            ).asks_caller
        except StrapError:
            return False

    def links(self, files: Iterable[Path], caller: Caller) -> list[dict[str, Any]]:
        """Return what leads to files that a call wrote: nothing, where the disk is the client's."""
        return []

    def fit(self, result: CallResult) -> CallResult:
        """Return `result`, or another one in place of what the transport cannot carry."""
        return result


def failure(text: str, *, code: str, retryable: bool = False) -> CallResult:
    """Return a failed result with its code for programs."""
    return {
        "content": [{"type": "text", "text": text}],
        "isError": True,
        "_meta": {ERROR_META: {"code": code, "retryable": retryable}},
    }


def _convert(result: Result, error: StrapError | None) -> CallResult:
    if error is not None:
        return failure(result.text, code=error.code, retryable=error.retryable)
    texts = [{"type": "text", "text": result.text}] if result.text else []
    images = [
        {"type": "image", "data": b64encode(image.data).decode(), "mimeType": image.mime}
        for image in result.images
    ]
    return {"content": [*texts, *images], "isError": result.is_error}


def _mended(progress: Progress | None) -> Progress | None:
    if progress is None:
        return None

    async def report(message: str, done: float, total: float | None) -> None:
        await progress(replace_surrogates(message), done, total)

    return report
