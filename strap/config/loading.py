"""One frozen `Config`: file < environment < flags."""

import logging
import os
from collections.abc import Collection, Mapping
from dataclasses import field, fields
from math import inf
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from strap.config.secrets import Secrets
from strap.config.tables import (
    from_environment,
    merged,
    own_variable,
    settings_from_environment,
    with_json,
    without_replaced,
)
from strap.config.user_folders import user_folder
from strap.config.validation_words import describe_error
from strap.errors import StartupError, WrongSetting, closest, did_you_mean, one_line
from strap.faults import is_fault
from strap.network import Mode
from strap.records import record

FILE = "strap.toml"
LIST_KEYS = (
    *("allow", "deny", "confirm", "confirm_requests", "allow_hosts", "flows", "plugins_required"),
)
PATHS = ("home", "outputs", "environments")
VARIABLES = (*PATHS, "network", "flow", "keep_idle", "log", "log_format", *LIST_KEYS)
"""Keys that a variable `STRAP_KEY` sets."""
OWN_TABLES = ("STRAP_SECRETS__", "STRAP_LOGINS__", "STRAP_SERVE__", "STRAP_BATCH__")
"""Prefixes of variables that set keys of tables which belong to no plugin."""
log = logging.getLogger(__name__)
Flow = Literal["off", "watch", "ask", "strict"]
Settings = TypeVar("Settings", bound=BaseModel)


@record
class Config:
    """The settings of one strap process; plugin tables are validated by the plugin's model.

    home: data directory (profiles, runs, states, cache).
    outputs: the only folder that actions write files to; `home/outputs` unless given.
    environments: what `strap agent install` makes; `home/environments` unless given.
    network: what may be reached (`public`, `local`, `all`); left out: as the transport suggests.
    allow: patterns of actions that may be called (`http.*`, `browser.click`, `*@*.a.example:8443`).
    deny: patterns of actions that may not; wins over `allow`, also for what can do the same.
    confirm: patterns of actions that need a person's yes (`browser.click@*.bank.example`).
    confirm_requests: patterns of hosts; what a page sends there needs a yes (`*.bank.example`).
    allow_hosts: exact `host:port` pairs that the network guard lets through as well.
    plugins_required: names of plugins without which nothing starts, such as those with checks.
    flow: whether private data of a site may go to others (`off`, `watch`, `ask`, `strict`).
    flows: ways for it (`mail.example -> shop.example`), and sites that may exchange data.
    keep_idle: seconds without a call after which a kept session of the command line ends.
    log: level of the log on stderr (`debug`, `info`, `warning`, `error`).
    log_format: how the log is written (`text`, or `json`: an object a line).
    log_file: whether to write the log to `home/logs/strap.log` as well.
    secrets: tables `[secrets.NAME]`; calls take a value as `{{NAME}}`, a code as `{{NAME.code}}`.
    logins: tables `[logins.NAME]`: what `strap login NAME` plays, and how it is checked.
    plugins: tables of the plugins, below.
    serve: the table `[serve]` of `strap serve --http`: replica, limits, tokens.
    batch: the table `[batch]`: how `strap batch` runs items.
    """

    home: Path
    outputs: Path
    environments: Path | None = None
    network: Mode | None = None
    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
    confirm_requests: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    plugins_required: tuple[str, ...] = ()
    flow: Flow = "ask"
    flows: tuple[str, ...] = ()
    keep_idle: float = 900
    log: str = "warning"
    log_format: str = "text"
    log_file: bool = False
    secrets: Secrets = field(default_factory=Secrets, repr=False)
    logins: Mapping[str, Any] = field(default_factory=dict, repr=False)
    plugins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    serve: Mapping[str, Any] = field(default_factory=dict, repr=False)
    batch: Mapping[str, Any] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    source: Path | None = None

    @classmethod
    def load(cls, **flags: Any) -> "Config":
        """Read the configuration of this process; `flags` are fields given on a command line."""
        return load(**flags)

    def settings(self, plugin: str, model: type[Settings]) -> Settings:
        """Validate the table of `plugin`; raises `StartupError` naming the key at fault.

        It is a `WrongSetting` where the operator has set something; where nothing is set, the
        plugin is at fault.

        The variable `STRAP_PLUGIN__KEY` sets a key, `STRAP_PLUGIN__TABLE__NAME__KEY` one of a table
        in it; lists and tables are written as JSON there. A field may name a further one,
        `json_schema_extra={"env": "STRAP_…"}`, and in `instead_of` the key that it is another way
        to say: given in the environment, it replaces that of the table.
        """
        variables = settings_from_environment(plugin, model, self.environ)
        values = merged(without_replaced(self.plugins.get(plugin, {}), variables, model), variables)
        try:
            try:
                return model.model_validate(values)
            except ValidationError as error:
                return model.model_validate(with_json(values, error))
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            path = [str(part) for part in first["loc"]]
            kind = WrongSetting if values else StartupError
            unset = f"Set it in [plugins.{plugin}]." if first["type"] == "missing" else ""
            what = f"Setting {'.'.join(path)!r}" if path else "The settings"
            message = f"{what} of plugin {plugin!r}: {describe_error(first)}."
            known = _valid_keys(model, path) if path else ""
            raise kind(message, hint=unset or known) from None
        except BaseException as error:
            if not is_fault(error):
                raise
            raise StartupError(
                f"The settings of plugin {plugin!r} cannot be checked: {one_line(error)}",
                plugin=plugin,
            ) from error

    def check_claimed(
        self, claimed: Mapping[str, type[BaseModel] | None], *, lenient: bool = False
    ) -> None:
        """Raise `StartupError` for a plugin table or variable that nobody takes.

        `lenient`: only if it resembles one that somebody takes; it may be that of a plugin that
        cannot be loaded.
        """
        self._check_variables(claimed)
        from_environ = (
            name.removeprefix("STRAP_").split("__")[0].lower()
            for name in self.environ
            if "__" in name and not name.startswith(OWN_TABLES)
        )
        for name in (*self.plugins, *from_environ):
            if claimed.get(name) is None:
                where, guess = self.source or "the environment", did_you_mean(name, claimed)
                message = f"No installed plugin takes the settings of {name!r} (in {where})."
                if guess or not lenient:
                    hint = f"Installed: {', '.join(sorted(claimed))}.{guess}"
                    raise StartupError(message, hint=hint)
                log.warning(message)

    def _check_variables(self, claimed: Mapping[str, type[BaseModel] | None]) -> None:
        known = {f"STRAP_{key.upper()}" for key in (*VARIABLES, "config", "session", "token")}
        for model in filter(None, claimed.values()):
            known |= {own_variable(info) for info in model.model_fields.values()}
        for name in self.environ.keys() - known:
            if "__" in name:
                continue
            message = f"Nothing takes the environment variable {name!r}."
            endings = [variable.removeprefix("STRAP_") for variable in known]
            if near := closest(name.removeprefix("STRAP_"), endings):
                raise StartupError(message, hint=f"Did you mean 'STRAP_{near}'?")
            log.warning(message)  # it may be another program's


def load(
    *,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
    **flags: Any,
) -> Config:
    """Read the configuration of this process.

    `flags` are fields of `Config` that were given on the command line; None counts as not given.
    Raises `StartupError` for a file that does not parse and for an unknown key or value.
    """
    environ = os.environ if environ is None else environ
    env = {key: text for key, text in environ.items() if key.startswith("STRAP_")}
    options = {key: value for key, value in flags.items() if value is not None}
    file = _find(options.pop("file", None) or env.get("STRAP_CONFIG"), directory or Path.cwd())
    table = _read(file) if file else {}
    own = {key: text for key in VARIABLES if (text := env.get(f"STRAP_{key.upper()}"))}
    values = table | own | options
    for key in PATHS:
        if not isinstance(values.get(key, ""), str | Path):
            raise StartupError(f"{key!r} must be a path in quotes, not {values[key]!r}.")
    home = Path(values.get("home") or default_home()).expanduser().absolute()
    values["home"] = home
    for key in PATHS[1:]:
        values[key] = Path(values.get(key) or home / key).expanduser().absolute()
    for key in LIST_KEYS:
        if key in values:
            values[key] = _as_tuple(key, values[key])
    if "keep_idle" in values:
        values["keep_idle"] = _seconds("keep_idle", values["keep_idle"])
    values["secrets"] = _secrets(values.get("secrets", {}), env, home)
    values["logins"] = merged(values.get("logins", {}), from_environment("LOGINS", env))
    config = Config(**values, environ=env, source=file)
    _check(config)
    return config


def _secrets(tables: Any, env: Mapping[str, str], home: Path) -> Secrets:
    variables = from_environment("SECRETS", env)
    if isinstance(tables, Secrets) or not (tables or variables):
        return tables or Secrets()
    from strap.config.secret_settings import read

    return read(merged(tables, variables) if isinstance(tables, Mapping) else tables, home)


def _valid_keys(model: type[BaseModel], path: list[str]) -> str:
    """Return the hint for a key that does not exist, "" for one that does and holds a bad value."""
    *tables, key = path
    keys: Collection[str] = model.model_fields
    if tables:
        field = model.model_fields.get(tables[0])
        inner = get_args(field.annotation)[-1:] if field and len(tables) == 2 else ()
        nested = [kind for kind in inner if isinstance(kind, type) and issubclass(kind, BaseModel)]
        keys = nested[0].model_fields if nested else ()
    if not keys or key in keys:
        return ""
    return f"Valid keys: {', '.join(sorted(keys))}.{did_you_mean(key, keys)}"


def default_home() -> Path:
    """The user's data directory for strap."""
    return user_folder("DATA")


def user_file() -> Path:
    """The configuration file of the user, which need not be there."""
    return user_folder("CONFIG") / FILE


def _find(explicit: str | Path | None, directory: Path) -> Path | None:
    if explicit:
        path = Path(explicit).expanduser()
        if not path.exists():
            raise StartupError(f"The configuration file {str(path)!r} does not exist.")
        if not path.is_file():  # a pipe neither: some commands read it twice
            raise StartupError(f"The configuration file {str(path)!r} is not a file.")
        return path.absolute()
    return next((p for p in (directory / FILE, user_file()) if p.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StartupError(f"{path} is not a readable TOML file: {error}.") from None
    valid = {f.name for f in fields(Config)} - {"environ", "source"}
    for key in table:
        if key not in valid:
            raise StartupError(
                f"Unknown key {key!r} in {path}.",
                hint=f"Valid: {', '.join(sorted(valid))}.{did_you_mean(key, valid)}",
            )
    for key, example in (("plugins", "browser"), ("logins", "shop")):
        tables = table.get(key, {})
        if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
            raise StartupError(f"{key!r} in {path} must be tables, as in [{key}.{example}].")
    return table


def _as_tuple(key: str, value: Any) -> tuple[str, ...]:
    items = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise StartupError(f"{key!r} must be a list of strings, not {value!r}.")
    return tuple(items)


def _seconds(key: str, value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if not 0 < seconds < inf or isinstance(value, bool):
        raise StartupError(f"{key!r} must be seconds above 0, not {value!r}.")
    return seconds


def _check(config: Config) -> None:
    for key, value, valid in (
        ("network", config.network, (None, *get_args(Mode))),
        ("flow", config.flow, get_args(Flow)),
        ("log", config.log, ("debug", "info", "warning", "error")),
        ("log_format", config.log_format, ("text", "json")),
        ("log_file", config.log_file, (True, False)),
    ):
        if not isinstance(value, str | bool | None) or value not in valid:
            names = ", ".join(repr(v) for v in valid if v is not None)
            raise StartupError(f"{key!r} is {value!r}; valid: {names}.")
