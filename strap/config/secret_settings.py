"""The tables `[secrets.NAME]` of the configuration; imported only where there are any."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from strap.config.name_lists import split_names
from strap.config.secrets import NAME, Secret, Secrets, origin_of
from strap.config.validation_words import describe_error
from strap.credentials.disclosed import CODE
from strap.credentials.totp import CodeSource, read_key
from strap.credentials.vault_command import VaultCommand
from strap.errors import ActionError, StartupError

SHORTEST = 8
"""Characters: shorter ones could not be masked without masking words."""


def _origin(text: str) -> str:
    try:
        if urlsplit(text).path.strip("/"):
            raise ValueError(text)
        return origin_of(text)
    except ValueError:
        raise ValueError("must be like 'https://api.example.com'") from None


def _fault(text: str) -> str:
    """Return why a value could not be masked, "" where it can."""
    fits = len(text) >= SHORTEST and text.isprintable() and text == " ".join(text.split())
    return "" if fits else f"must be {SHORTEST} or more printable characters, words by one space"


def _maskable(value: SecretStr) -> SecretStr:
    if fault := _fault(value.get_secret_value()):
        raise ValueError(fault)
    return value


def _key(value: SecretStr) -> SecretStr:
    read_key(value.get_secret_value())
    return value


def _words(value: Any) -> Any:
    """Read a command of the environment: a list in JSON, or words as a shell parts them."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value) if value.lstrip().startswith("[") else shlex.split(value)
    except ValueError:
        raise ValueError('must be like ["op", "read", "op://vault/item/field"]') from None


def _name(text: str) -> str:
    if NAME.fullmatch(text) is None:
        raise ValueError("must be named by letters, digits, '-' and '_'")
    return text


Command = Annotated[
    tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_words), Field(min_length=1)
]


class NamedSecret(BaseModel):
    """One secret: `[secrets.NAME]`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    value: Annotated[SecretStr, AfterValidator(_maskable)] | None = None
    """Value that `{{NAME}}` stands for."""
    command: Command | None = None
    """A program and its arguments, run when the secret is used: its output is the value."""
    totp: Annotated[SecretStr, AfterValidator(_key)] | None = None
    """A base32 key or an `otpauth:` address; `{{NAME.code}}` is a one-time code of it."""
    totp_command: Command | None = None
    """A program and its arguments, which gives that key, or the code."""
    origins: Annotated[
        tuple[Annotated[str, AfterValidator(_origin)], ...],
        split_names,
        Field(min_length=1),
    ]
    """The only origins that it is given to, as in `https://api.example.com`."""

    @model_validator(mode="after")
    def _has_values(self) -> "NamedSecret":
        for first, other in (("value", "command"), ("totp", "totp_command")):
            if getattr(self, first) is not None and getattr(self, other) is not None:
                raise ValueError(f"has {first!r} and {other!r}: give one of them")
        if (self.value, self.command, self.totp, self.totp_command) == (None,) * 4:
            raise ValueError("needs 'value', 'command', 'totp' or 'totp_command'")
        return self

    def named(self, name: str, home: Path) -> Iterator[tuple[str, Secret]]:
        """Yield the secrets by the names that calls give."""
        if self.value is not None:
            yield name, Secret(value=self.value.get_secret_value(), origins=self.origins)
        if self.command is not None:
            yield name, Secret(source=VaultSource(name, self.command), origins=self.origins)
        if self.totp is not None or self.totp_command is not None:
            vault = VaultCommand(name + CODE, self.totp_command) if self.totp_command else None
            source = CodeSource(name + CODE, vault.read if vault else self._totp, home / "codes")
            yield name + CODE, Secret(source=source, origins=self.origins)

    async def _totp(self) -> str:
        assert self.totp is not None
        return self.totp.get_secret_value()


class VaultSource:
    """Values that a vault's command gives, if they can be masked."""

    def __init__(self, name: str, command: tuple[str, ...]) -> None:
        self._name = name
        self._vault = VaultCommand(name, command)

    async def read(self, origin: str) -> str:
        """Return the value; raises `ActionError`."""
        value = await self._vault.read()
        if fault := _fault(value):
            raise ActionError(
                f"The value that the command of the secret {self._name!r} gives {fault}.",
                hint="Let the command print the password alone.",
                code="secret_unavailable",
            )
        return value


_Name = Annotated[str, AfterValidator(_name)]


def read(tables: Any, home: Path) -> Secrets:
    """Read the tables `[secrets.NAME]`; raises `StartupError` that shows no value.

    `home` is the data directory, in which processes tell each other of codes.
    """
    try:
        parsed = TypeAdapter(dict[_Name, NamedSecret]).validate_python(tables)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(("secrets", *(str(part) for part in first["loc"] if part != "[key]")))
        raise StartupError(
            f"Setting {key!r}: {describe_error(first)}.",
            hint="A table [secrets.NAME] has 'origins', and 'value', 'command' or 'totp'.",
        ) from None
    return Secrets(
        dict(pair for name, secret in parsed.items() for pair in secret.named(name, home))
    )
