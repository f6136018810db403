"""Load and isolate plugins.

pluggy's own entry-point loader stops at the first broken plugin, follows file-system order and
skips a name that is taken. Here the order is fixed, strap's own plugins come first, and one that
cannot be used is left out alone, whatever is wrong with it, and reported. It adds nothing then;
but its checks are asked all the same where they could be loaded: nothing is allowed by a clash.
"""

import logging
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from strap.api.actions import Action
from strap.api.declarations import BrowserDriver, Converter, Executor
from strap.api.resources import Resource, ResourceState
from strap.config import Config
from strap.errors import StartupError
from strap.faults import is_fault
from strap.records import record
from strap.routing.plugins.advice import Clash, description, mending
from strap.routing.plugins.discovery import OWN, Installed, discover
from strap.routing.plugins.hook_calls import ask
from strap.routing.plugins.manager import Implementation, Manager

NAME = re.compile(r"\w+(?:[.-]\w+)*")
RESERVED = frozenset({"help"})
"""Names under which strap itself declares something."""
log = logging.getLogger(__name__)


@record
class InstalledPlugin:
    """A plugin that was looked for: `problem` says why it is not in use, if it is not.

    `fix` says how to fix it. `checks` tells whether its `strap_check_call` is asked
    although it is not in use.
    """

    name: str
    distribution: str
    value: str
    problem: str = ""
    fix: str = ""
    seconds: float = 0.0
    """How long its import took."""
    checks: bool = False

    def __str__(self) -> str:
        """Name it, where it comes from, and what is wrong."""
        who = f"Plugin {self.name!r}" + (f" of {self.distribution}" if self.distribution else "")
        if not self.problem:
            return who
        return f"{who} is not in use: {self.whole_problem}"

    @property
    def whole_problem(self) -> str:
        """Problem, with a note if its checks are in force all the same."""
        return f"{self.problem} (Its checks are in force.)" if self.checks else self.problem


@record
class Declared:
    """Declarations of one plugin."""

    plugin: str
    resources: tuple[Resource, ...]
    actions: tuple[Action, ...]
    converters: tuple[Converter, ...] = ()
    states: tuple[ResourceState, ...] = ()
    drivers: tuple[BrowserDriver, ...] = ()
    executors: tuple[Executor, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of its resources, and of its actions with their resources."""
        return [resource.name for resource in self.resources] + [
            action.qualified for action in self.actions
        ]


class Plugins:
    """The plugins in use, and what was found on the way.

    Each has a name of its own here: that of its entry point, or a longer one if that is taken.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._manager = Manager()
        self._installed: dict[str, InstalledPlugin] = {}
        self._declared: dict[str, Declared] = {}
        self._refused: dict[str, Declared] = {}
        self._passed: set[str] = set()

    @property
    def installed(self) -> tuple[InstalledPlugin, ...]:
        """Every plugin, in use or not, in the order in which they were looked for."""
        return tuple(self._installed.values())

    @property
    def broken(self) -> tuple[InstalledPlugin, ...]:
        """Those that are not in use."""
        return tuple(plugin for plugin in self.installed if plugin.problem)

    @property
    def declared(self) -> tuple[Declared, ...]:
        """Declarations of the plugins in use."""
        return tuple(self._declared.values())

    @property
    def executors(self) -> dict[str, Executor]:
        """Executors of batches from the plugins in use, by name."""
        return {
            executor.name: executor for declared in self.declared for executor in declared.executors
        }

    @property
    def refused(self) -> tuple[Declared, ...]:
        """Declarations of plugins that are not in use."""
        return tuple(self._refused.values())

    @property
    def lacking(self) -> dict[str, str]:
        """The plugins that are not in use, by their names and those of what they would add."""
        unused = {name: plugin for name, plugin in self._installed.items() if plugin.problem}
        names = {plugin.name: self.describe(name) for name, plugin in unused.items()}
        for name, declared in self._refused.items():
            names |= dict.fromkeys(declared.names, self.describe(name))
        return names

    def implementations(self, hook: str) -> list[Implementation]:
        """Return `(plugin name, function)` of each implementation, first registered first."""
        return self._manager.implementations(hook)

    def collect(self, hook: str, **arguments: Any) -> Iterator[tuple[Any, ...] | StartupError]:
        """Ask each implementation of `hook`; yields what it gave, or what is wrong with it."""
        for name, function in self.implementations(hook):
            try:
                yield ask(name, hook, function, **arguments)
            except StartupError as error:
                yield error

    def describe(self, name: str) -> str:
        """Name a plugin and where it comes from, in the midst of a sentence."""
        plugin = self._installed.get(name)
        source = f" ({plugin.distribution})" if plugin and plugin.distribution else ""
        return f"plugin {plugin.name if plugin else name!r}{source}"

    def named(self, name: str) -> InstalledPlugin:
        """Return the plugin with this name of its own."""
        return self._installed[name]

    def give(self, name: str, plugin: Any, distribution: str = "") -> None:
        """Register what a program passes in, unless it is there; raises `StartupError`."""
        if self._manager.name_of(plugin) is not None:
            return
        value = getattr(plugin, "__name__", None) or repr(plugin)
        self._declared[name] = self._register(name, plugin)
        self._installed[name] = InstalledPlugin(name=name, distribution=distribution, value=value)
        self._passed.add(name)

    def install(self, installed: Installed) -> None:
        """Register an installed plugin, or note why it is not in use."""
        name, plugin = self._free_name(installed), None
        self._installed[name] = InstalledPlugin(
            name=installed.name, distribution=installed.distribution, value=installed.value
        )
        try:
            began = time.perf_counter()
            plugin = installed.load()
            seconds = time.perf_counter() - began
            self._installed[name] = replace(self._installed[name], seconds=seconds)
            same = self._manager.name_of(plugin)
            if same in self._passed:
                return
            self._check_name(installed.name, taken=name != installed.name, same=same)
            self._declared[name] = self._register(name, plugin)
        except BaseException as error:
            if not is_fault(error):
                raise
            self._leave_out(name, plugin, error)

    def refuse(self, name: str, error: BaseException) -> None:
        """Take back a plugin that was registered; raises `error` if it was passed in."""
        if name in self._passed:
            raise error
        self._refused[name] = self._declared.pop(name)
        self._leave_out(name, self._manager.unregister(name), error)

    def report(self) -> None:
        """Log which plugins are not in use, and why."""
        for plugin in self.broken:
            log.warning("%s", plugin)

    def require(self, names: Iterable[str]) -> None:
        """Raise `StartupError` for one of `names` that is not installed, or not in use."""
        for name in names:
            matches = [plugin for plugin in self.installed if plugin.name == name]
            if broken := [plugin for plugin in matches if plugin.problem]:
                message = f"plugins_required has {name!r}. {broken[0]}"
                raise StartupError(message, plugin=name, hint=broken[0].fix)
            if not matches:
                raise StartupError(
                    f"plugins_required has {name!r}, and no plugin of that name is installed.",
                    plugin=name,
                    hint=f"Installed: {', '.join(sorted({p.name for p in self.installed}))}.",
                )

    def _free_name(self, installed: Installed) -> str:
        name = installed.name
        while name in self._installed:
            name += f" of {installed.distribution}"
        return name

    def _check_name(self, name: str, *, taken: bool, same: str | None) -> None:
        if same is not None:
            raise Clash(f"It is the same as {self.describe(same)}.")
        if not NAME.fullmatch(name) or name in RESERVED:
            raise Clash(f"No plugin can be called {name!r}.")
        if taken:
            raise Clash(f"There is a {self.describe(name)} already.")

    def _register(self, name: str, plugin: Any) -> Declared:
        self._manager.register(name, plugin)
        try:
            executors = self._added(name, "strap_register_executors")
            if taken := next((e.name for e in executors if e.name in self.executors), None):
                raise Clash(f"There is an executor {taken!r} already.")
            return Declared(
                plugin=name,
                resources=self._added(name, "strap_register_resources"),
                actions=self._added(name, "strap_register_actions"),
                converters=self._added(name, "strap_register_converters"),
                states=self._added(name, "strap_resource_state"),
                drivers=self._added(name, "strap_register_drivers"),
                executors=executors,
            )
        except BaseException:
            self._manager.unregister(name)
            raise

    def _added(self, name: str, hook: str) -> tuple[Any, ...]:
        functions = (function for plugin, function in self.implementations(hook) if plugin == name)
        return tuple(
            item
            for function in functions
            for item in ask(name, hook, function, config=self._config)
        )

    def _leave_out(self, name: str, plugin: Any, error: BaseException) -> None:
        self._installed[name] = replace(
            self._installed[name],
            problem=description(error),
            fix=mending(self._installed[name].distribution, error),
            checks=self._manager.register_checks(name, plugin),
        )


def load(
    builtin: Iterable[tuple[str, Any]],
    config: Config,
    *,
    extra: Iterable[tuple[str, Any]] = (),
) -> Plugins:
    """Register `builtin`, strap's own installed plugins, `extra`, and those of others.

    `builtin` and `extra` are pairs of name and plugin. An installed plugin that cannot be used is
    reported in `installed` and left out; one of `builtin` or `extra` raises `StartupError`.
    """
    plugins, installed = Plugins(config), discover()
    for name, plugin in builtin:
        plugins.give(name, plugin, OWN)
    for item in installed:
        if item.own:
            plugins.install(item)
    for name, plugin in extra:
        plugins.give(name, plugin)
    for item in installed:
        if not item.own:
            plugins.install(item)
    return plugins
