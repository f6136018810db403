"""Forms in which secrets are written and shown, and where these are in a text."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus

from strap.config.invisible_characters import Span, without_invisible

_WORD_STARTS = re.compile(r"(?<![\w'\u2019])[^\W\d_]")
"""The letters that `text-transform: capitalize` shows as capitals."""
SHORTEST = 6
"""Bytes of a value that is looked for in base64: 7 letters of it are its own, at least."""
_LEFT = (
    *("!'()*~", "!'()*~;/?:@&=+$,#", "!$%&()*+,-./:;=?@[\\]^_`{|}~"),
    *("!()*~", "!()*~;/?:@&=+$,#"),  # the first two in a query, where browsers escape '
    *("/", "/!$&'()*+,;=:@"),
)
"""Characters left unescaped by `encodeURIComponent`, `encodeURI`, and in queries by browsers.

And by servers: in paths by Python, in paths of RFC 3986 (3.3).
"""
_NO_FILE = re.compile(r'[\\/:*?"<>|~]')
"""Characters that a browser writes as `_` in the name of a file."""


class Masks:
    """Finds values in texts."""

    def __init__(self, values: Mapping[str, str], version: int) -> None:
        """`values` has the names by the values; `version` tells later values apart."""
        self.version = version
        forms = ((name, form) for value, name in values.items() for form in written(value))
        self._names = {bare: name for name, form in forms if (bare := without_invisible(form))}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if values else None
        self._folded = {form.casefold() for form in self._names}

    def spans(self, text: str) -> Iterator[Span]:
        """Yield where values are in a text without invisible characters, and their names."""
        if self._pattern is None:
            return
        folded = text.casefold()
        if any(form in folded for form in self._folded):  # most texts have none: that is quick
            for match in self._pattern.finditer(text):
                yield *match.span(), self._names[match[0]]


def written(value: str) -> Iterable[str]:
    """Return a secret as it is and as style sheets show it, each as encodings write it."""
    capitalized = _WORD_STARTS.sub(lambda match: match[0].upper(), value)
    shown = {value, value.upper(), value.lower(), capitalized}
    return {form for text in shown for form in encoded(text)} | set(as_base64(value))


def as_base64(value: str) -> Iterable[str]:
    """Return what base64 of any text has in it where this one has a `value`.

    Where it begins within 3 bytes decides on its letters; those that neighbours change are left
    out. Short values are, too: their few letters may be anything.
    """
    content = value.encode()
    for before in range(3 if len(content) >= SHORTEST else 0):
        first, end = -(-before * 8 // 6), (before + len(content)) * 8 // 6
        letters = b64encode(bytes(before) + content)[first:end]
        yield letters.decode()
        yield letters.translate(bytes.maketrans(b"+/", b"-_")).decode()


def encoded(value: str) -> Iterable[str]:
    """Return a text as it is, and as JSON, URLs, HTML and names of files write it."""
    from html import escape

    in_url = quote(value, safe="")
    by_browser = {quote(value, safe=safe) for safe in _LEFT} | {_in_form(value)}
    lower = re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), in_url)
    plus = quote_plus(value)
    plain_json = json.dumps(value, ensure_ascii=False)[1:-1]
    as_json = (json.dumps(value)[1:-1], plain_json, plain_json.replace("/", "\\/"))
    in_attribute = escape(value, quote=False).replace('"', "&quot;")
    as_html = (escape(value), escape(value, quote=False), in_attribute)
    as_file = _NO_FILE.sub("_", value)
    return {value, in_url, lower, plus, *by_browser, *as_json, *as_html, as_file}


def _in_form(value: str) -> str:
    """Return a text as browsers write it in forms (application/x-www-form-urlencoded)."""
    return quote_plus(value, safe="*").replace("~", "%7E")
