"""HAR 1.2 (HTTP Archive): entries with credentials masked, and reading the files of any tool."""

import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import parse_qsl, urlsplit

from strap.config.secrets import Secrets
from strap.errors import UsageError
from strap.evidence.appended_file import AppendedFile, as_line
from strap.evidence.redaction import MASK, header_value, is_private, without_secrets
from strap.records import record
from strap.version import __version__

MOST_BODY = 2_000_000
"""Bytes of a body that is kept: larger ones are rarely what somebody looks for."""
CHUNK = 1 << 20
"""Characters that are read at a time."""
PAIRED = ("json", "x-www-form-urlencoded", "text/plain")
"""Types of bodies in which credentials are masked by their names; in a script names are code."""
TEXTUAL = ("text/", "json", "javascript", "xml", "x-www-form-urlencoded", "graphql", "multipart/")
HTTP = "HTTP/1.1"
UNKNOWN = -1
"""HAR's value for an unknown time or size."""
Fields = Collection[tuple[str, str]]
_ENTRIES = re.compile(r'"entries"\s*:\s*\[')
_LOG = {"version": "1.2", "creator": {"name": "strap", "version": __version__}}
_HEAD = as_line({"log": _LOG}).removesuffix(b"}}") + b',"entries":[\n'
_TAIL = b"\n]}}\n"


def whole_har(entries: Iterable[dict[str, Any]]) -> bytes:
    """Return a file with these entries."""
    return _HEAD + b",\n".join(map(as_line, entries)) + _TAIL


class HarFile:
    """A HAR that grows; raises `OSError`."""

    def __init__(self, path: Path) -> None:
        self.file = AppendedFile(path, _HEAD, _TAIL)
        self._pages: dict[str, dict[str, Any]] = {}

    def append(self, entries: list[dict[str, Any]], pages: Mapping[str, str] | None = None) -> None:
        """Add entries, and what the pages are called that are named in them."""
        began = {
            entry["pageref"]: entry["startedDateTime"]
            for entry in entries[::-1]
            if "pageref" in entry
        }
        for name, title in (pages or {}).items():
            if name in began:
                page = {
                    "startedDateTime": began[name],
                    "id": name,
                    "title": title,
                    "pageTimings": {},
                }
                self._pages.setdefault(name, page)
        ending = b'\n],"pages":' + as_line(list(self._pages.values())) + b"}}\n"
        self.file.append(*map(as_line, entries), tail=ending if self._pages else None)


@record
class Masking:
    """Masking of entries: secrets always, other credentials unless `credentials` is true."""

    secrets: Secrets
    credentials: bool = False

    def text(self, text: str) -> str:
        """Return a text without credentials."""
        text = self.secrets.hide(text)
        return text if self.credentials else without_secrets(text)

    def field(self, name: str, value: str) -> str:
        """Return the value of a header field."""
        value = self.secrets.hide(value)
        return value if self.credentials else header_value(name, value)

    def body(self, body: bytes, mime: str) -> str | None:
        """Return a body as text, None for one that is none."""
        if not any(part in mime for part in TEXTUAL) and mime:
            return None
        for charset in ("utf-8", _charset(mime)):
            with suppress(LookupError, UnicodeDecodeError):
                text = self.secrets.hide(body.decode(charset))
                is_paired = any(part in mime for part in PAIRED) and not self.credentials
                return without_secrets(text) if is_paired else text
        return None

    def request(
        self, method: str, url: str, fields: Fields, body: bytes, version: str = HTTP
    ) -> dict[str, Any]:
        """Return a request; fields as in `headers`."""
        entry: dict[str, Any] = {
            "method": method,
            "url": self.text(url),
            "httpVersion": version,
            "cookies": self.cookies(_value(fields, "cookie"), ";"),
            "headers": self.headers(fields),
            "queryString": self.query(url),
            "headersSize": UNKNOWN,
            "bodySize": len(body),
        }
        if body:
            entry["postData"] = self.posted(body, _value(fields, "content-type"))
        return entry

    def response(
        self, status: int, fields: Fields, content: dict[str, Any], version: str = HTTP
    ) -> dict[str, Any]:
        """Return an answer; fields as in `headers`."""
        return {
            "status": status,
            "statusText": "",
            "httpVersion": version,
            "cookies": self.cookies(_value(fields, "set-cookie"), "\n"),
            "headers": self.headers(fields),
            "content": content,
            "redirectURL": self.text(_value(fields, "location")),
            "headersSize": UNKNOWN,
            "bodySize": UNKNOWN,
        }

    def headers(self, fields: Fields) -> list[dict[str, str]]:
        """Return header fields; several under one name are parted by line ends."""
        lines = [(name, line) for name, value in fields for line in value.split("\n")]
        return [{"name": name, "value": self.field(name, line)} for name, line in lines]

    def cookies(self, text: str, separator: str) -> list[dict[str, str]]:
        """Return the cookies of a header field."""
        pairs = (
            cookie.partition(";")[0].partition("=") for cookie in text.split(separator) if text
        )
        return [
            {
                "name": self.secrets.hide(name.strip()),
                "value": self.secrets.hide(value) if self.credentials else MASK,
            }
            for name, _, value in pairs
        ]

    def query(self, url: str) -> list[dict[str, str]]:
        """Return the fields of a query."""
        return self._pairs(urlsplit(url).query)

    def _pairs(self, text: str) -> list[dict[str, str]]:
        return [
            {
                "name": self.secrets.hide(name),
                "value": MASK
                if is_private(name) and not self.credentials
                else self.secrets.hide(value),
            }
            for name, value in parse_qsl(text, keep_blank_values=True)
        ]

    def posted(self, body: bytes, mime: str) -> dict[str, Any]:
        """Return what a request sends."""
        text = self.body(body[:MOST_BODY], mime)
        is_form = "x-www-form-urlencoded" in mime and text is not None
        fields = self._pairs(body[:MOST_BODY].decode("utf-8", "replace")) if is_form else []
        if text is None:
            text, note = b64encode(self.secrets.hide_bytes(body[:MOST_BODY])).decode(), "base64"
            return {"mimeType": mime, "params": fields, "text": text, "_encoding": note}
        return {"mimeType": mime, "params": fields, "text": text}

    def content(self, body: bytes | None, mime: str, why: str = "") -> dict[str, Any]:
        """Return the body of an answer, or `why` it is left out."""
        if body is None or len(body) > MOST_BODY:
            why = why or f"left out: more than {MOST_BODY:,} bytes"
            return {"size": len(body or b""), "mimeType": mime, "comment": why}
        content: dict[str, Any] = {"size": len(body), "mimeType": mime or "x-unknown"}
        text = self.body(body, mime)
        if text is None:
            encoded = b64encode(self.secrets.hide_bytes(body)).decode()
            return content | {"text": encoded, "encoding": "base64"}
        return content | {"text": text}


def _value(fields: Fields, name: str) -> str:
    """Return the value of a header field, the lines of several."""
    return "\n".join(value for key, value in fields if key.lower() == name)


def _charset(mime: str) -> str:
    match = re.search(r"charset=[\"']?([\w.-]+)", mime, re.IGNORECASE)
    return match[1] if match else "utf-8"


def as_date(seconds: float) -> str:
    """Return a time as HAR writes it (ISO 8601)."""
    return (
        datetime.fromtimestamp(seconds, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def entries_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a HAR of any tool, one in memory at a time.

    Raises `UsageError` for a file that is none, and `OSError`.
    """
    decoder, number = json.JSONDecoder(), 0
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        text, at = _beginning(file, path), 0
        while True:
            text, at = text[at:].lstrip(" \t\r\n,"), 0
            if text.startswith("]"):
                return
            try:
                entry, at = decoder.raw_decode(text)
            except (ValueError, RecursionError):
                more = file.read(max(CHUNK, len(text)))  # twice as much each time
                if not more:
                    raise UsageError(
                        f"{path.name!r} is cut off, or not valid JSON, after {number:,} entries.",
                        hint="strap doctor --mend FILE makes a recording of strap's whole.",
                    ) from None
                text += more
                continue
            number += 1
            if isinstance(entry, dict):
                yield entry


def _beginning(file: TextIO, path: Path) -> str:
    """Read up to the entries, and return what was read of them."""
    text = ""
    while more := file.read(CHUNK):
        text += more
        if match := _ENTRIES.search(text):
            return text[match.end() :]
        if not text.lstrip().startswith("{") or len(text) > 64 * CHUNK:
            break
    raise UsageError(f"{path.name!r} is not a valid HAR: it has no entries.")
