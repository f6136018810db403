"""What the plugins declared: resources, actions, their fields and every conflict between them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from strap.actions import NAME, Action, Extra, Resource, declaration
from strap.config import Config
from strap.errors import StartupError, UsageError, did_you_mean
from strap.plugins import Plugins
from strap.policy import Policy
from strap.shapes import shapes
from strap.text import short

HELP = "help"


@dataclass(frozen=True)
class Catalog:
    """All resources and actions by name; `owners` tells which plugin declared them."""

    resources: Mapping[str, Resource]
    actions: Mapping[str, Action]
    owners: Mapping[str, str]
    policy: Policy

    @cached_property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The JSON schema of every field of an advertised action, sorted by name."""
        found: dict[str, dict[str, Any]] = {}
        for action in self.advertised():
            for name, shape in shapes(action.params).items():
                found.setdefault(name, shape)
        return dict(sorted(found.items()))

    def extra(self, action: Action) -> Extra | None:
        """The optional libraries that the action needs, if it needs any."""
        return action.extra or self.resources[action.resource].extra

    def advertised(self) -> Iterator[Action]:
        """The actions that can be called here: allowed by the policy and installed."""
        for action in self.actions.values():
            extra = self.extra(action)
            if self.policy.advertises(action.qualified) and not (extra and extra.missing):
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
                f"Unknown resource: {short(resource)} (valid: {', '.join(valid)})."
                f"{did_you_mean(resource, valid)}",
                code="unknown_resource",
            )
        actions = self.of(resource)
        if not isinstance(action, str) or action not in actions:
            raise self._unknown_action(resource, action)
        return actions[action]

    def _unknown_action(self, resource: str, action: Any) -> UsageError:
        valid = self.advertised_names(resource).get(resource, [])
        wanted = "No action given" if action is None else f"Unknown action: {short(action)}"
        return UsageError(
            f"{wanted} for resource {resource!r} (valid: {', '.join(sorted(valid))})."
            f"{did_you_mean(action, valid)}",
            code="unknown_action",
        )

    def _find_anywhere(self, action: Any) -> Action:
        if isinstance(action, str) and action in self.resources:
            if "query" not in self.of(action):
                raise self._unknown_action(action, None)
            return self.of(action)["query"]
        found = [a for a in self.actions.values() if a.name == action]
        if len(found) == 1:
            return found[0]
        if found:
            owners = ", ".join(sorted(a.resource for a in found))
            raise UsageError(
                f"Several resources have an action {action!r} ({owners}): give resource."
            )
        what = (
            "No resource and action given"
            if action is None
            else f"No resource given, and no action is called {short(action)}"
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
    """Collect what the plugins declare; raises `StartupError` naming both parties of a conflict.

    `own` makes the action functions of strap itself from the names of the resources; they are
    declared before all others.
    """
    resources: dict[str, Resource] = {}
    actions: dict[str, Action] = {}
    owners: dict[str, str] = {}
    for declared in plugins.declared:
        for resource in declared.resources:
            _claim(owners, resource.name, declared.plugin)
            resources[resource.name] = resource
    found = [(HELP, declaration(function)) for function in own(list(resources))]
    found += [(declared.plugin, each) for declared in plugins.declared for each in declared.actions]
    for owner, action in found:
        _claim(owners, action.qualified, owner)
        if action.resource not in resources:
            raise StartupError(
                f"Plugin {owner!r} adds {action.name!r} to unknown resource {action.resource!r}.",
                plugin=owner,
                hint=f"Resources: {', '.join(sorted(resources))}.",
            )
        actions[action.qualified] = action
    _check_fields(actions.values(), owners)
    config.check_claimed(settings_models(resources))
    policy.check(actions)
    return Catalog(resources, actions, owners, policy)


def settings_models(resources: Mapping[str, Resource]) -> dict[str, type[BaseModel] | None]:
    """The settings model of each resource, by the name of its table."""
    return {name: resource.settings for name, resource in resources.items()}


def _claim(owners: dict[str, str], name: str, owner: str) -> None:
    if not all(NAME.fullmatch(part) for part in name.split(".")):
        raise StartupError(
            f"Plugin {owner!r}: {name!r} is not a lower_snake_case name.", plugin=owner
        )
    if name in owners:
        raise StartupError(
            f"{name!r} is declared twice: by plugin {owners[name]!r} and by plugin {owner!r}.",
            plugin=owner,
        )
    owners[name] = owner


def _check_fields(actions: Iterable[Action], owners: Mapping[str, str]) -> None:
    seen: dict[str, tuple[dict[str, Any], Action]] = {}
    for action in actions:
        for name, shape in shapes(action.params).items():
            first, other = seen.setdefault(name, (shape, action))
            if first != shape:
                owner, earlier = owners[action.qualified], owners[other.qualified]
                raise StartupError(
                    f"Field {name!r} has two shapes: {first} in {other.qualified} (plugin "
                    f"{earlier!r}), {shape} in {action.qualified} (plugin {owner!r}).",
                    plugin=owner,
                )
