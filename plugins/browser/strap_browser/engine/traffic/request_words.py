"""Requests in words: what each would send, by the names of its fields."""

import json
from contextlib import suppress
from email import policy
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qsl

from strap.evidence.redaction import MASK, is_private, without_secrets
from strap_browser.engine.traffic.paused_request import PausedRequest

SHOWN = 60
"""Characters shown of a value."""
MOST_FIELDS = 30
"""Fields shown of a body."""
MOST_READ = 256 * 1024
"""Bytes of a body that is read: a larger one would hold up the other calls."""


def in_words(request: PausedRequest) -> str:
    """Return what a request sends, in a line."""
    return f"{request.method} {without_secrets(request.url)} {body_in_words(request)}".rstrip()


def lines(request: PausedRequest) -> str:
    """Return what a request sends, a line for each field."""
    fields = _read(request)
    if not isinstance(fields, dict):
        return body_in_words(request)
    shown = [f"{json.dumps(name)}: {_json(value)}" for name, value in _shown("", fields).items()]
    return "\n".join(shown) + _more(fields)


def body_in_words(request: PausedRequest) -> str:
    """Return what a request sends by the names of its fields, files by name and size."""
    posted = request.posted
    if posted is None:
        return "(a body that the browser does not tell)" if request.keeps_posted else ""
    fields, kind = _read(request), request.header("content-type")
    if fields is not None:
        shown = _json(_shown("", fields))
        return (shown if isinstance(fields, dict) else shown[: SHOWN * 4]) + _more(fields)
    size = f"({len(posted):,} bytes of {kind.partition(';')[0] or 'no type'})"
    if not kind.startswith("text/"):
        return size
    text = _shown("", without_secrets(posted[:MOST_READ].decode("utf-8", "replace")))
    return f"{size} {_json(text)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _more(fields: Any) -> str:
    more = len(fields) - MOST_FIELDS if isinstance(fields, dict | list) else 0
    return f" and {more} more fields" if more > 0 else ""


def _read(request: PausedRequest) -> Any:
    """Return the fields of a body, None where it has none, or too many bytes."""
    if request.posted is not None and len(request.posted) <= MOST_READ:
        with suppress(ValueError, RecursionError):
            return _fields(request.header("content-type"), request.posted, request.resource_type)
    return None


def _fields(kind: str, posted: bytes, resource_type: str) -> Any:
    """Return the fields of a body, None where it has none; raises `ValueError`."""
    if "json" in kind or posted[:1] in (b"{", b"["):
        return json.loads(posted, object_pairs_hook=_joined)  # a name may be there twice
    if kind.startswith("text/plain") and resource_type == "Document":  # a form's `enctype`
        pairs = (line.partition("=") for line in posted.decode("utf-8", "replace").splitlines())
        return _joined([(name, value) for name, _, value in pairs])
    if kind.startswith("application/x-www-form-urlencoded"):
        return _joined(parse_qsl(posted.decode("utf-8", "replace"), keep_blank_values=True))
    if kind.startswith("multipart/form-data"):
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = BytesParser(policy=policy.HTTP).parsebytes(head + posted).iter_parts()
        return _joined([_part(part) for part in parts])
    return None


def _part(part: Any) -> tuple[str, str]:
    content = part.get_payload(decode=True) or b""
    name = str(part.get_param("name", "", header="content-disposition"))
    if (file := part.get_filename()) is None:
        return name, content.decode("utf-8", "replace").rstrip("\r\n")
    return name, f"file {file!r}" + (f", {len(content):,} bytes" if content.strip() else "")


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, list[Any]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


def _shown(name: str, value: Any) -> Any:
    if is_private(name):
        return MASK
    if isinstance(value, dict):
        return {key: _shown(key, item) for key, item in list(value.items())[:MOST_FIELDS]}
    if isinstance(value, list):
        return [_shown("", item) for item in value[:MOST_FIELDS]]
    long = isinstance(value, str) and len(value) > SHOWN
    return f"{value[:SHOWN]}… ({len(value):,} characters)" if long else value
