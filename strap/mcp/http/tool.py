"""The tool as streamable HTTP can carry it."""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import anyio

from strap.api.calls import Caller, Progress
from strap.mcp.http.affinity import prefix_of
from strap.mcp.http.handles import Handles, Use
from strap.mcp.http.rate import LATE, Rate
from strap.mcp.linked_files import LinkedFiles
from strap.mcp.tool import ERROR_META, CallResult, WebTool, failure
from strap.network.peers import Peers
from strap.routing.lifespans import shutting_down
from strap.routing.router import Router

MAX_EVENT = (1 << 20) - (1 << 15)
"""Bytes of an answer: clients refuse server-sent events from 1 MiB on; the rest is envelope."""


log = logging.getLogger("strap.audit")


class Calls:
    """The calls that run now, of all principals together, and how many may."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.running = 0
        self.draining = False
        """Whether no further call is taken."""
        self.peers = Peers()
        self.refused = Counter[str]()
        """Number of refusals, by reason."""

    def refuse(self, reason: str, principal: str | None = None) -> None:
        """Count and log what is not begun, of somebody who is known or not."""
        self.refused[reason] += 1
        event = {"event": "refused", "reason": reason, "principal": principal}
        log.info("refused %s: %s", principal or "a stranger", reason, extra={"event": event})


class HttpTool(WebTool):
    """The tool whose answers fit into a server-sent event, within limits of its principal."""

    def __init__(
        self, router: Router, *, calls: Calls, most: int = 0, rate: Rate, replica: str = ""
    ) -> None:
        """`most` and `rate` limit the calls of this principal; `most` 0 is no limit."""
        super().__init__(router, max_calls=min(most, calls.most) or calls.most)
        self.files = LinkedFiles()
        self._calls = calls
        self._rate = rate
        self._prefix = prefix_of(replica)
        self.handles = Handles(self._prefix, calls.peers)

    async def call(
        self, arguments: dict[str, Any] | None, caller: Caller, progress: Progress | None
    ) -> CallResult:
        """Answer a call, or refuse it."""
        refused = await self._refuse(arguments or {}, caller)
        if refused is not None:
            self._calls.refuse(refused["_meta"][ERROR_META]["code"], caller.principal)
            return refused
        self._calls.running += 1
        try:
            return await super().call(arguments, caller, progress)
        finally:
            self._calls.running -= 1
            if isinstance(caller.handles, Use):
                caller.handles.end()

    async def _refuse(self, arguments: Mapping[str, Any], caller: Caller) -> CallResult | None:
        if self._calls.draining:
            error = shutting_down("The call was not begun")
            return failure(str(error), code=error.code, retryable=error.retryable)
        handle = arguments.get("session")
        foreign = isinstance(handle, str) and not handle.startswith(self._prefix)
        if foreign and caller.session is None:
            return failure(
                "There is no such session here. Leave session out: the answer names a new one.",
                code="wrong_replica",
            )
        if self._calls.running >= self._calls.most:
            return _busy(f"{self._calls.most} calls are running already", "when one is done")
        if wait := self._rate.take():
            await anyio.sleep(LATE)
            return _busy("There were too many calls in the last minute", f"in {wait} s")
        return None

    def links(self, files: Iterable[Path], caller: Caller) -> list[dict[str, Any]]:
        """Return links to files that a call wrote."""
        return self.files.link(files, caller.session)

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


def _busy(why: str, when: str) -> CallResult:
    return failure(f"{why}. Repeat this one {when}.", code="busy", retryable=True)


def _size(content: dict[str, Any]) -> int:
    """Bytes of one content in JSON; text as where everything beyond ASCII is escaped."""
    return len(content["data"]) if content["type"] == "image" else len(json.dumps(content))
