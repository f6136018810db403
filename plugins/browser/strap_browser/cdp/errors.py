"""Errors of the DevTools protocol, as types: nobody compares a browser's sentences."""

from typing import Any


class CdpError(Exception):
    """A command was not carried out."""


class ProtocolError(CdpError):
    """The browser refused a command; `code` is that of JSON-RPC 2.0, 0 where it gave none."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class ContextDestroyed(ProtocolError):
    """The document that was asked is gone: another one is there, or on its way."""


class FrameCrashed(ProtocolError):
    """The process of a frame is gone, in a page that is there: it is empty until it is loaded."""


class TargetClosed(CdpError):
    """The page, or the whole browser, is gone: nothing that was asked will be answered."""


class NotAnswered(CdpError):
    """The time that the command was given is over."""


NO_SESSION = -32001
"""Chromium's error code for a command whose session has ended."""
_MOVED = (
    "Cannot find context",
    "Cannot find default execution context",
    "Execution context was destroyed",
    "Inspected target navigated or closed",
    "Not attached to an active page",
    "uniqueContextId not found",
)
"""How Chromium says that a document is gone: it has one code (-32000) for all it refuses."""
_CRASHED = "Target crashed"


def refusal(error: dict[str, Any]) -> CdpError:
    """Return the error of an answer's field `error`."""
    code, message = error.get("code"), str(error.get("message"))
    if code == NO_SESSION or message.startswith(_CRASHED):
        return TargetClosed(message)
    kind = ContextDestroyed if message.startswith(_MOVED) else ProtocolError
    return kind(message, code if isinstance(code, int) else 0)
