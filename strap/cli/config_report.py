"""Report of `strap config show`: the configuration as TOML, with the origin of each setting."""

import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any

from strap.config import Config
from strap.credentials.disclosed import CODE
from strap.routing.assembly import make_router

_OTHERS = ("secrets", "logins", "plugins", "environ", "source")
_BARE = str.maketrans("-_", "aa")


def report(config: Config, flags: Collection[str]) -> Iterator[str]:
    """Yield the lines; `flags` are the settings that options were given for."""
    in_file = tomllib.loads(config.source.read_text("utf-8")) if config.source else {}
    for field in fields(config):
        value = getattr(config, field.name)
        if field.name not in _OTHERS and value is not None:
            yield f"{field.name} = {_toml(value)}  # {_origin(config, field.name, flags, in_file)}"
    secrets = {
        name.removesuffix(CODE): named_secret
        for name, named_secret in config.secrets.as_json().items()
    }
    for name, secret in sorted(secrets.items()):
        yield from _table(f"secrets.{_key(name)}", {"origins": secret["origins"]})
    for name, login in sorted(config.logins.items()):
        yield from _table(f"logins.{_key(name)}", login if isinstance(login, Mapping) else {})
    for name, settings in sorted(make_router(config).catalog.settings.items()):
        table = settings.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        if table:
            yield from _table(f"plugins.{_key(name)}", table, config.plugins.get(name, {}))


def _origin(config: Config, name: str, flags: Collection[str], in_file: Collection[str]) -> str:
    variable = f"STRAP_{name.upper()}"
    if name in flags:
        return "an option"
    if config.environ.get(variable):
        return variable
    return str(config.source) if name in in_file else "default"


def _table(
    path: str, table: Mapping[str, Any], in_file: Mapping[str, Any] | None = None
) -> Iterator[str]:
    yield f"\n[{path}]"
    for key, value in table.items():
        if not isinstance(value, dict):
            origin = "" if in_file is None or key in in_file else "  # the environment"
            yield f"{_key(key)} = {_toml(value)}{origin}"
    for key, value in table.items():
        if isinstance(value, dict):
            below = None if in_file is None else in_file.get(key, {})
            yield from _table(f"{path}.{_key(key)}", value, below)


def _key(name: str) -> str:
    bare = name.isascii() and name.translate(_BARE).isalnum()
    return name if bare else json.dumps(name)


def _toml(value: Any) -> str:
    """Write a value; what JSON and TOML share is enough for those of settings."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value if isinstance(value, bool | int | float) else str(value))
