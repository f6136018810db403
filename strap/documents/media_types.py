"""Media types of bodies: HTML, JSON, text, or something that is not shown as text."""

import re
from codecs import BOM_UTF8
from typing import Literal

from strap.documents.charset import decode
from strap.documents.packages import PACKAGES, ZIP, package_type

Kind = Literal["html", "json", "text", "binary"]

_HTML = ("text/html", "application/xhtml+xml")
_TEXT = frozenset(
    ("application/xml", "application/javascript", "application/ecmascript", "application/yaml",
     "application/x-yaml", "application/toml", "application/sql", "application/graphql",
     "application/x-www-form-urlencoded", "application/x-sh",
     "application/x-javascript", "image/svg+xml", "message/rfc822")
)  # fmt: skip
_UNKNOWN = ("", "application/octet-stream", "binary/octet-stream", "application/unknown")
_MARKUP = re.compile(
    rb"\s*+(?:(?><!--.*?-->)\s*+)*+<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_SAMPLE = 2_048
# https://mimesniff.spec.whatwg.org/, the formats that occur under a wrong name
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"{\\rtf", "application/rtf"),  # it may have pictures as bytes, and names its encodings
    (b"PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x7fELF", "application/x-executable"),
    (b"\x00asm", "application/wasm"),
    (b"OggS\x00", "application/ogg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
)
_INNER_MAGIC = (  # after the length of the first box or chunk
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypavi", "image/avif"),
    (4, b"ftyphei", "image/heic"),
    (4, b"ftyp", "video/mp4"),
)
_CERTAIN = frozenset((*PACKAGES, "application/pdf"))
"""Types that the bytes alone decide, whatever the server says."""
_LINES_OF_JSON = ("application/x-ndjson", "application/jsonl", "application/x-jsonlines")
_JSON_FEED = re.compile(r"\s*+\{.{0,2000}?\"https?://(?:www\.)?jsonfeed\.org/version/", re.DOTALL)
_FEED = re.compile(
    r"\s*+(?:(?:<\?[^<>]{0,500}>|<!--[^<>]{0,2000}-->|<!DOCTYPE[^<>]{0,500}>)\s*+){0,9}"
    r"<(?:rss|feed|rdf:RDF)\b",
    re.IGNORECASE,
)
_FEED_TYPE = "application/rss+xml"
_SELF_CLOSED = re.compile(
    r"<(script|title|iframe|style|textarea|noscript|noframes|noembed|xmp|div|span|p|a|select|button"
    r"|b|i|em|strong|td|th|li|h[1-6]|section|article|aside|canvas|video|audio|object)"
    r"(?=[\s/])((?:\"[^\"<]*\"|'[^'<]*'|[^<>\"'])*+)(?<=/)>",
    re.IGNORECASE,
)
"""Elements that end by `/>` in XML, where HTML takes that for a beginning."""
_XML = ("text/xml", "application/xml", "", "text/plain")
# Bytes that no text has (https://mimesniff.spec.whatwg.org/#binary-data-byte).
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
# Controls but tab and line feed; characters that are invisible or reorder what is seen, in which
# a page can hide words from people (joiners are left: scripts and emoji need them).
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def kind_of(media_type: str, body: bytes) -> tuple[Kind, str]:
    """Return what `body` is and its media type: the declared one unless the bytes belie it."""
    magic = _magic(body)
    if magic is not None:
        named = media_type.startswith(("image/", "audio/", "video/", "application/"))
        is_told = named and media_type not in _UNKNOWN and magic not in _CERTAIN
        return "binary", media_type if is_told else magic
    if media_type in (*_UNKNOWN, *_HTML) and _is_feed(body):
        media_type = _FEED_TYPE
    if media_type in _UNKNOWN:
        return _sniffed(media_type, body)
    if media_type in _HTML:
        return "html", media_type
    if is_json(media_type):
        return "json", media_type
    if media_type.startswith("text/") or media_type in _TEXT or media_type.endswith("+xml"):
        return "text", media_type
    # An error or a log-in in place of the file.
    return ("html", "text/html") if _MARKUP.match(body[:_SAMPLE]) else ("binary", media_type)


def _is_feed(body: bytes) -> bool:
    """Whether a body begins as a feed does, whatever its server calls it."""
    return _FEED.match(body[:_SAMPLE].removeprefix(BOM_UTF8).decode("latin-1")) is not None


def self_closed(page: str, media_type: str) -> str:
    """Return an XHTML page with ends for elements that HTML does not close by `/>`."""
    if media_type != _HTML[1]:
        return page
    return _SELF_CLOSED.sub(lambda tag: f"<{tag[1]}{tag[2][:-1]}></{tag[1]}>", page)


def _magic(body: bytes) -> str | None:
    types = (mime for start, mime in _MAGIC if body.startswith(start))
    inner = (mime for at, mark, mime in _INNER_MAGIC if body.startswith(mark, at))
    magic = next(types, None) or next(inner, None)
    return package_type(body) if magic == ZIP else magic


def _sniffed(media_type: str, body: bytes) -> tuple[Kind, str]:
    if _MARKUP.match(body[:_SAMPLE]):
        return "html", media_type or "text/html"
    if _BINARY.search(body[:_SAMPLE]) and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "binary", media_type or "application/octet-stream"
    return "text", media_type or "text/plain"


def is_json(media_type: str) -> bool:
    """Whether it is JSON, or lines of it."""
    return media_type.endswith(("/json", "+json")) or media_type in _LINES_OF_JSON


def converted_type(media_type: str, text: str) -> str:
    """The type that a text is converted by: a feed is one under a plain name as well."""
    if media_type == "application/json" and _JSON_FEED.match(text):
        return "application/feed+json"
    return _FEED_TYPE if media_type in _XML and _FEED.match(text) else media_type


def text_of(kind: Kind, body: bytes, content_type: str) -> str:
    """Decode a body that is not binary, with uniform line ends and without hidden characters."""
    text = decode(body, content_type, markup=kind != "json")
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def visible(text: str) -> str:
    """Return `text` without control characters and characters that nobody sees."""
    return _UNSEEN.sub("", text)
