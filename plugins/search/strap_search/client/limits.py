"""How much of an answer is read, and how long an engine asks to be left alone."""

from collections.abc import Mapping

MAX_BODY = 3_000_000
"""Most bytes, decompressed, that are read of one answer; real ones have 30 to 80 KB."""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds in `Retry-After` (RFC 9110 10.2.3), None where there are none."""
    text = headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
