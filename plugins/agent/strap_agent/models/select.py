"""Choice of a run's model: `provider/model` of the configuration, or the client's own.

Everything is checked here, before a browser or a worker starts; browser-use is not imported.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from strap import ActionError, install_command, record
from strap_agent.models.agent_extra import AGENT
from strap_agent.models.providers import PROVIDERS, Provider
from strap_browser.api import AgentSettings


@record
class ModelChoice:
    """The model of a run; `spec` is None where the client's own is used."""

    name: str
    spec: dict[str, Any] | None
    fallback: dict[str, Any] | None = None
    secrets: tuple[str, ...] = ()
    """Texts that must not appear in an answer."""
    warnings: tuple[str, ...] = ()

    @property
    def modules(self) -> list[str]:
        """The modules that a worker loads ahead."""
        specs = [spec for spec in (self.spec, self.fallback) if spec]
        return sorted({str(spec["class"]).partition(":")[0] for spec in specs})


def choose(
    settings: AgentSettings,
    *,
    sampling: bool,
    environ: Mapping[str, str] | None = None,
    environments: Path | None = None,
) -> ModelChoice:
    """Return the model to use; raises `ActionError` (code "no_model") with the ways to give one.

    `environments` is where the agent may have an environment of its own.
    """
    env = os.environ if environ is None else environ
    if not settings.model:
        if sampling:
            return ModelChoice(name="client", spec=None)
        raise _no_model(env)
    key = settings.model_key.get_secret_value() if settings.model_key else None
    spec = _spec(settings.model, env, environments, key=key, url=settings.model_url)
    fallback, warnings = _fallback(settings.fallback_model, env, environments)
    keys = {s["key"] for s in (spec, fallback) if s and s["key"]}
    return ModelChoice(
        name=settings.model,
        spec=spec,
        fallback=fallback,
        secrets=(*keys, *_variables(env, spec, fallback)),
        warnings=warnings,
    )


def _spec(
    name: str,
    env: Mapping[str, str],
    environments: Path | None,
    *,
    key: str | None = None,
    url: str | None = None,
) -> dict[str, Any]:
    provider_name, _, model = name.partition("/")
    if not model:
        provider_name, model = _guess(name), name
    if provider_name not in PROVIDERS:
        raise _bad(
            f"Unknown model provider {provider_name!r} in {name!r}.",
            f"Valid: {', '.join(sorted(PROVIDERS))}.",
        )
    provider = PROVIDERS[provider_name]
    url = url or _first(env, provider.url_keys)
    key = key or _first(env, provider.keys)
    _check_name(provider_name, model, url)
    _check_access(name, provider, env, key=key, url=url)
    _check_package(name, provider, environments)
    return {
        "provider": provider_name,
        "class": provider.path,
        "model": model,
        "key": None if provider.variables else key,
        "url": url,
    }


def _check_name(provider_name: str, model: str, url: str | None) -> None:
    provider, owner = PROVIDERS[provider_name], _family(model)
    if owner and owner != provider_name and provider.own_only and not url:
        raise _bad(
            f"{model!r} is not a model of {provider_name!r}.",
            f"Write it as {f'{owner}/{model}'!r}.",
        )
    if provider.prefixed and owner != provider_name and "/" not in model:
        raise _bad(
            f"{model!r} is not a model of {provider_name!r}.",
            f"Its own are named {f'{provider.families[0]}…'!r}, others as in"
            f" {f'{provider_name}/openai/gpt-5'!r}.",
        )


def _check_access(
    name: str, provider: Provider, env: Mapping[str, str], *, key: str | None, url: str | None
) -> None:
    """Refuse what cannot work without a key, an address or a variable."""
    if provider.keys and not key:
        raise _bad(
            f"The model {name!r} needs a key, and {' or '.join(provider.keys)} is not set.",
            "Set it, or model_key in [plugins.browser].",
        )
    if provider.needs_url and not url:
        raise _bad(
            f"The model {name!r} needs an address, and {provider.url_keys[0]} is not set.",
            "Set it, or model_url in [plugins.browser].",
        )
    for names in provider.variables:
        if not _first(env, names):
            raise _bad(f"The model {name!r} needs {' or '.join(names)}.", "Set the variable.")


def _check_package(name: str, provider: Provider, environments: Path | None) -> None:
    package = provider.package
    if package and not AGENT.finds(package, environments):
        apart = AGENT.own(environments) is not None
        command = f"strap agent install --with {package}" if apart else install_command(package)
        raise _bad(f"The model {name!r} needs the package {package}.", f"Install it: {command}")


def _variables(env: Mapping[str, str], *specs: dict[str, Any] | None) -> set[str]:
    groups = [PROVIDERS[spec["provider"]].variables for spec in specs if spec]
    names = {
        name for group in groups for variable in group for name in variable if "REGION" not in name
    }
    return {env[name] for name in names if env.get(name)}


def _fallback(
    name: str | None, env: Mapping[str, str], environments: Path | None
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the model that takes over; one that cannot be used is a warning, not an error."""
    if not name:
        return None, ()
    try:
        return _spec(name, env, environments), ()
    except ActionError as error:
        return None, (f"The fallback model is not used: {error.message}",)


def _guess(model: str) -> str:
    owner = _family(model)
    if owner is None:
        raise _bad(
            f"The model {model!r} names no provider.",
            f"Write it as provider/model; providers: {', '.join(sorted(PROVIDERS))}.",
        )
    return owner


def _family(model: str) -> str | None:
    return next(
        (n for n, p in PROVIDERS.items() if p.families and model.lower().startswith(p.families)),
        None,
    )


def _first(env: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((env[name] for name in names if env.get(name)), None)


def _no_model(env: Mapping[str, str]) -> ActionError:
    named = [
        f"{n}/<model>"
        for n, p in PROVIDERS.items()
        if all(_first(env, names) for names in (p.variables or (p.keys,)))
    ]
    ready = f" Keys are there for {', '.join(named)}." if named else ""
    return _bad(
        "There is no model for the agent.",
        "Ways to give one: STRAP_MODEL=provider/model with the provider's key in its usual"
        f" variable (such as OPENAI_API_KEY or ANTHROPIC_API_KEY).{ready} Or model in"
        " [plugins.browser] of strap.toml, with model_url for a compatible server, or"
        " ollama/<model> without a key. Or a client that offers its own model (MCP sampling)."
        " Page actions such as navigate and click need no model.",
    )


def _bad(message: str, hint: str) -> ActionError:
    return ActionError(message, hint=hint, code="no_model")
