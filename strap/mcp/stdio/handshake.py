"""The handshake front: answers the opening messages at once while everything heavy imports.

Stdlib only, and little of it. What it cannot answer from the prepared answers is queued in order
and handed to the SDK unchanged.
"""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from strap.json.values import MOST_VALUES, has_too_many_values
from strap.mcp.messages import requests
from strap.mcp.stdio.wire import ReadBudget, Wire

if TYPE_CHECKING:
    from strap.api.prestarted import Prestarted

LATEST = "2025-11-25"
"""Version in the answer to an `initialize` with an unknown one."""
TURN = 0.0005
"""Seconds for which imports keep the lock of the interpreter when a line is to be read."""

Sink = Callable[[bytes | None, bool], None]
"""Takes a line (None at the end of input) and whether to answer it apart from the connection."""

Answers = Mapping[str, Mapping[str, Any]]
"""Prepared results by method and protocol version."""


class Handshake:
    """Stands between the client and the SDK until the protocol era of the connection is known.

    The SDK decides the era by the first request and then refuses the other one; some clients send
    `server/discover` first and `initialize` after its success all the same. So a discover that
    comes first never reaches the connection: it is answered here, or apart from it by the SDK.
    """

    def __init__(self, prepared: Mapping[str, Any] | None = None) -> None:
        """Take over the wire.

        `prepared` holds `answers`, the `basis` that they follow from, and declared `helpers`.
        """
        self.wire = Wire()
        self.room = ReadBudget()
        """Budget of lines read; whoever has served a line releases its share."""
        self.basis = prepared["basis"] if prepared else None
        self.answered: set[int | str] = set()
        """Ids whose answer the client has already: the SDK's must be dropped."""
        self.era: str | None = None
        """`modern` or `legacy` from the first request on, as the SDK decides it."""
        self.version = ""
        """Version agreed on by an `initialize` that was answered here."""
        self.helpers: dict[str, Prestarted] = {}
        """Helpers started for a call, by resource."""
        self._answers: Answers = prepared["answers"] if prepared else {}
        self._declared: Mapping[str, Any] = prepared["helpers"] if prepared else {}
        self._lock = threading.Lock()
        self._sink: Sink | None = None
        self._queue: list[tuple[bytes | None, bool]] = []
        self._answering = True
        self._answered = self._owes = False
        self._usual_turn = sys.getswitchinterval()

    def owes(self) -> bool:
        """Whether anything came that is not answered here."""
        return self._owes

    def start(self) -> None:
        """Begin to read; the thread is a daemon, since nothing can interrupt a read."""
        sys.setswitchinterval(TURN)
        threading.Thread(target=self._run, name="mcp stdin", daemon=True).start()

    def attach(self, sink: Sink) -> None:
        """Hand over what is queued, then what comes and is not answered here."""
        sys.setswitchinterval(self._usual_turn)
        with self._lock:
            for line, apart in self._queue:
                sink(line, apart)
            self._queue.clear()
            self._sink = sink

    def retire(self) -> None:
        """Answer nothing from now on: the SDK is there."""
        with self._lock:
            self._answering = False

    def _run(self) -> None:
        try:
            for line in self.wire.lines():
                if line is None:
                    self._refuse("the message is too long.")
                elif has_too_many_values(line):
                    self._refuse(f"the message has more than {MOST_VALUES:,} values.")
                elif line.strip():
                    self.room.enter(line)
                    self._take(line)
        except OSError:
            pass  # the client does not read its answers any more: the same as end of input
        finally:
            self._end()

    def _end(self) -> None:
        with self._lock:
            if self._sink is None and self._answered and not self._owes:
                os._exit(0)  # the client has what it wanted, and nothing was opened
            self._pass_on(None)

    def _refuse(self, why: str) -> None:
        error = {"code": -32600, "message": f"Invalid Request: {why}"}
        self.wire.send({"jsonrpc": "2.0", "id": None, "error": error})

    def _take(self, line: bytes) -> None:
        with self._lock:
            if self.era is not None and not self._answering:
                self._pass_on(line)
                return
            request = requests.parse(line)
            if request is None:
                self._pass_on(line)
            elif request["method"] == "server/discover" and self.era is None:
                self._settle(line, answered=self._discover(request), apart=True)
            elif request["method"] == "initialize" and self._initialize(request):
                self._pass_on(line)
            else:
                self._start_helper(request)
                self._settle(line, answered=self._answer(request))

    def _start_helper(self, request: dict[str, Any]) -> None:
        """Start what a call needs, if it comes before the plugins are loaded."""
        fields = (request.get("params") or {}).get("arguments")
        if self._sink is not None or request["method"] != "tools/call" or not fields:
            return
        resource = fields.get("resource") if isinstance(fields, dict) else None
        if isinstance(resource, str) and resource in self._declared.keys() - self.helpers.keys():
            from strap.api.prestarted import start_declared

            early = start_declared(self._declared[resource], fields)
            if early is not None:
                self.helpers[resource] = early

    def _settle(self, line: bytes, *, answered: bool, apart: bool = False) -> None:
        if answered:
            self.room.leave(line)
        else:
            self._owes = True
            self._pass_on(line, apart=apart)

    def _pass_on(self, line: bytes | None, *, apart: bool = False) -> None:
        if self._sink is None:
            self._queue.append((line, apart))
        else:
            self._sink(line, apart)

    def _discover(self, request: dict[str, Any]) -> bool:
        return requests.plain_modern(request) and self._reply(request, requests.MODERN)

    def _answer(self, request: dict[str, Any]) -> bool:
        if self.era is None:
            self.era = "modern" if requests.is_modern(request) else "legacy"
        if not self._answering or request["method"] == "initialize":
            return False
        if self.era == "modern":
            return requests.plain_modern(request) and self._reply(request, requests.MODERN)
        return (
            bool(self.version)
            and requests.plain_legacy(request)
            and self._reply(request, self.version)
        )

    def _initialize(self, request: dict[str, Any]) -> bool:
        """Answer an `initialize` that opens the connection; the SDK must see it all the same."""
        if self.era or not self._answering or not requests.plain_initialize(request):
            return False
        requested = request["params"]["protocolVersion"]
        version = requested if requested in self._answers.get("initialize", ()) else LATEST
        if not self._reply(request, version):
            return False
        self.era, self.version = "legacy", version
        self.answered.add(request["id"])
        return True

    def _reply(self, request: dict[str, Any], version: str) -> bool:
        result = self._answers.get(request["method"], {}).get(version)
        if result is None:
            return False
        self.wire.send({"jsonrpc": "2.0", "id": request["id"], "result": result})
        self._answered = True
        return True
