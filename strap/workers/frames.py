"""Frames on the pipes between the server and a worker: a head in JSON, then bytes."""

import json
import struct
from typing import Any, BinaryIO

LENGTHS = struct.Struct(">II")
"""The lengths of head and payload that a frame begins with, in bytes."""

Frame = tuple[dict[str, Any], bytes]


def pack(head: dict[str, Any], payload: bytes) -> tuple[bytes, bytes]:
    """Return a frame as two pieces, so that the payload is not copied."""
    text = json.dumps(head).encode()
    return LENGTHS.pack(len(text), len(payload)) + text, payload


def read(stream: BinaryIO) -> Frame | None:
    """Wait for a frame; returns None at the end of the stream."""
    lengths = stream.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    first, second = LENGTHS.unpack(lengths)
    head, payload = stream.read(first), stream.read(second)
    return (json.loads(head), payload) if len(payload) == second else None
