"""Whether there is anything to see in a text."""

import re

# White space, controls, half characters, and what Unicode calls default ignorable or shows as a
# blank (DerivedCoreProperties.txt; the fillers of Hangul, the empty pattern of Braille).
_SOMETHING = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def has_something(text: str) -> bool:
    """Whether somebody who looks at `text` sees anything."""
    return _SOMETHING.search(text) is not None
