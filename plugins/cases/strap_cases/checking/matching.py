"""Whether a text is what a check looks for."""

import re
from fnmatch import translate
from urllib.parse import urlsplit

from strap_cases.checks import Text

LONGEST = 10_000
"""Characters of a text that a regular expression searches: some take time by its square."""


def contains(text: str, wanted: Text) -> bool:
    """Whether a text contains what is wanted; blanks and line ends count as one blank."""
    if wanted.form == "regex":
        flags = re.IGNORECASE if wanted.ignore_case else 0
        return re.search(wanted.value, text[:LONGEST], flags) is not None
    return squeezed(wanted.value) in squeezed(text)


def fits(text: str, wanted: Text) -> bool:
    """Whether the whole of a text is what is wanted; `*` in a path stands for anything."""
    if wanted.form == "path":
        return re.fullmatch(_any(wanted.value), text) is not None
    return contains(text, wanted)


def fits_address(url: str, wanted: Text) -> bool:
    """Whether an address is at a path, which has a query only where it is asked for."""
    if wanted.form != "path":
        return contains(url, wanted)
    parts = urlsplit(url)
    if urlsplit(wanted.value).scheme:
        path = f"{parts.scheme}://{parts.netloc}{parts.path}"
    else:
        path = parts.path or "/"
    if "?" in wanted.value:
        path = f"{path}?{parts.query}"
    return fits(path, wanted)


def squeezed(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())


def _any(pattern: str) -> str:
    return translate(re.sub(r"([\[?])", r"[\1]", pattern))
