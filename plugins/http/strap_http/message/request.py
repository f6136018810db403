"""A request, validated: method, header fields and body."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from strap import OWN_REQUEST, UsageError, record

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
BODILESS = ("GET", "HEAD")
ACCEPT = "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.9,*/*;q=0.8"
MARKDOWN_FIRST = (
    "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/json;q=0.8,"
    "text/*;q=0.8,*/*;q=0.7"
)
"""For what is read: some sites have their pages as Markdown too, without all around them."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
# What decides where a message goes and where it ends is set by the client alone.
_RESERVED = frozenset(
    ("connection", "content-length", "expect", "host", "keep-alive", "te", "trailer",
     "transfer-encoding", "upgrade", OWN_REQUEST)
)  # fmt: skip
# All that another origin gets to see after a redirect; credentials come under any other name.
_PORTABLE = frozenset(
    ("accept", "accept-language", "cache-control", "content-type", "range", "user-agent")
)
MAX_HEADERS = 32_768
"""Characters of all header fields of a request: servers take no more."""


@record
class Request:
    """A request to be sent; `fields` are pairs of a lower-case name and a value."""

    method: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    led_by: str = ""
    """The URL of what named `url`, where no caller did: it leads into no more private network."""

    @property
    def credentials(self) -> tuple[str, ...]:
        """All fields that may say who asks, as `name: value`."""
        known = _PORTABLE | {name for name, _ in self.fields if name.startswith("content-")}
        return tuple(sorted(f"{n}: {v}" for n, v in self.fields if n not in known))

    def preferring_markdown(self) -> "Request":
        """The same request, with Markdown first unless it has an Accept field of its caller."""
        fields = tuple(
            (name, MARKDOWN_FIRST if (name, value) == ("accept", ACCEPT) else value)
            for name, value in self.fields
        )
        return replace(self, fields=fields)

    def at(self, url: str) -> "Request":
        """The same request to another URL."""
        return replace(self, url=url)

    def with_cookie(self, cookie: str | None) -> "Request":
        """The same request with a Cookie field, unless it has its own."""
        if cookie is None or any(name == "cookie" for name, _ in self.fields):
            return self
        return replace(self, fields=(*self.fields, ("cookie", cookie)))

    def without_body(self, method: str) -> "Request":
        """The same request as a `method` without content and without fields about content."""
        fields = tuple(field for field in self.fields if not field[0].startswith("content-"))
        return replace(self, method=method, fields=fields, body=None)

    def without_credentials(self) -> "Request":
        """The same request as another origin may see it."""
        return replace(self, fields=tuple(field for field in self.fields if field[0] in _PORTABLE))


def build(
    method: str, url: str, headers: Mapping[str, str], body: str | None, *, user_agent: str
) -> Request:
    """Validate the parts of a request; raises `UsageError` naming the part at fault."""
    method = method.strip().upper()
    if method not in METHODS:
        raise UsageError(
            f"The method {method[:20]!r} is not supported.", hint=f"{_listed(METHODS)}."
        )
    if body is not None and method in BODILESS:
        raise UsageError(
            f"A {method} request has no body.", hint="Use method=POST, or leave body out."
        )
    fields = {"accept": ACCEPT, "user-agent": user_agent}
    content = None if body is None else body.encode("utf-8", "replace")
    if body is not None:
        fields["content-type"] = _type_of(body)
    if (length := sum(len(name) + len(value) for name, value in headers.items())) > MAX_HEADERS:
        raise UsageError(
            f"The headers have {length:,} characters; {MAX_HEADERS:,} are the most.",
            hint="Send what is large as body.",
        )
    fields |= {_checked_name(name): _checked_value(name, v) for name, v in headers.items()}
    return Request(method=method, url=url, fields=tuple(fields.items()), body=content)


def _listed(names: tuple[str, ...]) -> str:
    return f"Valid: {', '.join(names)}"


def _checked_name(name: str) -> str:
    lower = name.strip().lower()
    if not _TOKEN.fullmatch(lower):
        raise UsageError(
            f"{name!r} is not the name of a header.",
            hint="Names are letters, digits and hyphens, as in 'X-Api-Key'.",
        )
    if lower in _RESERVED or lower.startswith("proxy-"):
        raise UsageError(
            f"The header {name!r} cannot be set.", hint="It follows from the url and the body."
        )
    return lower


def _checked_value(name: str, value: str) -> str:
    stripped = value.strip(" \t")
    if _CONTROL.search(stripped):
        raise UsageError(
            f"The header {name!r} has a line break or a control character in it.",
            hint="Write its value in one line.",
        )
    return stripped


def _type_of(body: str) -> str:
    if body.lstrip()[:1] in ("{", "["):
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            pass
        else:
            return "application/json"
    return "text/plain; charset=utf-8"
