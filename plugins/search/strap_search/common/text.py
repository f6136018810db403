"""Texts of engines, as short plain text."""

import html
import re
import unicodedata
from datetime import UTC, datetime, time
from email.utils import parsedate_to_datetime

MAX_DATE = 40
_MARKUP = re.compile(r"</?(?:b|strong|em|i|mark)>|<br ?/?>", re.IGNORECASE)


def strip_markup(text: str, limit: int) -> str:
    """Return `text` on one line without control and format characters, at most `limit` long."""
    characters = (" " if unicodedata.category(c)[0] == "C" else c for c in text[: 4 * limit])
    words = " ".join("".join(characters).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"


def unmarked(text: str) -> str:
    """Return the text of a fragment of HTML as engines use it to emphasise words."""
    return html.unescape(_MARKUP.sub("", text))


def parse_date(date: str | float) -> str:
    """Return `2026-11-20` or `2026-11-20 14:03 UTC`; what is no date stays as it is, short."""
    if not isinstance(date, str):
        return _from_timestamp(date)
    text = strip_markup(date, MAX_DATE)
    parsed = _parsed(text)
    if parsed is None:
        return text
    if ":" not in text or (parsed.tzinfo is None and parsed.time() == time.min):
        return f"{parsed:%Y-%m-%d}"
    if parsed.tzinfo is None:
        return f"{parsed:%Y-%m-%d %H:%M}"
    return f"{parsed.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _from_timestamp(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, OSError, ValueError):
        return ""


def _parsed(text: str) -> datetime | None:
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(text)
        except (ValueError, OverflowError):
            continue
    return None
