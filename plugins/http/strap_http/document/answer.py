"""The text of an answer: one line about the response, then as much of it as fits."""

from strap import UsageError, count_tokens, cut
from strap_http.document.document_cache import Document
from strap_http.message.response import Response
from strap_http.message.sizes import size

MAX_SHOWN_URL = 300
MAX_FIELD = 300
_NOTE = 40  # tokens that the note about the rest may take
_LEAST = 20  # tokens of the document that are shown however small the answer shall be
# What the caller needs to go on after these.
_TELLING = {
    201: ("location",),
    202: ("location", "retry-after"),
    401: ("www-authenticate",),
    405: ("allow",),
    429: ("retry-after",),
    503: ("retry-after",),
}


def head(response: Response, media_type: str) -> str:
    """Return `200 text/html https://final.url/ (12 KB)`, and header fields that tell what to do."""
    url = response.url
    shown = url if len(url) <= MAX_SHOWN_URL else f"{url[:MAX_SHOWN_URL]}…"
    line = f"{response.status} {media_type or '(no type)'} {shown} ({size(len(response.body))})"
    told = [
        f"{name}: {str(response.headers[name])[:MAX_FIELD]}"
        for name in _TELLING.get(response.status, ())
        if name in response.headers
    ]
    return "\n".join((line, *told, *response.notes))


def fields(response: Response) -> str:
    """Return the header fields, one a line; of cookies the names alone."""
    return "\n".join(
        f"{name}: {_masked(name, value)[:MAX_FIELD]}"
        for name, value in response.headers.multi_items()
    )


def _masked(name: str, value: str) -> str:
    return f"{value.partition('=')[0]}=…" if name == "set-cookie" else value


def part(document: Document, start: int, max_tokens: int) -> tuple[str, int | None]:
    """Return the answer from character `start` on, and where the next part starts, if any.

    Raises `UsageError` for a `start` behind the end.
    """
    total = len(document.text)
    if start and start >= total:
        raise UsageError(
            f"start={start} is behind the end: {document.url!r} has {total:,} characters."
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
