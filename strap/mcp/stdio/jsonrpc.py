"""Between lines of bytes and JSON-RPC messages, without ever failing."""

import json
from contextlib import suppress
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)

from strap.mcp.messages.strict_json import parse_json
from strap.text import replace_surrogates


def decode(line: bytes) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    """Return the message in `line`, or else the error to answer it with (JSON-RPC 2.0, 5.1)."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return _mended(line)
    if isinstance(message, JSONRPCNotification) and _asks(message, line):
        problem = "Invalid Request: the id of a request is a string or an integer."
        return None, _error(None, INVALID_REQUEST, problem)
    return message, None


def _asks(message: JSONRPCNotification, line: bytes) -> bool:
    """Whether it has an id that is none, so that it is taken for a notification, and waits."""
    if message.method.startswith("notifications/") or b'"id"' not in line:
        return False
    with suppress(ValueError, RecursionError):
        return "id" in parse_json(line)
    return False


def _mended(line: bytes) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    try:
        message = parse_json(line)
    except UnicodeDecodeError:
        return None, _error(None, PARSE_ERROR, "Parse error: the message is not UTF-8.")
    except (ValueError, RecursionError):
        return None, _error(None, PARSE_ERROR, "Parse error: the message is not JSON.")
    return _validate(message)


def _validate(message: Any) -> tuple[JSONRPCMessage | None, JSONRPCError | None]:
    if isinstance(message, list):
        problem = "Invalid Request: batches are not supported; send one message a line."
        return None, _error(None, INVALID_REQUEST, problem)
    try:
        mended = replace_surrogates(json.dumps(message, ensure_ascii=False))
        return jsonrpc_message_adapter.validate_json(mended, by_name=False), None
    except (ValueError, RecursionError):
        number = message.get("id") if isinstance(message, dict) else None
        problem = "Invalid Request: this is not a JSON-RPC 2.0 message, or nested too deeply."
        return None, _error(number, INVALID_REQUEST, problem)


def encode(message: JSONRPCMessage) -> bytes:
    """Return `message` as one line; lone surrogates are replaced."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        plain = message.model_dump(by_alias=True, exclude_unset=True)
        text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), default=str)
        return replace_surrogates(text).encode() + b"\n"


def _error(number: Any, code: int, message: str) -> JSONRPCError:
    valid = isinstance(number, int | str) and not isinstance(number, bool)
    error = ErrorData(code=code, message=message)
    return JSONRPCError(jsonrpc="2.0", id=_mended_id(number) if valid else None, error=error)


def _mended_id(number: int | str) -> int | str:
    return replace_surrogates(number) if isinstance(number, str) else number
