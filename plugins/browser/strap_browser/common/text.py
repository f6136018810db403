"""The code fences that models like to put around JSON."""

OPENINGS = ("```", "```json")


def strip_fence(text: str) -> str:
    """Return `text` without a code fence around all of it, and without blanks at its ends."""
    text = text.strip()
    first, newline, rest = text.partition("\n")
    if newline and first.rstrip() in OPENINGS and rest.endswith("```"):
        return rest[:-3].strip()
    return text
