"""Claims of plugins: if several want the same, the first to be asked has it."""

import re
from dataclasses import field, fields
from typing import TypeVar

from pydantic import BaseModel

from strap.api.actions import NAME, Action
from strap.api.declarations import BrowserDriver, Converter
from strap.api.field_types import Shape
from strap.api.resources import Resource, ResourceState
from strap.config import Config
from strap.errors import StartupError, WrongSetting
from strap.faults import is_fault
from strap.records import record
from strap.routing.plugins.advice import Clash
from strap.routing.plugins.loader import Declared, Plugins

HELP = "help"
Kind = TypeVar("Kind")
ROUTING = frozenset({"resource", "action"})
"""Fields of every call that tell where it goes."""
FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Names of fields that every toolchain takes."""


@record
class Claims:
    """Declarations of plugins that were accepted so far."""

    resources: dict[str, Resource] = field(default_factory=dict)
    actions: dict[str, Action] = field(default_factory=dict)
    settings: dict[str, BaseModel] = field(default_factory=dict)
    """The settings of a resource that has some, by its name."""
    owners: dict[str, str] = field(default_factory=dict)
    """The plugin of each resource, and of each action by `resource.action`."""
    converters: dict[str, tuple[Converter, str]] = field(default_factory=dict)
    """Converter of each media type, with its plugin."""
    states: dict[str, dict[str, ResourceState]] = field(default_factory=dict)
    """States that plugins add to each resource, by resource and plugin."""
    drivers: dict[str, tuple[BrowserDriver, str]] = field(default_factory=dict)
    """The drivers of browsers by name, each with the plugin that it is of."""
    known_fields: dict[str, tuple[Shape, Action, str]] = field(default_factory=dict)
    """The shape of each field with the first action that has it, and that one's plugin."""

    def plus(self, declared: Declared, config: Config) -> "Claims":
        """Return these claims and those of one plugin more.

        Raises `Clash` or another `StartupError`, and whatever a plugin's models raise; a
        `WrongSetting` is the operator's fault.
        """
        more = Claims(**{table.name: dict(getattr(self, table.name)) for table in fields(Claims)})
        for resource in declared.resources:
            more._claim(resource.name, declared.plugin)
            more.resources[resource.name] = resource
            if resource.settings is not None:
                more.settings[resource.name] = config.settings(resource.name, resource.settings)
        for driver in declared.drivers:
            what = f"Driver {driver.name!r} is declared"
            _take(more.drivers, driver.name, (driver, declared.plugin), what)
        for state in declared.states:
            more._add_state(state, declared.plugin)
        for action in declared.actions:
            more._claim(action.qualified, declared.plugin)
            more.actions[action.qualified] = action
            for name, action_field in action.fields.items():
                more._take_field(name, action_field.shape, action, declared.plugin)
        for converter in declared.converters:
            for media_type in converter.media_types:
                what = f"{media_type!r} is converted"
                _take(more.converters, media_type, (converter, declared.plugin), what)
        return more

    def stray(self) -> tuple[str, str, str] | None:
        """The plugin of an action or state for a resource that nobody has declared.

        With the name of the action, or "state", and that of the resource.
        """
        for action in self.actions.values():
            if action.resource not in self.resources:
                return self.owners[action.qualified], action.name, action.resource
        for resource in self.states.keys() - self.resources.keys():
            return next(iter(self.states[resource])), "state", resource
        return None

    def _add_state(self, state: ResourceState, owner: str) -> None:
        others = self.states.get(state.resource, {})
        if owner in others:
            raise StartupError(
                f"Plugin {owner!r} adds two states to {state.resource!r}.", plugin=owner
            )
        self.states[state.resource] = others | {owner: state}

    def _claim(self, name: str, owner: str) -> None:
        if not all(NAME.fullmatch(part) for part in name.split(".")):
            raise StartupError(
                f"Plugin {owner!r}: {name!r} is not a lower_snake_case name.", plugin=owner
            )
        if name.endswith(f".{HELP}"):
            raise Clash(f"Plugin {owner!r}: strap itself adds {name!r}.", plugin=owner)
        if name in self.owners:
            by = f"plugin {self.owners[name]!r}"
            both = "" if owner == self.owners[name] else f" and by plugin {owner!r}"
            raise Clash(
                f"{name!r} is declared twice: by {by}{both}.",
                plugin=owner,
            )
        self.owners[name] = owner

    def _take_field(self, name: str, shape: Shape, action: Action, owner: str) -> None:
        if name in ROUTING or not FIELD.fullmatch(name):
            raise StartupError(
                f"Plugin {owner!r}: no field can be called {name!r} (in {action.qualified}).",
                plugin=owner,
            )
        first, other, earlier = self.known_fields.setdefault(name, (shape, action, owner))
        if first != shape:
            raise Clash(
                f"Field {name!r} has two shapes: {first} in {other.qualified} (plugin "
                f"{earlier!r}), {shape} in {action.qualified} (plugin {owner!r}).",
                plugin=owner,
            )


def _take(taken: dict[str, tuple[Kind, str]], name: str, by: tuple[Kind, str], what: str) -> None:
    """Note who has `name`; raises `Clash` where another plugin has declared it otherwise."""
    thing, owner = by
    first, other = taken.setdefault(name, by)
    if first is not thing:
        raise Clash(f"{what} twice: by plugin {other!r} and by plugin {owner!r}.", plugin=owner)


def admit(plugins: Plugins, config: Config) -> Claims:
    """Return what all plugins claim that do not clash, and refuse the others.

    A plugin that is refused may be the one whose resource another adds an action to. Then that
    one is refused as well, and all others are asked again: what it had may be free now.
    """
    while True:
        claims, refused = Claims(), dict[str, BaseException]()
        for declared in plugins.declared:
            try:
                claims = claims.plus(declared, config)
            except WrongSetting:
                raise
            except BaseException as error:
                if not is_fault(error):
                    raise
                refused[declared.plugin] = error
        stray = claims.stray()
        if stray is None:
            for plugin, fault in refused.items():
                plugins.refuse(plugin, fault)
            return claims
        plugins.refuse(stray[0], _no_resource(claims, *stray))


def _no_resource(claims: Claims, owner: str, name: str, resource: str) -> StartupError:
    return StartupError(
        f"Plugin {owner!r} adds {name!r} to unknown resource {resource!r}.",
        plugin=owner,
        hint=f"Resources: {', '.join(sorted(claims.resources))}.",
    )
