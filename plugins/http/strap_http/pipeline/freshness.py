"""Rules for a private cache: storable responses, and how long they stay fresh (RFC 9111)."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx2

from strap import record
from strap_http.message.request import Request
from strap_http.message.response import Response

CONDITIONS = frozenset(
    ("if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range")
)
"""Fields with which the caller does its own caching, or asks for a part."""
# What belongs to one transfer, or to cookies, and not to the content.
_UNKEPT = frozenset(
    ("connection", "content-encoding", "content-length", "keep-alive", "proxy-authenticate",
     "set-cookie", "set-cookie2", "trailer", "transfer-encoding", "upgrade")
)  # fmt: skip
_LONGEST = 365 * 86_400
# The three forms of a date (RFC 9110 5.6.7): what has another one is over already (RFC 9111 5.3).
_HTTP_DATE = re.compile(
    r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"
    r"|\w{6,9}, \d\d-\w{3}-\d\d \d\d:\d\d:\d\d GMT"
    r"|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}",
    re.ASCII | re.IGNORECASE,
)


@record
class Stored:
    """A kept response; `variant` maps the fields of Vary to digests of the request's."""

    response: Response
    sent: float
    came: float
    variant: Mapping[str, str]

    def answers(self, request: Request) -> bool:
        """Whether it is what `request` would get, by the fields that Vary names."""
        return _variant(self.response, request) == self.variant

    def age(self, now: float) -> float:
        """Seconds since the origin made or confirmed it (RFC 9111 4.2.3)."""
        headers = self.response.headers
        date = _date(headers.get("date", ""))
        apparent = max(0.0, self.came - date) if date is not None else 0.0
        first, *_ = headers.get("age", "").split(",")
        stated = _seconds(first) or 0.0
        return max(apparent, stated + self.came - self.sent) + max(0.0, now - self.came)

    def fresh(self, request: Request, now: float) -> bool:
        """Whether it may be used without asking; there is no guessing from Last-Modified."""
        request_rules, own_rules = (
            directives(dict(request.fields)),
            directives(self.response.headers),
        )
        if "no-cache" in request_rules or "no-cache" in own_rules:
            return False
        most = _seconds(request_rules["max-age"]) if "max-age" in request_rules else _LONGEST
        return self.age(now) < min(_lifetime(self.response.headers, own_rules), most or 0.0)

    def conditional(self, request: Request) -> Request:
        """The request that asks whether it has changed."""
        headers = self.response.headers
        pairs = (("if-none-match", "etag"), ("if-modified-since", "last-modified"))
        added = tuple((field, headers[name]) for field, name in pairs if name in headers)
        return replace(request, fields=(*request.fields, *added))

    def confirmed(self, answer: Response, sent: float, came: float) -> "Stored | None":
        """The same, made anew by a 304, or None where that is about something else."""
        mine, theirs = self.response.headers.get("etag"), answer.headers.get("etag")
        if mine and theirs and mine.removeprefix("W/") != theirs.removeprefix("W/"):
            return None
        fields = _storable_fields(answer.headers)
        names = {name.lower() for name, _ in fields}
        mine_left = [
            pair for pair in _storable_fields(self.response.headers) if pair[0].lower() not in names
        ]
        response = replace(self.response, headers=httpx2.Headers(mine_left + fields))
        return replace(self, response=response, sent=sent, came=came)


def may_look(request: Request) -> bool:
    """Whether a cache may have a say in `request` at all."""
    fields = dict(request.fields)
    return (
        request.method == "GET"
        and CONDITIONS.isdisjoint(fields)
        and "no-store" not in directives(fields)
    )


def storable(request: Request, response: Response, sent: float, came: float) -> Stored | None:
    """Return `response` to store; None if it may not be stored or nothing would be gained."""
    rules = directives(response.headers)
    usable = "etag" in response.headers or "last-modified" in response.headers
    usable = usable or _lifetime(response.headers, rules) > 0
    if response.status != 200 or not response.complete or "no-store" in rules or not usable:
        return None
    if "*" in _varying(response):
        return None
    clean = replace(response, headers=httpx2.Headers(_storable_fields(response.headers)), notes=())
    return Stored(response=clean, sent=sent, came=came, variant=_variant(response, request))


def directives(headers: Mapping[str, str]) -> dict[str, str]:
    """The directives of Cache-Control in lower case, their arguments unquoted."""
    values: dict[str, str] = {}
    for item in headers.get("cache-control", "").split(","):
        name, _, argument = item.partition("=")
        if name.strip():
            values.setdefault(name.strip().lower(), argument.strip().strip('"'))
    if not values and "no-cache" in headers.get("pragma", "").lower():
        values["no-cache"] = ""
    return values


def _storable_fields(headers: httpx2.Headers) -> list[tuple[bytes, bytes]]:
    """The fields that belong to the content, as they came: they need not be ASCII."""
    return [(k, v) for k, v in headers.raw if k.decode("latin-1").lower() not in _UNKEPT]


def _lifetime(headers: httpx2.Headers, rules: Mapping[str, str]) -> float:
    """Seconds for which the origin vouches, 0 where it says nothing (RFC 9111 4.2.1)."""
    if "max-age" in rules:
        return _seconds(rules["max-age"]) or 0.0
    expires, date = _date(headers.get("expires", "")), _date(headers.get("date", ""))
    return max(0.0, expires - date) if expires is not None and date is not None else 0.0


def _varying(response: Response) -> set[str]:
    names = response.headers.get_list("vary", split_commas=True)
    return {name.strip().lower() for name in names if name.strip()}


def _variant(response: Response, request: Request) -> dict[str, str]:
    sent = dict(request.fields)
    return {
        name: hashlib.sha256(sent.get(name, "").encode("utf-8", "replace")).hexdigest()
        for name in sorted(_varying(response))
    }


def _seconds(text: str) -> float | None:
    text = text.strip()
    return float(text[:9]) if text.isascii() and text.isdigit() else None


def _date(text: str) -> float | None:
    if not _HTTP_DATE.fullmatch(text):
        return None
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
