"""The body of a request: it has to come in time, and may not have too many values."""

from collections.abc import Callable

import anyio
from starlette.types import Message, Receive

from strap.json.values import has_too_many_values

MAX_BODY = 4 << 20
"""Bytes of the body of a request."""
BODY_SECONDS = 30.0
"""Seconds that a client may take to send the body of a request."""


class TooManyValuesError(Exception):
    """The body of a request has too many values."""


def in_time(receive: Receive, arrived: Callable[[], object]) -> Receive:
    """Raise `TimeoutError` for a body that comes late; call `arrived` for a whole one."""
    deadline = anyio.current_time() + BODY_SECONDS
    complete = False

    async def timed() -> Message:
        nonlocal complete
        if complete:
            return await receive()
        with anyio.fail_after(deadline - anyio.current_time()):
            message = await receive()
        complete = not message.get("more_body", False)
        if complete:
            arrived()
        return message

    return timed


def counted(receive: Receive) -> Receive:
    """Raise `TooManyValuesError` for a body that has too many, before anybody takes it apart."""
    parts: list[bytes] = []
    length = 0

    async def watched() -> Message:
        nonlocal length
        message = await receive()
        length += len(message.get("body", b""))
        if length > MAX_BODY:  # the SDK refuses it
            parts.clear()
            return message
        parts.append(message.get("body", b""))
        if not message.get("more_body", False) and has_too_many_values(b"".join(parts)):
            parts.clear()
            raise TooManyValuesError
        return message

    return watched
