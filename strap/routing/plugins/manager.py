"""pluggy's manager with hooks that are verified: a plugin is registered whole or not at all."""

import inspect
import re
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pluggy

from strap.api import hookspecs
from strap.errors import StartupError, did_you_mean
from strap.faults import is_fault

CHECK = "strap_check_call"
HOOKS = frozenset(name for name in dir(hookspecs) if name.startswith("strap_"))
Implementation = tuple[str, Callable[..., Any]]
"""Name of a plugin, and a function that takes the arguments of the hook by name."""


class Manager:
    """The plugins that are registered, by name."""

    def __init__(self) -> None:
        self._pluggy = pluggy.PluginManager(hookspecs.PROJECT)
        self._pluggy.add_hookspecs(hookspecs)

    def name_of(self, plugin: Any) -> str | None:
        """The name that a plugin is registered under."""
        return self._pluggy.get_name(plugin)

    def register(self, name: str, plugin: Any) -> None:
        """Register a plugin and verify its hooks.

        Raises `StartupError`, or whatever pluggy or the plugin raises; leaves nothing behind then.
        """
        if self._pluggy.has_plugin(name):
            raise StartupError(f"A plugin called {name!r} is registered already.", plugin=name)
        try:
            self._pluggy.register(plugin, name)
            self._verify(name, plugin)
        except pluggy.PluginValidationError as error:
            self.unregister(name)
            raise _wrong_arguments(name, str(error)) or error from None
        except BaseException:
            self.unregister(name)
            raise

    def unregister(self, name: str) -> Any:
        """Take a plugin out, if it is there, and return it."""
        return self._pluggy.unregister(name=name) if self._pluggy.has_plugin(name) else None

    def register_checks(self, name: str, plugin: Any) -> bool:
        """Register of a plugin nothing but its checks; returns whether there are any.

        What cannot be registered is left out: whoever asks knows that the plugin is at fault.
        """
        try:
            checks = self._checks(plugin)
            if checks:
                self.register(name, SimpleNamespace(**checks))
        except BaseException as error:
            if not is_fault(error):
                raise
            return False
        return bool(checks)

    def implementations(self, hook: str) -> list[Implementation]:
        """Return the implementations of a hook, first registered first."""
        order = [name for name, _ in self._pluggy.list_name_plugin()]
        implementations = getattr(self._pluggy.hook, hook).get_hookimpls()
        return [
            (i.plugin_name, partial(_call, i.function, tuple(i.argnames)))
            for i in sorted(implementations, key=lambda i: order.index(i.plugin_name))
        ]

    def _checks(self, plugin: Any) -> dict[str, Any]:
        marked = ((name, self._pluggy.parse_hookimpl_opts(plugin, name)) for name in dir(plugin))
        names = (name for name, marks in marked if marks and (marks["specname"] or name) == CHECK)
        return {name: getattr(plugin, name) for name in names}

    def _verify(self, name: str, plugin: Any) -> None:
        callers = self._pluggy.get_hookcallers(plugin) or []
        for caller in callers:
            if caller.name not in HOOKS:
                raise StartupError(
                    f"{name!r} implements {caller.name!r}, which is not a hook."
                    f"{did_you_mean(caller.name, sorted(HOOKS))}",
                    plugin=name,
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


def _wrong_arguments(name: str, message: str) -> StartupError | None:
    """Return the error for arguments that a hook does not have, None if pluggy found another."""
    match = re.search(r"for hook '(\w+)'.*Argument\(s\) \{(.*?)\}", message, re.DOTALL)
    if not match or match[1] not in HOOKS:
        return None
    known = ", ".join(inspect.signature(getattr(hookspecs, match[1])).parameters)
    return StartupError(
        f"{name!r}: hook {match[1]} has no argument {match[2]} (valid: {known}).", plugin=name
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
