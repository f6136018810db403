"""Lines between handshake and SDK: plain calls, cancellations, lines that can wait."""

import json
from collections.abc import Collection
from typing import Any

from strap.mcp.messages import requests
from strap.records import record

_LONG = 4096
"""Bytes from which on a line is not kept back: its room is needed for others."""


@record
class ToolCall:
    """A `tools/call` that is surely valid."""

    id: int | str
    name: str
    arguments: dict[str, Any] | None
    progress_token: int | str | None


def parse_call(line: bytes, era: str | None, version: str) -> ToolCall | None:
    """Return the call in `line`; None if it is none or the SDK should look at it.

    `era` is that of the connection, `version` what a handshake has agreed on.
    """
    request = requests.parse(line)
    if request is None or request["method"] != "tools/call" or requests.declares_tasks(request):
        return None
    fields = dict(request.get("params") or {})
    name, arguments = fields.pop("name", None), fields.pop("arguments", None)
    valid = isinstance(name, str) and isinstance(arguments, dict | None)
    if not valid or not _plain({**request, "params": fields}, era, version):
        return None
    token = requests.meta(request).get("progressToken")
    return ToolCall(id=request["id"], name=name, arguments=arguments, progress_token=token)


def _plain(request: dict[str, Any], era: str | None, version: str) -> bool:
    if era == "modern":
        return requests.plain_modern(request)
    return era == "legacy" and bool(version) and requests.plain_legacy(request)


def parse_cancelled(line: bytes) -> int | str | None:
    """Return the id of the request that `line` cancels, None if it cancels none."""
    message = _notification(line) if b"cancelled" in line else None  # "/" may be escaped
    if message is None or message["method"] != "notifications/cancelled":
        return None
    return cancelled_id(message.get("params"))


def cancelled_id(params: Any) -> int | str | None:
    """Return the id that a `notifications/cancelled` with `params` names, None if it names none."""
    number = params.get("requestId") if isinstance(params, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def correlated(number: int | str) -> int | str:
    """Return what an id is told from others by: "7" is 7, as the SDK has it."""
    try:
        return int(number)
    except ValueError:
        return number


def is_deferrable(line: bytes, answered: Collection[int | str]) -> bool:
    """Whether nobody waits for an answer to `line`: a notification, or a request in `answered`."""
    if len(line) > _LONG:
        return False
    if _notification(line) is not None:
        return True
    request = requests.parse(line)
    return request is not None and request["id"] in answered


def _notification(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    valid = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return (
        message
        if valid and isinstance(message.get("method"), str) and "id" not in message
        else None
    )
