"""Ask the hooks of plugins, whose foreign code may raise and return anything."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from pydantic import BaseModel

from strap.api.actions import declaration
from strap.api.declarations import LOCAL, MAX_SECONDS, BrowserDriver, Converter, Executor
from strap.api.extras import Diagnosis, Extra
from strap.api.resources import Resource, ResourceState
from strap.errors import StartupError, one_line
from strap.faults import is_fault
from strap.text import short_repr

Kind = TypeVar("Kind")
MOST = 1_000
"""Entries that a hook may give; an endless generator must not keep strap from starting."""
WANTED = {
    "what": "a noun",
    "media_types": "a tuple such as ('text/x-note',), of which none is that of a page",
    "function": "'module:function'",
    "suffixes": "a tuple such as ('.note',)",
    "seconds": f"a number up to {MAX_SECONDS:g}",
    "extra": "an Extra",
}
"""Requirements on the fields of a converter."""
OF_PAGES = ("text/html", "application/xhtml+xml")
"""Media types that no converter is asked for."""


def ask(plugin: str, hook: str, function: Callable[..., Any], **arguments: Any) -> tuple[Any, ...]:
    """Return what `function`, the implementation of `hook`, gave in the form that the hook has.

    Raises `StartupError` that names plugin, hook and reason.
    """
    try:
        return tuple(map(_TAKE[hook], _several(function(**arguments))))
    except BaseException as error:
        if not is_fault(error):
            raise
        raise StartupError(
            f"Plugin {plugin!r}: {hook}: {one_line(error)}", plugin=plugin
        ) from error


def _several(returned: Any) -> tuple[Any, ...]:
    if returned is None:
        return ()
    if isinstance(returned, str | bytes) or not hasattr(returned, "__iter__"):
        discard(returned)
        raise StartupError(f"it returned {short_repr(returned)}, not a list.")
    entries = tuple(islice(returned, MOST + 1))
    if len(entries) > MOST:
        raise StartupError(f"it returned more than {MOST} entries.")
    return entries


def discard(returned: Any) -> None:
    """Close a coroutine that nobody will await, which would warn."""
    if inspect.iscoroutine(returned):
        returned.close()


def _instance(kind: type[Kind], what: str, returned: Any) -> Kind:
    if not isinstance(returned, kind):
        raise StartupError(f"it returned {short_repr(returned)}, which is not {what}.")
    return returned


def _resource(resource: Any) -> Resource:
    if not isinstance(resource, Resource) or not isinstance(resource.name, str):
        raise StartupError(f"it returned {short_repr(resource)}, which is not a resource.")
    settings = resource.settings
    is_model = isinstance(settings, type) and issubclass(settings, BaseModel)
    functions = (resource.open, resource.end_session, resource.helper)
    wrong = {
        "summary": not isinstance(resource.summary, str),
        "usage": not isinstance(resource.usage, str),
        "settings": settings is not None and not is_model,
        "open, end_session or helper": not all(f is None or callable(f) for f in functions),
        "extra": resource.extra is not None and not isinstance(resource.extra, Extra),
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        raise StartupError(f"resource {resource.name!r} has a {name} of the wrong type.")
    return resource


def _state(state: Any) -> ResourceState:
    if not isinstance(state, ResourceState) or not isinstance(state.resource, str):
        raise StartupError(f"it returned {short_repr(state)}, which is not a state.")
    functions = (state.end_session, state.around, state.gauges, state.archive)
    if not callable(state.open) or not all(f is None or callable(f) for f in functions):
        raise StartupError(f"the state of {state.resource!r} has no function where one is needed.")
    return state


def _converter(returned: Any) -> Converter:
    converter = _instance(Converter, "a converter", returned)
    seconds, extra = converter.seconds, converter.extra
    wrong = {
        "what": not (isinstance(converter.what, str) and converter.what),
        "media_types": not (converter.media_types and _are(_is_media_type, converter.media_types)),
        "function": not _are(_is_function, (converter.function,)),
        "suffixes": not _are(_is_suffix, converter.suffixes),
        "seconds": not (isinstance(seconds, int | float) and 0 < seconds <= MAX_SECONDS),
        "extra": not (extra is None or isinstance(extra, Extra)),
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        value, expected = short_repr(getattr(converter, name)), WANTED[name]
        raise StartupError(f"a converter has a wrong {name}: {value}, not {expected}.")
    return converter


def _driver(returned: Any) -> BrowserDriver:
    driver = _instance(BrowserDriver, "a driver", returned)
    if not (isinstance(driver.name, str) and driver.name.isidentifier()):
        raise StartupError(f"a driver has a wrong name: {short_repr(driver.name)}.")
    if not _are(_is_function, (driver.make,)):
        raise StartupError(f"driver {driver.name!r} has a wrong make: {short_repr(driver.make)}.")
    return driver


def _executor(returned: Any) -> Executor:
    executor = _instance(Executor, "an executor", returned)
    name = executor.name
    is_name = isinstance(name, str) and name.replace("-", "_").isidentifier() and name.islower()
    wrong = {
        "name": not is_name or name == LOCAL,
        "open": not callable(executor.open),
        "extra": not (executor.extra is None or isinstance(executor.extra, Extra)),
    }
    for field in (field for field, is_wrong in wrong.items() if is_wrong):
        value = short_repr(getattr(executor, field))
        raise StartupError(f"an executor has a wrong {field}: {value}.")
    return executor


# Without regular expressions: they would be compiled at every start.
def _are(fits: Callable[[str], bool], values: Any) -> bool:
    is_tuple = isinstance(values, tuple)
    return is_tuple and all(isinstance(value, str) and fits(value) for value in values)


def _is_media_type(value: str) -> bool:
    kind, _, subtype = value.partition("/")
    is_plain = value.isascii() and value.isprintable() and value == value.lower()
    is_type = is_plain and kind.isalpha() and subtype != "" and not set(subtype) & set(" /;,*")
    return is_type and value not in OF_PAGES


def _is_function(value: str) -> bool:
    module, _, name = value.partition(":")
    return name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def _is_suffix(value: str) -> bool:
    return value.startswith(".") and value[1:].replace(".", "").isalnum() and value.islower()


_TAKE: Mapping[str, Callable[[Any], Any]] = {
    "strap_register_resources": _resource,
    "strap_resource_state": _state,
    "strap_register_actions": declaration,
    "strap_register_converters": _converter,
    "strap_register_drivers": _driver,
    "strap_register_executors": _executor,
    "strap_register_commands": lambda returned: returned,
    "strap_diagnose": partial(_instance, Diagnosis, "a diagnosis"),
}
