"""Pictures of a page, and their form on the wire."""

import struct

from strap import record

HEADER = struct.Struct(">BBHIHHd")
"""Kind, flags, number of the place, sequence number, width and height in CSS pixels, and when it
was taken (milliseconds since 1970); the picture follows."""
LIVE, STORED, THUMBNAIL = 1, 2, 3
STILL, PRIVATE = 1, 2
MARKERS = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC)))
"""The segments of a JPEG file that tell its size (ITU T.81, table B.1)."""


@record
class Frame:
    """A picture of a page: JPEG data, the size of the page in CSS pixels, seconds since 1970."""

    data: bytes
    width: int
    height: int
    at: float
    still: bool = False

    def packed(self, place: int, seq: int, *, kind: int = LIVE, private: bool = False) -> bytes:
        """Return it as a binary message."""
        flags = (STILL if self.still else 0) | (PRIVATE if private else 0)
        head = (kind, flags, place & 0xFFFF, seq & 0xFFFFFFFF)
        return HEADER.pack(*head, self.width, self.height, self.at * 1_000) + self.data


def size_of(jpeg: bytes) -> tuple[int, int]:
    """Return width and height in pixels of a JPEG file; raises `ValueError` for anything else."""
    at = 2
    while at + 9 <= len(jpeg) and jpeg[at] == 0xFF:
        if jpeg[at + 1] in MARKERS:
            height, width = struct.unpack_from(">HH", jpeg, at + 5)
            return width, height
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    raise ValueError("no JPEG file")
