"""The spellings in which a text may hide another: encodings, turned round, in pieces."""

import base64
import codecs
import re
from binascii import Error, unhexlify
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from unicodedata import normalize
from urllib.parse import parse_qsl, unquote, unquote_plus, urlsplit

from strap.network.sites import site_of

GRAM = 12
"""Letters and digits in a row by which a text is known: shorter ones are in many texts."""
STRIDE = 4
"""Distance of grams that are kept, the bytes of one number: whatever repeats 15 letters or digits
repeats one."""
ROUNDS = 3
"""Encodings within encodings that are undone: URLs in URLs have two."""
MOST_VIEWS = 60
"""Spellings that are looked at: a text full of runs that may be base64 has thousands."""
MOST_READ = 400_000
"""Characters that are undone in all; beyond it a text is read as it is."""
KEPT = 16
"""Texts whose views are kept: what a call sends is looked at a few times."""
SHORT = 16
"""Characters of a run up to which it is decoded from its first one alone."""
WORD = 24
"""Letters that may be a word: no encoding of a dozen letters looks like one."""
_NOISE = re.compile(r"[\W_]+")
_LOWER = bytes(range(256)).lower()
_OTHERS = bytes(code for code in range(128) if not chr(code).isalnum())
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_BASE32 = re.compile(r"[A-Za-z2-7]{16,}")
_DIGITS = {
    ord(letter): digit
    for letters in ("abcdefghijklmnopqrstuvwxyz234567", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    for letter, digit in zip(letters, "0123456789abcdefghijklmnopqrstuv", strict=True)
}
"""Digits of base32, as `int` reads them."""
_HEX = re.compile(r"(?:(?:\\x|%|0x)?[0-9A-Fa-f]{2}[\s:,-]?){6,}")
_CODES = re.compile(r"(?:\d{2,3}[,;\s._-]+){5,}\d{2,3}")
_ESCAPE = re.compile(r"\\u\{?([0-9A-Fa-f]{4,6})\}?|\\x([0-9A-Fa-f]{2})")
_TEXT = re.compile(
    rb"(?:[\t\n\r -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}"
    rb"|[\xf0-\xf4][\x80-\xbf]{3}){6,}"
)
"""Text in UTF-8 among other bytes."""
_MARKS = re.compile(r"0x|\\x|[^0-9A-Fa-f]")


def folded(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    if text.isascii():
        return text.encode().translate(_LOWER, _OTHERS).decode()
    return _NOISE.sub("", normalize("NFKC", text)).casefold()


def words(plain: str, start: int = 0) -> Sequence[int]:
    """Return the numbers of each four letters from `start` on."""
    raw = plain.encode() if plain.isascii() else plain.encode("utf-32-le", "replace")[::4]
    end = start + (len(raw) - start) // STRIDE * STRIDE
    return memoryview(raw)[start:end].cast("I") if end > start else ()


def grams(plain: str, start: int = 0) -> Iterable[int]:
    """Return the hashes of grams, one of four from `start` on; none is made in Python."""
    return grams_of(words(plain, start))


def grams_of(four: Sequence[int]) -> Iterable[int]:
    """Return the hashes of each three words in a row."""
    return map(hash, zip(four, four[1:], four[2:], strict=False))


def all_grams(plain: str) -> set[int]:
    """Return the hashes of the grams of a text, wherever they begin."""
    return {gram for start in range(STRIDE) for gram in grams(plain, start)}


@lru_cache(KEPT)
def undone(text: str) -> tuple[str, ...]:
    """Return a text, and what it is when encodings are undone."""
    readings, left = {text: None}, MOST_READ - len(text)
    last = [text]
    for _ in range(ROUNDS):
        new: list[str] = []
        for previous in last:
            for view in _undone(previous):
                if view in readings or len(readings) >= MOST_VIEWS or len(view) > left:
                    continue
                readings[view] = None
                left -= len(view)
                new.append(view)
        last = new
    return tuple(readings)


def views(text: str) -> list[str]:
    """Return a text and what it is when encodings are undone, each also turned round."""
    turned = (codecs.encode(plain, "rot13") for plain in (text, unquote(text)))
    readings = dict.fromkeys((*undone(text), *turned))
    return [*readings, *(reading[::-1] for reading in readings)]


@lru_cache(KEPT)
def plain_views(text: str) -> tuple[tuple[str, str], ...]:
    """Return the views of a text, each with its letters and digits; the text itself comes first."""
    return tuple({folded(view): view for view in reversed(views(text))}.items())[::-1]


def values_of(url: str) -> dict[str, str]:
    """Return the parts of an address that may carry something, by where they are in it."""
    try:
        parts = urlsplit(url)
        site = site_of(url)
        host = (parts.hostname or "").removesuffix(site[1] if site else "")
        values = {"host": "".join(host.split(".")), "user": parts.netloc.rpartition("@")[0]}
    except ValueError:
        return {"url": url}
    values |= {f"path {n}": part for n, part in enumerate(parts.path.split("/")) if part}
    for name, value in parse_qsl(parts.query, keep_blank_values=True)[:200]:
        values[f"query {name}"] = values.get(f"query {name}", "") + value
        if not value:
            values["name"] = values.get("name", "") + name
    values["fragment"] = parts.fragment
    return {key: value for key, value in values.items() if value}


def _undone(text: str) -> Iterator[str]:
    if "%" in text or "+" in text:
        yield unquote_plus(text)
        yield unquote(text)
    if "&" in text:
        import html

        yield html.unescape(text)
    if "\\" in text:
        yield _ESCAPE.sub(_character, text)
    if not text.islower():  # as base64 of a dozen letters never is
        yield from _runs(text, _BASE64, _base64, 4)
        yield from _runs(text[::-1], _BASE64, _base64, 4)
    yield from _runs(text, _HEX, _hex, 2)
    yield from _runs(text, _BASE32, _base32, 8)
    for match in _CODES.finditer(text):
        numbers = [int(digits) for digits in re.findall(r"\d+", match[0])]
        if all(32 <= number < 127 for number in numbers):
            yield "".join(map(chr, numbers))


def _character(match: re.Match[str]) -> str:
    number = int(match[1] or match[2], 16)
    return chr(number) if number < 0x110000 else ""


def _runs(
    text: str, form: re.Pattern[str], decode: Callable[[str], bytes], group: int
) -> Iterator[str]:
    """Decode what has this form, from each character of a `group`: others may stand before it."""
    for match in form.finditer(text):
        run = match[0]
        if len(run) <= WORD and run.isalpha() and (run.islower() or run.istitle()):
            continue
        for start in range(group if len(run) > SHORT else 1):
            with suppress(Error, ValueError):
                raw = decode(run[start:])
                least = min(GRAM, len(raw))
                for piece in _TEXT.findall(raw):
                    if len(piece) >= least:
                        yield piece.decode("utf-8", "replace")


def _hex(run: str) -> bytes:
    digits = _MARKS.sub("", run)
    return unhexlify(digits[: len(digits) // 2 * 2])


def _base64(run: str) -> bytes:
    run = run.replace("-", "+").replace("_", "/")
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    return base64.b64decode(run + "=" * (-len(run) % 4))


def _base32(run: str) -> bytes:
    bits = 5 * len(run)
    size = bits // 8
    return (int(run.translate(_DIGITS), 32) >> bits - 8 * size).to_bytes(size)
