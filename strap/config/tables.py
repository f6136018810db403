"""Tables of settings: those of the file, and what the environment puts into them."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

_CONTAINERS = frozenset({"list_type", "tuple_type", "dict_type", "model_type", "set_type"})


def from_environment(name: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the entries of the table `name` in the environment: `STRAP_NAME__TABLE__KEY`."""
    prefix, values = f"STRAP_{name}__", dict[str, Any]()
    for variable, value in environ.items():
        if variable.startswith(prefix):
            key, *tables = reversed(variable.removeprefix(prefix).lower().split("__"))
            entry: dict[str, Any] = {key: value}
            for table in tables:
                entry = {table: entry}
            values = merged(values, entry)
    return values


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of both; those of `above` win, tables in both are merged."""
    both = dict(below)
    for key, value in above.items():
        old = both.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            both[key] = merged(old, value)
        else:
            both[key] = value
    return both


def with_json(values: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return `values` with the JSON decoded that stands where a list or a table should be."""
    decoded = values
    for item in error.errors(include_url=False):
        if item["type"] in _CONTAINERS and isinstance(item["input"], str):
            with suppress(ValueError, RecursionError):
                entry = json.loads(item["input"])
                for part in reversed(item["loc"]):
                    entry = {str(part): entry}
                decoded = merged(decoded, entry)
    return decoded


def settings_from_environment(
    plugin: str, model: type[BaseModel], environ: Mapping[str, str]
) -> dict[str, Any]:
    """The settings of a plugin by the variables for its table, and by those of their own."""
    values = from_environment(plugin.upper(), environ)
    for key, info in model.model_fields.items():
        if own_variable(info) in environ:
            values.setdefault(key, environ[own_variable(info)])
    return values


def without_replaced(
    table: Mapping[str, Any], variables: Mapping[str, Any], model: type[BaseModel]
) -> Mapping[str, Any]:
    """Return `table` without the keys that `variables` replace."""
    fields = (model.model_fields[key] for key in variables if key in model.model_fields)
    replaced = {_extra(info, "instead_of") for info in fields}
    return {key: value for key, value in table.items() if key not in replaced or key in variables}


def own_variable(info: FieldInfo) -> str:
    """Return the further variable of a setting, "" if it has none."""
    return _extra(info, "env")


def _extra(info: FieldInfo, name: str) -> str:
    extra = info.json_schema_extra
    value = extra.get(name) if isinstance(extra, dict) else None
    return value if isinstance(value, str) else ""
