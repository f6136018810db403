"""The agent's verdict: the status tag that ends its text, and its answers to expectations."""

import re
from collections.abc import Mapping
from typing import Literal

StatusTag = Literal["completed", "failed", "not-finished"]
TAGS: Mapping[str, StatusTag] = {
    "completed": "completed",
    "failed": "failed",
    "not-finished": "not-finished",
}
_TAG = re.compile(r"<\s*status\s*>\s*([\w-]+(?:\s+[\w-]+)?)\s*<\s*/\s*status\s*>", re.IGNORECASE)
_ANSWER = re.compile(r"\s*(\d+)\s*:\s*(yes|no)\b", re.IGNORECASE)


def parse_status(text: str) -> StatusTag | None:
    """Return the status of the tag on the last line; None without one, or where lines disagree."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or not _TAG.fullmatch(lines[-1]):
        return None
    tags = {_known(match[1]) for line in lines if (match := _TAG.fullmatch(line))}
    return tags.pop() if len(tags) == 1 else None


def without_tag(text: str) -> str:
    """Return the text of the agent without its tag."""
    *rest, last = text.strip().splitlines() or [""]
    return "\n".join(rest) if _TAG.fullmatch(last.strip()) else text


def _known(tag: str) -> StatusTag | None:
    return TAGS.get(re.sub(r"[\s_-]+", "-", tag.casefold()))


def answers(text: str, count: int) -> tuple[bool | None, ...]:
    """Return yes, no or None for each expectation, from lines such as `1: yes - it is bold`."""
    by_number: dict[int, set[bool]] = {}
    for line in text.splitlines():
        if (match := _ANSWER.match(line)) and len(match[1]) < 6:
            by_number.setdefault(int(match[1]), set()).add(match[2].casefold() == "yes")
    verdicts = (by_number.get(number, set()) for number in range(1, count + 1))
    return tuple(next(iter(verdict)) if len(verdict) == 1 else None for verdict in verdicts)
