"""The table `[serve.oauth]`: whose access tokens are taken, and what their scopes allow."""

import re
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

LOCAL_HOSTS = ("127.0.0.1", "[::1]", "::1", "localhost")
SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
"""RFC 6749, 3.3."""
_URLS = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))


def _identifier(url: str) -> str:
    """Check a URL that is compared letter by letter (RFC 8414, 2; RFC 9728, 1.2)."""
    try:
        canonical = str(_URLS.validate_python(url))
    except ValidationError:
        raise ValueError(f"{url!r} is not a valid URL") from None
    if canonical != url:
        raise ValueError(f"{url!r} has to be written {canonical!r}")
    parts = urlsplit(url)
    if parts.query or parts.fragment or "@" in parts.netloc or url.endswith(("?", "#")):
        raise ValueError(f"{url!r} may have neither user, query nor fragment")
    if parts.scheme != "https" and parts.hostname not in LOCAL_HOSTS:
        raise ValueError(f"{url!r} has to begin with https://; http:// is for this machine alone")
    return url


def host_and_port(identifier: str) -> str:
    """Return `host:port` of an identifier, as `allow_hosts` has it."""
    parts = urlsplit(identifier)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _scope(scope: str) -> str:
    if not SCOPE.fullmatch(scope):
        raise ValueError(
            f"{scope!r} is not a valid scope: it has visible ASCII, and no quotes or \\"
        )
    return scope


Identifier = Annotated[str, AfterValidator(_identifier)]
Scope = Annotated[str, AfterValidator(_scope)]


class OAuthSettings(BaseModel):
    """Access tokens (JWT) of OAuth issuers; strap itself issues none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    resource: Identifier
    """URL of the server as clients write it: what tokens have to be meant for (`aud`)."""
    issuers: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """URLs of those who issue tokens, as these name them (`iss`)."""
    scopes: tuple[Scope, ...] = ()
    """Scopes that each token has to have."""
    allow: dict[Scope, tuple[str, ...]] = {}
    """Patterns of actions by scope: a token may call what its scopes allow, of what the server
    allows. Empty: all that the server allows."""
    principals: Annotated[int, Field(ge=1)] = 100
    """Most subjects at a time; one who has no session and calls nothing is forgotten in time."""

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if len(set(self.issuers)) < len(self.issuers):
            raise ValueError("two issuers are the same")
        return self

    @property
    def known_scopes(self) -> tuple[str, ...]:
        """The scopes that mean something here."""
        return tuple(dict.fromkeys((*self.scopes, *self.allow)))

    def granting(self, scopes: frozenset[str]) -> tuple[str, ...] | None:
        """Those of `scopes` that decide what may be called; None where they do not suffice."""
        granting = tuple(scope for scope in self.allow if scope in scopes)
        missing = set(self.scopes) - scopes or (self.allow and not granting)
        return None if missing else granting

    def patterns(self, granting: tuple[str, ...]) -> tuple[str, ...]:
        """Return the patterns of actions that these scopes allow."""
        if not self.allow:
            return ("*",)
        return tuple(dict.fromkeys(pattern for scope in granting for pattern in self.allow[scope]))
