"""Ask the hooks of plugins, whose foreign code may raise and return anything."""

from collections.abc import Callable, Mapping
from typing import Any

from strap.actions import Action, Resource, declaration
from strap.calls import Diagnosis
from strap.errors import StartupError, told
from strap.text import short


def ask(plugin: str, hook: str, function: Callable[..., Any], **arguments: Any) -> tuple[Any, ...]:
    """Return what `function`, the implementation of `hook`, gave in the form that the hook has.

    Raises `StartupError` that names plugin, hook and reason.
    """
    try:
        return tuple(map(_TAKE[hook], _several(function(**arguments))))
    except (Exception, SystemExit) as error:
        raise StartupError(f"Plugin {plugin!r}: {hook}: {told(error)}", plugin=plugin) from error


def _several(given: Any) -> tuple[Any, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        raise StartupError(f"it returned {short(given)}, not a list.")
    return tuple(given)


def _resource(given: Any) -> Resource:
    if not isinstance(given, Resource) or not isinstance(given.name, str):
        raise StartupError(f"it returned {short(given)}, which is not a resource.")
    return given


def _action(given: Any) -> Action:
    return declaration(given)


def _diagnosis(given: Any) -> Diagnosis:
    if not isinstance(given, Diagnosis):
        raise StartupError(f"it returned {short(given)}, which is not a diagnosis.")
    return given


_TAKE: Mapping[str, Callable[[Any], Any]] = {
    "strap_register_resources": _resource,
    "strap_register_actions": _action,
    "strap_register_commands": lambda given: given,
    "strap_diagnose": _diagnosis,
}
