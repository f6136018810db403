"""Bodies that are no text, described in a line."""

import io

_HEADER = 262_144  # bytes of a picture that its size is looked for in


def describe(media_type: str, body: bytes) -> str:
    """Return what can be said about `body` at a glance, as a sentence."""
    if media_type.startswith("image/"):
        width, height = _dimensions(body)
        if width > 0 and height > 0:
            return f"A picture of {width} x {height} pixels."
    return "Not text."


def _dimensions(body: bytes) -> tuple[int, int]:
    import imagesize

    try:
        width, height = imagesize.get(io.BytesIO(body[:_HEADER]))
    except Exception:  # noqa: BLE001 - whatever a broken file makes it raise
        return -1, -1
    return int(width), int(height)
