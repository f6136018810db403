"""`Params`: the fields of one action, flat and validated."""

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

MAX_STRING = 1_000_000
"""Longest string, in characters, that a field takes unless it says otherwise."""


def _string_map(value: Any) -> Any:
    """Accept a JSON object in a string: some clients flatten nested arguments that way."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _string_list(value: Any) -> Any:
    """Accept a JSON array in a string, or one string for a list of one."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return [value]
    return [value]


StringMap = Annotated[dict[str, str], BeforeValidator(_string_map)]
"""A map of strings to strings, such as HTTP headers."""

StringList = Annotated[list[str], BeforeValidator(_string_list)]
"""A list of strings."""


class Params(BaseModel):
    """Base of the parameters of every action; subclass it with one annotated field each.

    Fields are scalars, lists of scalars or a `StringMap`; the same name means the same shape in
    every action. A string below a field is its documentation. `null` counts as left out. Only
    `help` tells of a field with `json_schema_extra={"advertised": False}`, not the tool.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        coerce_numbers_to_str=True,
        str_max_length=MAX_STRING,
        allow_inf_nan=False,
        defer_build=True,  # most actions are never called in a session
    )

    timeout: float | None = Field(default=None, gt=0, le=3600)
    """Seconds after which the call is given up."""
    max_tokens: int | None = Field(default=None, ge=50, le=100_000)
    """Size of the answer in tokens; 2,500 unless given."""
    session: str | None = Field(default=None, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    """Session of the caller, where it has several and the transport names none."""

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {key: value for key, value in values.items() if value is not None}
        return values


def fields_of(model: type[Params]) -> dict[str, FieldInfo]:
    """The fields by the names that callers use: an alias where Python needs another name."""
    return {info.alias or name: info for name, info in model.model_fields.items()}


COMMON = frozenset(Params.model_fields)
"""The fields that every action takes."""
