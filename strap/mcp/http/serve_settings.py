"""The table `[serve]`: replicas, named tokens, what each of their principals may use."""

import re
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from strap.config import Config
from strap.config.tables import from_environment, merged, with_json
from strap.config.validation_words import describe_error
from strap.errors import StartupError
from strap.mcp.http.identity.oauth_settings import OAuthSettings
from strap.mcp.http.identity.tokens import can_be_sent, digest

NAME = re.compile(r"[a-z0-9-]{1,24}")
"""Names of replicas and tokens: they stand in headers, patterns of proxies, names of folders."""
TokenName = Annotated[str, Field(pattern=f"^{NAME.pattern}$")]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Table):
    """Limits of one principal at a time; 0 means that only the server's limit applies."""

    sessions: NonNegativeInt = 20
    """Sessions that are open."""
    calls: NonNegativeInt = 16
    """Calls that run."""
    calls_per_minute: NonNegativeInt = 600
    """Calls in a minute; those of ten seconds may come at once."""
    pages: NonNegativeInt = 20
    """Pages that are open in a profile, in place of `max_pages` of `[plugins.browser]`."""
    runs: Annotated[int, Field(ge=0, le=16)] = 2
    """Runs of the agent, in place of `max_runs`; others wait."""
    memory_mb: NonNegativeInt = 4096
    """Memory of all browsers, in place of `max_memory_mb`."""


class TokenSettings(_Table):
    """A token by its `value` or by the SHA-256 of it, and what it may call."""

    value: SecretStr | None = None
    """The token."""
    sha256: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")] | None = None
    """The SHA-256 of the token in hexadecimal digits, in place of the token."""
    allow: tuple[str, ...] = ("*",)
    """Patterns of actions that may be called, of those that the server allows."""
    deny: tuple[str, ...] = ()
    """Patterns of actions that may not; wins over `allow`."""
    confirm: tuple[str, ...] = ()
    """Patterns of actions that need a person's yes, beside those of the server."""
    confirm_requests: tuple[str, ...] = ()
    """Hosts to which requests of pages need a person's yes, beside those of the server."""
    limits: Limits | None = None
    """Limits of its own, in place of `[serve.limits]`."""

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.value is None) == (self.sha256 is None):
            raise ValueError("a token has either a value or a sha256")
        if self.value is not None and not can_be_sent(self.value.get_secret_value()):
            raise ValueError("a token has ASCII letters, digits and signs alone, and no blanks")
        return self

    @property
    def digest(self) -> bytes:
        """Digest that a client's token is compared with."""
        if self.value is not None:
            return digest(self.value.get_secret_value())
        return bytes.fromhex(self.sha256 or "")


class ServeSettings(_Table):
    """The table `[serve]`."""

    replica: str = ""
    """Prefix of session ids: 1 to 24 of a-z, 0-9 and -. Empty for a single server."""
    metrics: int = Field(default=0, ge=0, le=65535)
    """Port at which `/metrics` is served for Prometheus; 0: nothing is counted."""
    metrics_host: str = "127.0.0.1"
    """Address of that port: whoever reaches it may look."""
    limits: Limits = Limits()
    """The table `[serve.limits]`: of each principal with a token of its own."""
    tokens: dict[TokenName, TokenSettings] = {}
    """Tables `[serve.tokens.NAME]` of named tokens."""
    oauth: OAuthSettings | None = None
    """The table `[serve.oauth]`: access tokens of OAuth issuers."""

    @field_validator("replica")
    @classmethod
    def _is_name(cls, replica: str) -> str:
        if replica and not NAME.fullmatch(replica):
            raise ValueError(f"{replica!r} is not 1 to 24 of a-z, 0-9 and -")
        return replica

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if len({token.digest for token in self.tokens.values()}) < len(self.tokens):
            raise ValueError("two tokens are the same")
        return self


def read(config: Config, **options: Any) -> ServeSettings:
    """Read `[serve]` and `STRAP_SERVE__KEY`; `options` wins, None is not. Raises `StartupError`."""
    values = merged(config.serve, from_environment("SERVE", config.environ))
    values |= {key: value for key, value in options.items() if value is not None}
    try:
        try:
            return ServeSettings.model_validate(values)
        except ValidationError as error:
            return ServeSettings.model_validate(with_json(values, error))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(("serve", *map(str, first["loc"])))
        raise StartupError(f"Setting {where!r}: {describe_error(first)}.") from None
