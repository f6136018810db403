"""Taking off what no reader of a page sees, before anything parses it: all in linear time."""

import re

MAX_HTML = 3_000_000
"""Characters of HTML that are read; the rest of a longer page is left out."""

# A tag ends before the next one begins, whatever it says: so the search cannot become quadratic.
_OPENING = re.compile(r"<(script|style)\b([^<>]*)>", re.IGNORECASE)
_CLOSING = {
    "script": re.compile(r"</script[^<>]*>?", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>?", re.IGNORECASE),
}
# Articles come in structured data as well, where libraries look for them.
_TELLING = "ld+json"
# It begins with what is literal, so that it is found many times as fast, and looks back from there.
_PAYLOAD = re.compile(
    r"data:(?<!\wdata:)[\w/+.-]{0,80}(?:;[\w=.-]{1,40}){0,3};base64,[\w+/=%\s-]{200,}"
)
_TAG = re.compile(r"<[a-zA-Z]")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_LONG_TAG = 4_096
_MANY_ATTRIBUTES = 1_000


def slim(page: str) -> str:
    """Return `page` without scripts, styles and files encoded into it."""
    parts: list[str] = []
    at = 0
    while opening := _OPENING.search(page, at):
        closing = _CLOSING[opening.group(1).lower()].search(page, opening.end())
        end = closing.end() if closing else len(page)
        is_kept = _TELLING in opening.group(2).lower()
        parts.append(page[at : end if is_kept else opening.start()])
        at = end
    parts.append(page[at:])
    return _PAYLOAD.sub("data:,", "".join(parts))


def is_tangled(page: str) -> bool:
    """Whether a tag has so many attributes that comparing them takes a parser minutes."""
    return any(
        len(part) > _LONG_TAG and _attributes(part) > _MANY_ATTRIBUTES for part in page.split(">")
    )


def _attributes(part: str) -> int:
    """How many attributes the tag has that is still open at the end of `part`."""
    opening = max((tag.start() for tag in _TAG.finditer(part)), default=len(part))
    return len(_QUOTED.sub("", part[opening:]).split())
