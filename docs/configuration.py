"""The page of the configuration: every key, its variable, its default and what it means."""

import inspect
import json
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

import strap
from strap.batch.options import BatchOptions
from strap.config.secret_settings import NamedSecret
from strap.mcp.http.identity.oauth_settings import OAuthSettings
from strap.mcp.http.serve_settings import Limits, ServeSettings, TokenSettings
from strap.routing.field_docs import field_docs
from strap.routing.router import Router

HAS_NO_VARIABLE = ("log_file", "plugins", "secrets", "logins", "serve", "batch")
"""Keys of the configuration that no variable sets: tables, and what a server's operator decides."""
HAVE_DEFAULTS = ("allow", "flow", "keep_idle", "log", "log_format", "log_file")
"""Keys whose value is told where nobody has set them; the meaning of others says it."""


def configuration(router: Router) -> Iterator[str]:
    """The lines of the page: the keys of strap itself, then the tables."""
    yield "The file is the one of `--config` or `STRAP_CONFIG`, else `strap.toml` in the working"
    yield "directory, else in the user's configuration directory (`~/.config/strap` on Linux,"
    yield "`~/Library/Application Support/strap` on macOS). Above it stands the environment, above"
    yield "that the options of the command line. In the environment the lists of strap itself are"
    yield "words, lists and tables of plugins JSON; `STRAP_TOKEN` is the token of `serve --http`,"
    yield "`STRAP_SESSION` the kept session of `strap call`."
    yield ""
    yield "A variable `STRAP_…` that resembles a known one, and a pattern of `allow`, `deny` or"
    yield "`confirm` about no action, stop the start."
    yield from ("", "| key | environment | default | meaning |", "| --- | --- | --- | --- |")
    for key, meaning in _documented(strap.Config):
        variable = f"`STRAP_{key.upper()}`" if key not in HAS_NO_VARIABLE else ""
        default = getattr(router.config, key) if key in HAVE_DEFAULTS else ""
        yield f"| `{key}` | {variable} | {_shown(default)} | {meaning} |"
    yield from ("", "## [secrets.NAME]", "")
    yield from _settings("secrets__NAME", NamedSecret)
    yield from ("", "## [serve]", "")
    yield from _settings("serve", ServeSettings)
    yield from ("", "## [batch]", "")
    yield from _settings("batch", BatchOptions)
    yield from ("", "### [serve.limits]", "")
    yield from _settings("serve__limits", Limits)
    yield from ("", "### [serve.tokens.NAME]", "")
    yield from _settings("serve__tokens__NAME", TokenSettings)
    yield from ("", "### [serve.oauth]", "")
    yield from _settings("serve__oauth", OAuthSettings)
    for name, resource in sorted(router.catalog.resources.items()):
        if resource.settings is not None:
            yield from ("", f"## [plugins.{name}]", "")
            yield from _settings(name, resource.settings)
            for key, info in resource.settings.model_fields.items():
                tables = [(key, info.annotation)]
                tables += [(f"{key}.NAME", each) for each in get_args(info.annotation)[-1:]]
                for place, kind in tables:
                    if isinstance(kind, type) and issubclass(kind, BaseModel):
                        yield from ("", f"### [plugins.{name}.{place}]", "")
                        yield from _settings(f"{name}.{place}".replace(".", "__"), kind)


def _settings(plugin: str, model: type[BaseModel]) -> Iterator[str]:
    yield from ("| key | environment | default | meaning |", "| --- | --- | --- | --- |")
    docs = field_docs(model)
    for key, info in model.model_fields.items():
        extra = info.json_schema_extra
        named = extra.get("env") if isinstance(extra, dict) else None
        variable = named or f"STRAP_{plugin.upper()}__{key.upper()}"
        default = (
            ""
            if info.is_required() or info.default is None
            else info.get_default(call_default_factory=True)
        )
        meaning = " ".join((docs[key] or "").split())
        yield f"| `{key}` | `{variable}` | {_shown(default)} | {meaning} |"


def _shown(default: Any) -> str:
    """A default as it is written in `strap.toml`; those of a table are below it."""
    if default in ("", {}, ()) or isinstance(default, BaseModel):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _documented(config: type[Any]) -> Iterator[tuple[str, str]]:
    """The keys and their meaning, as the class's docstring lists them, one a line."""
    for line in (inspect.getdoc(config) or "").splitlines():
        key, colon, meaning = line.partition(": ")
        if colon and key in config.__dataclass_fields__:
            yield key, meaning
