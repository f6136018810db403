"""Answers from a HAR of any tool, in place of the servers' own."""

import hashlib
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from strap import UsageError, record
from strap.evidence.har import entries_of
from strap.evidence.redaction import MASK
from strap_browser.engine.traffic.paused_request import Decision, Fail, Fulfil, PausedRequest

LARGEST = 200_000_000
"""Bytes of a HAR that is read: as many as a recording has."""
LARGEST_BODY = 5_000_000
"""Bytes of an answer: it goes to the browser in one message."""
DROPPED = frozenset(
    (*("content-encoding", "content-length", "transfer-encoding"), "connection", "keep-alive")
)
"""Fields about how an answer came over the wire: its body is kept as it was decoded."""
Key = tuple[str, str]


@record(frozen=False)
class _RequestAnswers:
    """The answers to one request, as they came."""

    answers: list[tuple[bytes, Fail | Fulfil]]
    """Each with the hash of what was sent for it."""
    following: int = 0


class HarAnswers:
    """The answers of a file by method and address; several to the same come in their order."""

    def __init__(self, path: Path) -> None:
        """Blocks; raises `UsageError` for a file that is no HAR, and `OSError`."""
        self.name = path.name
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path.name!r} is too large: {LARGEST:,} bytes are the limit.")
        self._answers: dict[Key, _RequestAnswers] = {}
        for entry in entries_of(path):
            try:
                self._add(entry)
            except (AttributeError, KeyError, TypeError, ValueError):  # one entry is damaged
                continue
        self.count = sum(len(answers.answers) for answers in self._answers.values())
        if not self.count:
            raise UsageError(f"{path.name!r} has no answer with a body.")

    def answer(self, request: PausedRequest) -> Decision:
        """Return the answer to a request, None where the file has none."""
        known = self._answers.get((request.method, request.url))
        if known is None:
            return _preflight(request)
        sent = _hash(request.posted or b"")
        same = [answer for answer in known.answers if answer[0] == sent] or known.answers
        chosen = same[min(known.following, len(same) - 1)]
        known.following += 1
        return chosen[1]

    def _add(self, entry: Mapping[str, Any]) -> None:
        request, response = entry["request"], entry["response"]
        decision = _decision(response)
        if decision is not None:
            url = request["url"].partition("#")[0]
            cached = self._answers.setdefault(
                (request["method"].upper(), url), _RequestAnswers(answers=[])
            )
            sent = ((request.get("postData") or {}).get("text") or "").encode("utf-8", "replace")
            cached.answers.append((_hash(sent), decision))


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _decision(response: Mapping[str, Any]) -> Fail | Fulfil | None:
    status = int(response["status"])
    if status <= 0:
        return Fail(reason="Failed")
    content = response.get("content") or {}
    body = _body(content)
    if body is None or len(body) > LARGEST_BODY or not 200 <= status <= 599:
        return None
    headers = dict[str, str]()
    for name, value in _headers(response.get("headers") or []):
        known = headers.get(name)
        headers[name] = value if known is None else f"{known}\n{value}"
    if content.get("encoding") != "base64" and body:
        mime = headers.get("content-type") or content.get("mimeType") or "text/plain"
        headers["content-type"] = f"{mime.partition(';')[0]}; charset=utf-8"
    return Fulfil(status=status, headers=headers, body=body)


def _headers(fields: list[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield what a browser may be told: nothing that was masked, no pseudo field of HTTP/2."""
    for field in fields:
        name, value = str(field["name"]).lower(), str(field["value"])
        if name not in DROPPED and not name.startswith(":") and MASK not in value:
            yield name, value


def _body(content: Mapping[str, Any]) -> bytes | None:
    """Return a body, None where the file left it out."""
    if (text := content.get("text")) is None:
        return b"" if int(content.get("size") or 0) <= 0 else None
    if content.get("encoding") == "base64":
        try:
            return b64decode(text, validate=False)
        except NoBase64:
            return None
    return str(text).encode("utf-8", "replace")


def _preflight(request: PausedRequest) -> Decision:
    """Allow what the page asks for: many tools leave preflights out (Fetch, CORS protocol)."""
    method = request.header("access-control-request-method")
    if request.method != "OPTIONS" or not method:
        return None
    allowed = {
        "access-control-allow-origin": request.header("origin") or "*",
        "access-control-allow-methods": method,
        "access-control-allow-headers": request.header("access-control-request-headers") or "*",
        "access-control-allow-credentials": "true",
    }
    return Fulfil(status=204, headers=allowed)
