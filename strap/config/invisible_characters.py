"""Characters that draw nothing, by which a page can part the letters of a secret."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from urllib.parse import quote

RANGES = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
)
"""Code points with the property Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties)."""
_TAGS = r"\U000E0000-\U000E0FFF"
"""Those of plane 14, among them the last variation selectors."""
Span = tuple[int, int, str]
"""Start and end of a part of a text, and its replacement."""


@cache
def _invisible() -> re.Pattern[str]:
    """Return what matches such characters, as they are and as URLs, JSON and HTML write them."""
    from html.entities import html5

    drawn = "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES)
    codes = [code for first, last in RANGES for code in range(first, last + 1)]
    chars = set(map(chr, codes))
    named = [name for name, text in html5.items() if text in chars and name[-1] == ";"]
    written = {
        "%": [quote(chr(code))[1:] for code in codes] + [r"F3%A0(?:%[89AB][0-9A-F]){2}"],
        r"\\": [json.dumps(chr(code))[2:-1].replace("\\", r"\\") for code in codes]
        + [r"udb4[0-3]\\ud[cdef][0-9a-f]{2}"],
        "&": [f"#0*{code};|#x0*{code:x};" for code in codes] + ["#x0*e0[0-9a-f]{3};", *named],
    }
    parts = (f"(?<={sign})(?i:{'|'.join(forms)})" for sign, forms in written.items())
    # The first character alone is looked for quickly.
    first = f"[{drawn}{_TAGS}%\\\\&]"
    return re.compile(f"{first}(?:(?<=[{drawn}{_TAGS}])|{'|'.join(parts)})")


def without_invisible(text: str) -> str:
    """Return `text` without characters that draw nothing."""
    return _invisible().sub("", text) if _may_have(text) else text


def _may_have(text: str) -> bool:
    """Whether to look closer: of most texts it is soon clear."""
    return not text.isascii() or "%" in text or "\\u" in text.lower() or "&" in text


class BareText:
    """A text without what draws nothing, and where each of its characters was."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._from, length, end = [0], [0], 0, 0
        parts: list[str] = []
        for match in _invisible().finditer(text) if _may_have(text) else ():
            parts.append(text[end : match.start()])
            length += len(parts[-1])
            end = match.end()
            self._at.append(length)
            self._from.append(end)
        self.text = "".join((*parts, text[end:]))

    def replaced(self, spans: Iterable[Span]) -> str:
        """Return the whole text with these parts of the bare one replaced, and what is in them."""
        parts: list[str] = []
        done = 0
        for start, end, text in spans:
            parts += self._text[done : self._place(start)], text
            done = self._place(end - 1) + 1
        return "".join((*parts, self._text[done:]))

    def _place(self, index: int) -> int:
        number = bisect_right(self._at, index) - 1
        return self._from[number] + index - self._at[number]
