"""Ask the hooks of plugins, whose foreign code may raise and return anything."""

import inspect
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from pydantic import BaseModel

from strap.api.actions import Action, declaration
from strap.api.declarations import LOCAL, MAX_SECONDS, BrowserDriver, Converter, Executor
from strap.api.extras import Diagnosis, Extra
from strap.api.resources import Resource, ResourceState
from strap.errors import StartupError, one_line
from strap.faults import is_fault
from strap.text import short_repr

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
"""What the fields of a converter have to be."""
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


def _several(given: Any) -> tuple[Any, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        discard(given)
        raise StartupError(f"it returned {short_repr(given)}, not a list.")
    entries = tuple(islice(given, MOST + 1))
    if len(entries) > MOST:
        raise StartupError(f"it returned more than {MOST} entries.")
    return entries


def discard(given: Any) -> None:
    """Close a coroutine that nobody will await, which would warn."""
    if inspect.iscoroutine(given):
        given.close()


def _resource(given: Any) -> Resource:
    if not isinstance(given, Resource) or not isinstance(given.name, str):
        raise StartupError(f"it returned {short_repr(given)}, which is not a resource.")
    settings = given.settings
    is_model = isinstance(settings, type) and issubclass(settings, BaseModel)
    functions = (given.open, given.end_session, given.helper)
    wrong = {
        "summary": not isinstance(given.summary, str),
        "usage": not isinstance(given.usage, str),
        "settings": settings is not None and not is_model,
        "open, end_session or helper": not all(f is None or callable(f) for f in functions),
        "extra": given.extra is not None and not isinstance(given.extra, Extra),
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        raise StartupError(f"resource {given.name!r} has a {name} of the wrong type.")
    return given


def _state(given: Any) -> ResourceState:
    if not isinstance(given, ResourceState) or not isinstance(given.resource, str):
        raise StartupError(f"it returned {short_repr(given)}, which is not a state.")
    functions = (given.end_session, given.around, given.gauges, given.archive)
    if not callable(given.open) or not all(f is None or callable(f) for f in functions):
        raise StartupError(f"the state of {given.resource!r} has no function where one is needed.")
    return given


def _action(given: Any) -> Action:
    return declaration(given)


def _diagnosis(given: Any) -> Diagnosis:
    if not isinstance(given, Diagnosis):
        raise StartupError(f"it returned {short_repr(given)}, which is not a diagnosis.")
    return given


def _converter(given: Any) -> Converter:
    if not isinstance(given, Converter):
        raise StartupError(f"it returned {short_repr(given)}, which is not a converter.")
    seconds, extra = given.seconds, given.extra
    wrong = {
        "what": not (isinstance(given.what, str) and given.what),
        "media_types": not (given.media_types and _are(_is_media_type, given.media_types)),
        "function": not _are(_is_function, (given.function,)),
        "suffixes": not _are(_is_suffix, given.suffixes),
        "seconds": not (isinstance(seconds, int | float) and 0 < seconds <= MAX_SECONDS),
        "extra": not (extra is None or isinstance(extra, Extra)),
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        value, wanted = short_repr(getattr(given, name)), WANTED[name]
        raise StartupError(f"a converter has a wrong {name}: {value}, not {wanted}.")
    return given


def _driver(given: Any) -> BrowserDriver:
    if not isinstance(given, BrowserDriver):
        raise StartupError(f"it returned {short_repr(given)}, which is not a driver.")
    if not (isinstance(given.name, str) and given.name.isidentifier()):
        raise StartupError(f"a driver has a wrong name: {short_repr(given.name)}.")
    if not _are(_is_function, (given.make,)):
        raise StartupError(f"driver {given.name!r} has a wrong make: {short_repr(given.make)}.")
    return given


def _executor(given: Any) -> Executor:
    if not isinstance(given, Executor):
        raise StartupError(f"it returned {short_repr(given)}, which is not an executor.")
    name = given.name
    is_name = isinstance(name, str) and name.replace("-", "_").isidentifier() and name.islower()
    wrong = {
        "name": not is_name or name == LOCAL,
        "open": not callable(given.open),
        "extra": not (given.extra is None or isinstance(given.extra, Extra)),
    }
    for field in (field for field, is_wrong in wrong.items() if is_wrong):
        value = short_repr(getattr(given, field))
        raise StartupError(f"an executor has a wrong {field}: {value}.")
    return given


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
    "strap_register_actions": _action,
    "strap_register_converters": _converter,
    "strap_register_drivers": _driver,
    "strap_register_executors": _executor,
    "strap_register_commands": lambda given: given,
    "strap_diagnose": _diagnosis,
}
