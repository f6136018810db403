"""The tables `[secrets.NAME]` of the configuration; imported only where there are any."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
)

from strap.config.name_lists import split_names
from strap.config.secrets import NAME, Secret, Secrets, origin_of
from strap.config.validation_words import describe_error
from strap.errors import StartupError

SHORTEST = 8
"""Characters: shorter ones could not be masked without masking words."""


def _origin(text: str) -> str:
    try:
        if urlsplit(text).path.strip("/"):
            raise ValueError(text)
        return origin_of(text)
    except ValueError:
        raise ValueError("must be like 'https://api.example.com'") from None


def _maskable(value: SecretStr) -> SecretStr:
    text = value.get_secret_value()
    if len(text) < SHORTEST or not text.isprintable() or text != " ".join(text.split()):
        raise ValueError(f"must be {SHORTEST} or more printable characters, words by one space")
    return value


def _name(text: str) -> str:
    if NAME.fullmatch(text) is None:
        raise ValueError("must be named by letters, digits, '-' and '_'")
    return text


class NamedSecret(BaseModel):
    """One secret: `[secrets.NAME]`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    value: Annotated[SecretStr, AfterValidator(_maskable)]
    """What `{{NAME}}` stands for."""
    origins: Annotated[
        tuple[Annotated[str, AfterValidator(_origin)], ...],
        split_names,
        Field(min_length=1),
    ]
    """The only origins that it is given to, as in `https://api.example.com`."""


_Name = Annotated[str, AfterValidator(_name)]


def read(tables: Any) -> Secrets:
    """Read the tables `[secrets.NAME]`; raises `StartupError` that shows no value."""
    try:
        found = TypeAdapter(dict[_Name, NamedSecret]).validate_python(tables)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(("secrets", *(str(part) for part in first["loc"] if part != "[key]")))
        raise StartupError(
            f"Setting {key!r}: {describe_error(first)}.",
            hint="A table [secrets.NAME] has 'value' and 'origins'.",
        ) from None
    return Secrets(
        {
            name: Secret(value=one.value.get_secret_value(), origins=one.origins)
            for name, one in found.items()
        }
    )
