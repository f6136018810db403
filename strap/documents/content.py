"""Content of a document, shown in parts."""

from strap.api.results import count_tokens, cut
from strap.errors import UsageError
from strap.records import record
from strap.text import counted

_NOTE = 40  # tokens that the note about the rest may take
_LEAST = 20  # tokens of the document that are shown however small the answer shall be


@record
class Content:
    """A document as it is shown: `head` says what it is, `text` is what it has."""

    head: str
    text: str
    url: str
    """Address that it is from."""
    partial: bool = False
    """Whether it is the main part of a page, not all of it."""


def part(document: Content, start: int, max_tokens: int) -> tuple[str, int | None]:
    """Return the part from `start` on and the next start; raises `UsageError` behind the end."""
    total = len(document.text)
    if start and start >= total:
        raise UsageError(
            f"start={start} is past the end: {document.url!r} has {counted(total, 'character')}.",
            hint="Give the start that an answer named, or none.",
        )
    rest = document.text[start:]
    if not rest:
        return document.head, None
    room = max(max_tokens - count_tokens(document.head) - _NOTE, _LEAST)
    shown, left = cut(rest, room)
    next_start = start + len(shown) if left else None
    text = f"{document.head}\n\n{shown.rstrip()}"
    if next_start is None:
        return text, None
    return (
        f"{text}\n\n[Characters {start:,}-{next_start:,} of {total:,}. "
        f"Next part: the same call with start={next_start}]"
    ), next_start
