"""Find, load, isolate and verify plugins.

pluggy's own entry-point loader stops at the first broken plugin, follows file-system order and
skips a name that is taken; here the order is sorted, a broken plugin is reported and the rest
work, and whoever registers a name twice is named.
"""

import inspect
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pluggy

from strap import hookspecs
from strap.errors import StartupError

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
class Plugins:
    """The plugin manager with what was found on the way."""

    manager: pluggy.PluginManager
    found: tuple[Found, ...]

    def implementations(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        """Return `(plugin name, function)` of each implementation, first registered first."""
        order = [name for name, _ in self.manager.list_name_plugin()]
        found = getattr(self.manager.hook, hook).get_hookimpls()
        return [
            (i.plugin_name, partial(_call, i.function, tuple(i.argnames)))
            for i in sorted(found, key=lambda i: order.index(i.plugin_name))
        ]

    def collect(self, hook: str, **arguments: Any) -> list[tuple[str, Any]]:
        """Call each implementation of `hook`; returns pairs of plugin name and what it returned."""
        return [(name, function(**arguments)) for name, function in self.implementations(hook)]


def load(builtin: Iterable[tuple[str, Any]], *, extra: Iterable[tuple[str, Any]] = ()) -> Plugins:
    """Register `builtin`, then the installed plugins, then `extra` (pairs of name and plugin).

    A plugin that cannot be imported or verified is reported in `found` and left out; a built-in
    or extra one raises `StartupError`, and so does a name that is registered twice.
    """
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    found = []
    for name, plugin in builtin:
        register(manager, name, plugin)
        found.append(
            Found(name=name, distribution="strap-web", value=getattr(plugin, "__name__", name))
        )
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
        problem = _try(lambda e=entry: register(manager, e.name, e.load()))  # type: ignore[misc]
        found.append(
            Found(name=entry.name, distribution=distribution, value=entry.value, problem=problem)
        )
        if problem:
            log.warning("Plugin %r of %s is not in use: %s", entry.name, distribution, problem)
    for name, plugin in extra:
        register(manager, name, plugin)
        found.append(Found(name=name, distribution="", value=repr(plugin)))
    return Plugins(manager=manager, found=tuple(found))


def _try(register: Callable[[], None]) -> str:
    """Run `register` and return what went wrong in one line: foreign code may raise anything."""
    try:
        register()
    except (Exception, SystemExit) as error:  # noqa: BLE001
        text = str(error).strip().splitlines()
        return f"{type(error).__name__}: {text[0] if text else 'no message'}"
    return ""


def register(manager: pluggy.PluginManager, name: str, plugin: Any) -> None:
    """Register a plugin and verify its hooks; raises `StartupError` and leaves nothing behind."""
    if manager.has_plugin(name):
        raise StartupError(f"A plugin called {name!r} is registered already.", plugin=name)
    manager.register(plugin, name)
    try:
        _verify(manager, name, plugin)
    except Exception:
        manager.unregister(plugin)
        raise


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
