"""Bytes to text as in WHATWG HTML: BOM, header, `meta`, UTF-8, a guess, else Windows-1252."""

import codecs
import re
from collections.abc import Iterator

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Bytes that a declaration inside the document may be in: browsers look for it in 1,024, and decode
# anew where they come to one later.
_PRESCAN = 65_536
_TAGS = re.compile(
    rb"<(?=[!imnstx])(?:!(?=--)(?:.*?-->|.*)"
    rb"|(script|style|title|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])(?:.*?</\1|.*)"
    rb"|meta(?=[\s/])(?P<meta>(?:\"[^\"]{0,1000}\"|'[^']{0,1000}'|[^>\"'])*+))",
    re.IGNORECASE | re.DOTALL,
)
"""Tags that may name an encoding, and raw text (comments, scripts) that cannot."""
# A name begins where none is under way: to try at each of its letters takes the square of them.
_ATTRIBUTE = re.compile(
    rb"(?<![^\s/=>\"'])([^\s/=>\"']++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']++))"
)
_TYPE = re.compile(
    rb"[\w.+-]++/[\w.+-]++[\s;,]*+charset\s*+=\s*+[\"']?([^\s;\"']++)", re.IGNORECASE
)
_XML = re.compile(rb"^\s*<\?xml[^>]+?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]+)")
_PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)
_SAMPLE = 65_536
"""Bytes that an encoding is guessed by, which takes some 0.1 s at most."""
_ASCII_RUN = re.compile(rb"([\x00-\x7f])[\x00-\x7f]{2,}(?=[\x00-\x7f])")
"""Markup, mostly. Its first byte may be the second one of a character."""
_FEWEST = 4
"""Letters of a script that tell an encoding, at least."""
_WORDS = 0.7
"""Share of the signs beyond ASCII that words have at least: there are dashes and quotes as well."""
_SCRIPTS = {
    encoding: letters
    for encodings, letters in (
        ("cp932 euc_jp", "\u3000-\u30ff\u4e00-\u9fff\uff01-\uff9f"),
        ("cp949", "\uac00-\ud7a3"),
        ("big5hkscs gb18030", "\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e"),
        ("cp1251 cp866 iso8859-5 koi8-r koi8-u mac-cyrillic", "\u0400-\u045f\u0490\u0491"),
        ("cp1253 iso8859-7", "\u0386-\u03ce"),
        ("cp1255 iso8859-8", "\u05d0-\u05ea"),
        ("cp1256 iso8859-6", "\u0621-\u06d5"),
        ("cp874", "\u0e01-\u0e4e"),
    )
    for encoding in encodings.split()
}
"""The letters of encodings for scripts other than the Latin one, as in a class of a pattern."""
_CJK = frozenset(("big5hkscs", "cp932", "cp949", "euc_jp", "gb18030"))
"""Those of scripts whose words stand right beside Latin ones."""
_UNDETECTED = ("cp949", "cp1251", "gb18030")
"""Encodings that the detector misses in short or monotonous texts."""
MOSTLY = 10
"""Signs that UTF-8 has to make sense of for each that it does not."""
# https://encoding.spec.whatwg.org/#names-and-labels, by Python's names. What is not here, as UTF-7
# and the codecs that are no character encodings, is never used.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
    "utf-8-sig": "utf-8",
}
_LABELS = {
    label: encoding
    for encoding, labels in (  # that Python does not know
        ("big5hkscs", "cn-big5 x-x-big5"),
        ("cp1250", "x-cp1250"),
        ("cp1251", "x-cp1251"),
        ("cp1252", "iso88591 x-cp1252"),
        ("cp1253", "x-cp1253"),
        ("cp1254", "iso88599 x-cp1254"),
        ("cp1255", "x-cp1255"),
        ("cp1256", "x-cp1256"),
        ("cp1257", "x-cp1257"),
        ("cp1258", "x-cp1258"),
        ("cp874", "dos-874 iso885911 windows-874"),
        ("cp932", "windows-31j x-sjis"),
        ("cp949", "cseuckr csksc56011987 iso-ir-149 ks_c_5601-1989 ksc_5601 windows-949"),
        ("euc_jp", "cseucpkdfmtjapanese x-euc-jp"),
        ("gb18030", "csgb2312 gb_2312 gb_2312-80 x-gbk"),
        ("iso8859-10", "iso885910"),
        ("iso8859-13", "iso885913"),
        ("iso8859-14", "iso885914"),
        ("iso8859-15", "csisolatin9 iso885915"),
        ("iso8859-2", "iso88592"),
        ("iso8859-3", "iso88593"),
        ("iso8859-4", "iso88594"),
        ("iso8859-5", "iso88595"),
        ("iso8859-6", "csiso88596e csiso88596i iso-8859-6-e iso-8859-6-i iso88596"),
        ("iso8859-7", "iso88597 sun_eu_greek"),
        ("iso8859-8", "csiso88598e csiso88598i iso-8859-8-e iso-8859-8-i iso88598 logical visual"),
        ("koi8-r", "koi koi8"),
        ("koi8-u", "koi8-ru"),
        ("mac-cyrillic", "x-mac-cyrillic x-mac-ukrainian"),
        ("mac-roman", "csmacintosh mac x-mac-roman"),
        ("utf-16-be", "unicodefffe"),
        ("utf-16-le", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff"),
        ("utf-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    )
    for label in labels.split()
}
_PLAIN = frozenset(
    ("big5hkscs", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257",
     "cp1258", "cp866", "cp874", "cp932", "cp949", "euc_jp", "gb18030", "iso2022_jp", "iso8859-10",
     "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "iso8859-2", "iso8859-3", "iso8859-4",
     "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "koi8-r", "koi8-u", "mac-cyrillic",
     "mac-roman", "utf-16-be", "utf-16-le", "utf-8")
)  # fmt: skip


def decode(body: bytes, content_type: str, *, markup: bool) -> str:
    """Decode `body`, with U+FFFD for bad bytes; `markup`: look for a declaration inside."""
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    named = _named(body, content_type, markup=markup)
    return body.decode(named or guessed(body, content_type, markup=markup) or "utf-8", "replace")


def guessed(body: bytes, content_type: str, *, markup: bool) -> str:
    """Return the encoding that `decode` guesses, empty where it is declared or UTF-8."""
    is_marked = any(body.startswith(mark) for mark, _ in _MARKS)
    if is_marked or _named(body, content_type, markup=markup):
        return ""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return "" if _is_utf8(body.decode("utf-8", "replace")) else _guess(body)
    return ""


def _named(body: bytes, content_type: str, *, markup: bool) -> str | None:
    return _declared(content_type) or (_inside(body[:_PRESCAN]) if markup else None)


def _guess(body: bytes) -> str:
    """Guess the encoding of a text whose script is not Latin; others are Windows-1252."""
    sample = _ASCII_RUN.sub(rb"\1 ", body[:_SAMPLE])
    try:
        from resiliparse.parse.encoding import detect_encoding
    except ImportError:  # the extra `extract` is not installed
        detected = None
    else:
        detected = _supported(detect_encoding(sample) or "")
    candidates = (detected, *_UNDETECTED)
    return next((name for name in candidates if name and _is_script(sample, name)), "cp1252")


def _is_script(sample: bytes, encoding: str) -> bool:
    """Whether bytes are words in the script of an encoding: Latin letters are beside accents."""
    letters = _SCRIPTS.get(encoding)
    text = sample.decode(encoding, "replace")
    word = f"[{letters}]{{2,}}+"
    if encoding not in _CJK:
        word = f"(?<![A-Za-z]){word}(?![A-Za-z])"
    words = sum(map(len, re.findall(word, text))) if letters else 0
    return words >= max(_FEWEST, _WORDS * sum(sign > "\x7f" for sign in text))


def _is_utf8(text: str) -> bool:
    """Whether what is not ASCII was UTF-8 but for little: a cut end, what another program added."""
    broken = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", "ignore")) > MOSTLY * broken


def _declared(content_type: str) -> str | None:
    match = _PARAMETER.search(content_type)
    return _supported(match.group(1)) if match else None


def _inside(start: bytes) -> str | None:
    """Return the first encoding that the document names and that is one."""
    labels = (label[:100].decode("ascii", "replace") for label in _labels(start))
    encoding = next(filter(None, map(_supported, labels)), None)
    # A declaration that could be read as ASCII is not in UTF-16, whatever it says.
    return "utf-8" if encoding in ("utf-16-le", "utf-16-be") else encoding


def _labels(start: bytes) -> Iterator[bytes]:
    """Yield the encodings that elements `meta` name, then that of the XML declaration."""
    for tag in _TAGS.finditer(start):
        for name, *values in _ATTRIBUTE.findall(tag["meta"] or b""):
            value = b"".join(values).strip()
            if name.lower() == b"charset":
                yield value
            elif name.lower() == b"content" and (media_type := _TYPE.match(value)):
                yield media_type[1]
    if declaration := _XML.search(start):
        yield declaration[1]


def _supported(label: str) -> str | None:
    label = label.lower()
    try:
        name = codecs.lookup(_LABELS.get(label, label)).name
    except (LookupError, ValueError):
        return None
    name = _SUPERSETS.get(name, name)
    return name if name in _PLAIN else None
