"""Find, load, isolate and verify plugins.

pluggy's own entry-point loader stops at the first broken plugin, follows file-system order and
skips a name that is taken; here the order is sorted, a broken plugin is reported and the rest
work, and whoever registers a name twice is named.
"""

import inspect
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from strap import hookspecs
from strap.actions import Action, Resource
from strap.asking import ask
from strap.config import Config
from strap.errors import StartupError, told

GROUP = "strap.plugins"
log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A plugin that was looked for: `problem` says why it is not in use, if it is not."""

    name: str
    distribution: str
    value: str
    problem: str = ""


def discover() -> list[EntryPoint]:
    """Return the installed entry points in a stable order: by name, then by distribution."""
    return sorted(entry_points(group=GROUP), key=lambda e: (e.name, _distribution(e), e.value))


@dataclass(frozen=True, kw_only=True, slots=True)
class Declared:
    """What one plugin adds."""

    plugin: str
    resources: tuple[Resource, ...]
    actions: tuple[Action, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plugins:
    """The plugin manager with what was found on the way."""

    manager: pluggy.PluginManager
    found: tuple[Found, ...]
    declared: tuple[Declared, ...]

    def implementations(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        """Return `(plugin name, function)` of each implementation, first registered first."""
        return _implementations(self.manager, hook)

    def collect(self, hook: str, **arguments: Any) -> Iterator[tuple[Any, ...] | StartupError]:
        """Ask each implementation of `hook`; yields what it gave, or what is wrong with it."""
        for name, function in self.implementations(hook):
            try:
                yield ask(name, hook, function, **arguments)
            except StartupError as error:
                yield error


def load(
    builtin: Iterable[tuple[str, Any]],
    config: Config,
    *,
    extra: Iterable[tuple[str, Any]] = (),
) -> Plugins:
    """Register `builtin`, then the installed plugins, then `extra` (pairs of name and plugin).

    A plugin that cannot be imported or verified, or does not say what it adds, is reported in
    `found` and left out; a built-in or extra one raises `StartupError`, and so does a name that is
    registered twice.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    found, declared = [], []
    for name, plugin in builtin:
        declared.append(register(manager, name, plugin, config))
        found.append(
            Found(name=name, distribution="strap-web", value=getattr(plugin, "__name__", name))
        )
    for one, added in _installed(manager, config):
        found.append(one)
        declared += added
    for name, plugin in extra:
        declared.append(register(manager, name, plugin, config))
        found.append(Found(name=name, distribution="", value=repr(plugin)))
    return Plugins(manager=manager, found=tuple(found), declared=tuple(declared))


def _installed(
    manager: pluggy.PluginManager, config: Config
) -> Iterator[tuple[Found, list[Declared]]]:
    """Register the installed plugins; yields each with what it adds, if it can be used."""
    seen: dict[str, str] = {}
    for entry in discover():
        distribution = _distribution(entry)
        if entry.name in seen:
            raise StartupError(
                f"Two plugins are called {entry.name!r}: one of {seen[entry.name]}, "
                f"one of {distribution}.",
                plugin=entry.name,
                hint="Uninstall one of the two distributions.",
            )
        seen[entry.name] = distribution
        problem, added = "", list[Declared]()
        try:
            added.append(register(manager, entry.name, entry.load(), config))
        except (Exception, SystemExit) as error:  # noqa: BLE001
            problem = told(error)
        if problem:
            log.warning("Plugin %r of %s is not in use: %s", entry.name, distribution, problem)
        yield (
            Found(name=entry.name, distribution=distribution, value=entry.value, problem=problem),
            added,
        )


def register(manager: pluggy.PluginManager, name: str, plugin: Any, config: Config) -> Declared:
    """Register a plugin, verify its hooks and return what it adds.

    Raises `StartupError`, and leaves nothing behind then.
    """
    if manager.has_plugin(name):
        raise StartupError(f"A plugin called {name!r} is registered already.", plugin=name)
    manager.register(plugin, name)
    try:
        _verify(manager, name, plugin)
        return Declared(
            plugin=name,
            resources=_added(manager, name, "strap_register_resources", config),
            actions=_added(manager, name, "strap_register_actions", config),
        )
    except Exception:
        manager.unregister(plugin)
        raise


def _added(manager: pluggy.PluginManager, name: str, hook: str, config: Config) -> tuple[Any, ...]:
    found = _implementations(manager, hook)
    functions = (function for plugin, function in found if plugin == name)
    return tuple(item for each in functions for item in ask(name, hook, each, config=config))


def _implementations(
    manager: pluggy.PluginManager, hook: str
) -> list[tuple[str, Callable[..., Any]]]:
    order = [name for name, _ in manager.list_name_plugin()]
    found = getattr(manager.hook, hook).get_hookimpls()
    return [
        (i.plugin_name, partial(_call, i.function, tuple(i.argnames)))
        for i in sorted(found, key=lambda i: order.index(i.plugin_name))
    ]


def _verify(manager: pluggy.PluginManager, name: str, plugin: Any) -> None:
    callers = manager.get_hookcallers(plugin) or []
    known = {spec for spec in dir(hookspecs) if spec.startswith("strap_")}
    for caller in callers:
        if caller.name not in known:
            raise StartupError(
                f"{name!r} implements {caller.name!r}, which is not a hook.", plugin=name
            )
        for implementation in caller.get_hookimpls():
            if implementation.plugin is plugin:
                _verify_implementation(name, caller.name, implementation)
    if not callers:
        raise StartupError(
            f"{name!r} implements no hook.",
            plugin=name,
            hint="Mark its hook functions with @strap.hookimpl.",
        )


def _verify_implementation(name: str, hook: str, implementation: Any) -> None:
    function = implementation.function
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise StartupError(
            f"{name!r}: hook {hook} must not be async; return what the router shall await.",
            plugin=name,
        )
    if implementation.wrapper or implementation.hookwrapper:
        raise StartupError(
            f"{name!r}: hook {hook} must not be a pluggy wrapper.",
            plugin=name,
            hint="Wrap calls with strap_wrap_call.",
        )


def _call(function: Callable[..., Any], names: tuple[str, ...], **arguments: Any) -> Any:
    """Pass those of `arguments` that the implementation names: it may take fewer than the hook."""
    return function(**{name: arguments[name] for name in names})


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown distribution"
