"""Catalog of declarations by plugins: resources, actions, their fields, all conflicts."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from strap.api.actions import Action, declaration
from strap.api.declarations import BrowserDriver, Converter
from strap.api.extras import Extra
from strap.api.resources import Resource, ResourceState
from strap.config import Config
from strap.errors import ActionError, UsageError, did_you_mean
from strap.routing.claims import HELP, Claims, admit
from strap.routing.plugins.loader import Plugins
from strap.routing.policy import Policy
from strap.text import short_repr

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Catalog:
    """All resources and actions by name; `owners` tells which plugin declared them.

    `settings` are those of the resources that have some. `lacking` names what plugins that are not
    in use would add, and these plugins.
    """

    resources: Mapping[str, Resource]
    actions: Mapping[str, Action]
    owners: Mapping[str, str]
    policy: Policy
    settings: Mapping[str, BaseModel]
    lacking: Mapping[str, str]
    converters: tuple[Converter, ...] = ()
    drivers: tuple[BrowserDriver, ...] = ()
    states: Mapping[str, Mapping[str, ResourceState]] = field(default_factory=dict)
    """States that plugins add to each resource, by resource and plugin."""
    environments: Path | None = None
    """Folder of the environments that extras have of their own."""

    @cached_property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The JSON schema of every field of an advertised action, sorted by name."""
        shapes: dict[str, dict[str, Any]] = {}
        for action in self.advertised():
            for name, action_field in action.fields.items():
                shapes.setdefault(name, action_field.shape)
        return dict(sorted(shapes.items()))

    @property
    def for_environments(self) -> dict[str, Any]:
        """Converters and drivers from plugins, as arguments of `Environment`."""
        return {"converters": self.converters, "drivers": self.drivers}

    def extra(self, action: Action) -> Extra | None:
        """The optional libraries that the action needs, if it needs any."""
        return action.extra or self.resources[action.resource].extra

    def lacking_extra(self, action: Action) -> Extra | None:
        """The optional libraries that the action needs and that are not there, if so."""
        extra = self.extra(action)
        return extra if extra and extra.missing_in(self.environments) else None

    @property
    def blocking(self) -> list[Action]:
        """The actions that run in threads."""
        return [action for action in self.actions.values() if action.blocking]

    def unloadable(self, plugin: str) -> Iterator[tuple[str, BaseException]]:
        """Name the actions of a plugin that cannot be imported, and tell why: it tries them all."""
        for name, action in self.actions.items():
            if self.owners[name] == plugin:
                try:
                    action.code.load()
                except ActionError as error:
                    yield name, error.__cause__ or error

    def advertised(self) -> Iterator[Action]:
        """The actions for models that can be called here: allowed by the policy and installed."""
        for action in self.actions.values():
            is_allowed = action.advertised and self.policy.advertises(*action.names)
            if is_allowed and not self.lacking_extra(action):
                yield action

    def advertised_names(self, resource: str | None = None) -> dict[str, list[str]]:
        """Advertised action names by resource, both in order of declaration."""
        names: dict[str, list[str]] = {}
        for action in self.advertised():
            if resource in (None, action.resource):
                names.setdefault(action.resource, []).append(action.name)
        return names

    def of(self, resource: str) -> dict[str, Action]:
        """The actions of a resource by name."""
        return {a.name: a for a in self.actions.values() if a.resource == resource}

    def find(self, resource: Any, action: Any) -> Action:
        """Return the action called so; raises `UsageError` with the closest and all valid names.

        `resource` may be None where the action's name says enough.
        """
        if resource is None:
            return self._find_anywhere(action)
        if not isinstance(resource, str) or resource not in self.resources:
            valid = sorted(self.advertised_names())
            raise UsageError(
                f"Unknown resource: {short_repr(resource)} (valid: {', '.join(valid)})."
                f"{did_you_mean(resource, valid)}",
                hint=self._lacks(resource),
                code="unknown_resource",
            )
        actions = self.of(resource)
        if not isinstance(action, str) or action not in actions:
            raise self._unknown_action(resource, action)
        return actions[action]

    def _unknown_action(self, resource: str, action: Any) -> UsageError:
        valid = self.advertised_names(resource).get(resource, [])
        problem = "No action given" if action is None else f"Unknown action: {short_repr(action)}"
        return UsageError(
            f"{problem} for resource {resource!r} (valid: {', '.join(sorted(valid))})."
            f"{did_you_mean(action, valid)}",
            hint=self._lacks(f"{resource}.{action}"),
            code="unknown_action",
        )

    def _lacks(self, name: Any) -> str:
        """Say that a plugin would have it, were it in use."""
        if not isinstance(name, str) or name not in self.lacking:
            return ""
        return f"It is of {self.lacking[name]}, which is not in use: 'strap doctor' says why."

    def _find_anywhere(self, action: Any) -> Action:
        if isinstance(action, str) and action in self.resources:
            if "query" not in self.of(action):
                raise self._unknown_action(action, None)
            return self.of(action)["query"]
        matches = [a for a in self.actions.values() if a.name == action]
        if len(matches) == 1:
            return matches[0]
        if matches:
            owners = ", ".join(sorted(a.resource for a in matches))
            raise UsageError(
                f"Several resources have an action {action!r} ({owners}): give resource."
            )
        what = (
            "No resource and action given"
            if action is None
            else f"No resource given, and no action is called {short_repr(action)}"
        )
        names = self.advertised_names()
        guess = did_you_mean(action, {name for of in names.values() for name in of})
        raise UsageError(
            f"{what} (resources: {', '.join(sorted(names))}).{guess}", code="unknown_action"
        )


def build(
    plugins: Plugins,
    config: Config,
    policy: Policy,
    own: Callable[[list[str]], Iterable[Any]],
) -> Catalog:
    """Collect what the plugins declare, and refuse those that clash with others.

    `own` makes the action functions of strap itself from the names of the resources. Raises
    `StartupError` for what the operator has set wrong.
    """
    claims = admit(plugins, config)
    plugins.require(config.plugins_required)
    _check_settings(claims, plugins, config, policy)
    helping = [declaration(function) for function in own(list(claims.resources))]
    return Catalog(
        resources=claims.resources,
        actions={action.qualified: action for action in (*helping, *_in_order(claims))},
        owners=claims.owners | {action.qualified: HELP for action in helping},
        policy=policy,
        settings=claims.settings,
        lacking=plugins.lacking,
        converters=tuple(dict.fromkeys(converter for converter, _ in claims.converters.values())),
        drivers=tuple(driver for driver, _ in claims.drivers.values()),
        states=claims.states,
        environments=config.environments,
    )


def _in_order(claims: Claims) -> list[Action]:
    owners, resources = claims.owners, [*claims.resources]

    def place(action: Action) -> tuple[int, bool]:
        is_added = owners[action.qualified] != owners[action.resource]
        return resources.index(action.resource), is_added

    placed = [action for action in claims.actions.values() if not action.before]
    placed.sort(key=place)
    for action in claims.actions.values():
        if action.before:
            names = [f"{action.resource}.{action.before}" == other.qualified for other in placed]
            placed.insert(names.index(True) if True in names else len(placed), action)
    return placed


def _check_settings(claims: Claims, plugins: Plugins, config: Config, policy: Policy) -> None:
    """Check that what is set is about something, be it about a plugin that is not in use."""
    resources, actions = dict(claims.resources), dict(claims.actions)
    for declared in plugins.refused:
        for resource in declared.resources:
            resources.setdefault(resource.name, resource)
        for action in declared.actions:
            actions.setdefault(action.qualified, action)
    lenient = bool(plugins.broken)
    helps = dict.fromkeys(f"{resource}.{HELP}" for resource in resources)
    config.check_claimed(settings_models(resources), lenient=lenient)
    policy.check(actions | helps, lenient=lenient)
    if not lenient:  # else the plugin that is broken may be the one that has the driver
        for settings in claims.settings.values():
            if check := getattr(settings, "check_drivers", None):
                check(claims.drivers)


def settings_models(resources: Mapping[str, Resource]) -> dict[str, type[BaseModel] | None]:
    """The settings model of each resource, by the name of its table."""
    return {name: resource.settings for name, resource in resources.items()}
