"""Declaring actions: `@action` and what the decorator checks."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from strap.api.calls import Context, Effect, FailedCall
from strap.api.extras import Extra
from strap.api.field_types import Shape, shapes
from strap.api.params import Params, fields_of
from strap.api.resources import Resource
from strap.api.results import Result
from strap.errors import StartupError
from strap.records import record

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

Prepare = Callable[[Any, Any], Awaitable[None]]
RenderError = Callable[[FailedCall], Result]
ActionFunction = Callable[[Any, Context[Any]], Any]
Function = TypeVar("Function", bound=Callable[..., Awaitable[Result] | Result])


class ActionField(NamedTuple):
    """Declaration of a field: whether it is required, and its shape."""

    required: bool
    shape: Shape
    """Its JSON type, with that of its items."""
    advertised: bool = True
    """Whether the tool's description has it; else help and answers tell of it."""


class Code:
    """Code of an action, as its module has it."""

    def __init__(
        self,
        function: ActionFunction,
        params: type[Params],
        render_error: RenderError | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        self.function = function
        self.params = params
        self.render_error = render_error
        self.prepare = prepare

    @cached_property
    def fields(self) -> Mapping[str, ActionField]:
        """The fields by the names that callers use; raises `StartupError` for one of no shape."""
        shape, fields = shapes(self.params), fields_of(self.params)
        return {
            name: ActionField(info.is_required(), shape[name], _is_advertised(info))
            for name, info in fields.items()
        }

    @property
    def is_loaded(self) -> bool:
        """Whether it is imported."""
        return True

    def load(self) -> "Code":
        """Return it, imported; raises `ActionError` where that fails, and logs why."""
        return self


@record
class Action:
    """Declaration of an action, made by `@action` from a function."""

    resource: str
    name: str
    """That of the function, unless it is no good one in Python."""
    effect: Effect
    timeout: float | None
    """The default limit in seconds, None for an action that keeps its own."""
    code: Code
    extra: Extra | None = None
    asks_caller: bool = False
    """Whether it may use the caller's own model (`Caller.sample`), or invite a person
    (`Caller.invite`)."""
    asks_person: bool = False
    """Whether it asks for a person's yes itself (`Context.consent`), as it knows more than its
    fields say; else the router does."""
    acts_as: tuple[str, ...] = ()
    """Actions of the resource in whose place it may be used: where they are denied or need a yes,
    so is it, and does it."""
    includes: tuple[str, ...] = ()
    """Actions of the resource that each call carries out, and that ask for a yes themselves: where
    they are denied, so is it."""
    blocking: bool = False
    """Whether the function is a plain one, to be run in a thread."""
    advertised: bool = True
    """Whether models are told of it; else it is for other actions alone (`Context.web`)."""
    before: str = ""
    """The action of the resource in front of which it stands in the tool; else it is the last."""
    destination: str = "url"
    """The field with the address that a call goes to, which policies with a host are about; ""
    where no field is one, as where `url` is a pattern."""
    part: str = ""
    """The field that says which part of the action a call means: policies may name parts of it."""

    @property
    def qualified(self) -> str:
        """`resource.action`, as policies and messages write it."""
        return f"{self.resource}.{self.name}"

    @property
    def names(self) -> tuple[str, ...]:
        """Its qualified name, and those of what it can do as well: none of it may be denied."""
        return self._names("")

    def names_of(self, params: Params) -> tuple[str, ...]:
        """Return the names of what a call does: the first one with the part that it means."""
        return self._names((self.part and getattr(params, self.part)) or "")

    def _names(self, part: str) -> tuple[str, ...]:
        name = f"{self.name}:{part}" if self.part else self.name
        names = (name, *self.acts_as, *self.includes)
        return tuple(f"{self.resource}.{name}" for name in names)

    @property
    def fields(self) -> Mapping[str, ActionField]:
        """The fields by the names that callers use."""
        return self.code.fields

    @property
    def goes(self) -> bool:
        """Whether its calls may name the address that they go to."""
        return self.destination in self.fields

    def address(self, params: Params) -> str | None:
        """Return the address that a call goes to, None if it names none."""
        names = {info.alias or name: name for name, info in type(params).model_fields.items()}
        value = getattr(params, names.get(self.destination, ""), None)
        return None if value is None else str(value)

    @property
    def function(self) -> ActionFunction:
        """Function that runs; its module is imported, as for all that follows (`Code.load`)."""
        return self.code.load().function

    @property
    def params(self) -> type[Params]:
        """The model of the fields."""
        return self.code.load().params

    @property
    def doc(self) -> str:
        """Text that help shows."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def render_error(self) -> RenderError | None:
        """Makes the answer for what fails before or around the function."""
        return self.code.load().render_error

    @property
    def prepare(self) -> Prepare | None:
        """`prepare(state, settings)` loads what a first call would wait for."""
        return self.code.load().prepare

    @property
    def origin(self) -> str:
        """The module and function that declare it."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


def plain_part(name: str) -> str:
    """Return a part's name without capitals and separators: pages choose such names."""
    return name.casefold().translate(str.maketrans("", "", "-_."))


def action(
    resource: Resource | str,
    *,
    effect: Effect,
    timeout: float | None = 30.0,
    name: str | None = None,
    extra: Extra | None = None,
    render_error: RenderError | None = None,
    asks_caller: bool = False,
    asks_person: bool = False,
    acts_as: tuple[str, ...] = (),
    includes: tuple[str, ...] = (),
    blocking: bool = False,
    prepare: Prepare | None = None,
    advertised: bool = True,
    before: str = "",
    destination: str = "url",
    part: str = "",
) -> Callable[[Function], Function]:
    """Mark an async function as an action of `resource`, its own or another's (see `Action`)."""
    return lambda function: _marked(
        function,
        resource=resource if isinstance(resource, str) else resource.name,
        name=name or function.__name__.strip("_"),
        effect=effect,
        timeout=timeout,
        code=Code(function, _checked_params(function, blocking=blocking), render_error, prepare),
        extra=extra,
        asks_caller=asks_caller,
        asks_person=asks_person,
        acts_as=acts_as,
        includes=includes,
        blocking=blocking,
        advertised=advertised,
        before=before,
        destination=destination,
        part=part,
    )


def _is_advertised(info: Any) -> bool:
    extra = info.json_schema_extra
    return not isinstance(extra, dict) or bool(extra.get("advertised", True))


def _marked(function: Function, **fields: Any) -> Function:
    declared = _checked(Action(**fields))
    function.__strap_action__ = declared  # type: ignore[attr-defined]
    return function


def declaration(function: Any) -> Action:
    """Return what `@action` noted on `function`; raises `StartupError` if it was not used.

    An `Action` is one already: the plugins of strap have theirs from a list (`action_lists`).
    """
    is_one = isinstance(function, Action)
    declared = function if is_one else getattr(function, "__strap_action__", None)
    if not isinstance(declared, Action):
        raise StartupError(f"{function!r} is not an action.", hint="Decorate it with @action(…).")
    return declared


def _checked(declared: Action) -> Action:
    if not NAME.fullmatch(declared.name):
        raise StartupError(f"{declared.origin}: {declared.name!r} is not a lower_snake_case name.")
    if declared.effect not in get_args(Effect):
        raise StartupError(f"{declared.origin}: effect must be 'read' or 'write'.")
    limit = declared.timeout
    if limit is not None and (not isinstance(limit, int | float) or not limit > 0):
        raise StartupError(f"{declared.origin}: timeout must be seconds above 0, or None.")
    for name in {declared.destination, declared.part} - {"", "url"}:
        if name not in declared.fields:
            raise StartupError(f"{declared.origin} has no field {name!r}.")
    if declared.extra is not None and not isinstance(declared.extra, Extra):
        raise StartupError(f"{declared.origin}: extra must be an Extra.")
    return declared


def _check_kind(where: str, function: Callable[..., Any], *, blocking: bool) -> None:
    is_async = inspect.iscoroutinefunction(function)
    if blocking and (is_async or not inspect.isfunction(function) or _yields(function)):
        raise StartupError(
            f"{where} must be a plain function: blocking=True runs it in a thread.",
            hint="Leave blocking out of an async one.",
        )
    if not blocking and not is_async:
        raise StartupError(
            f"{where} must be an async function.",
            hint="@action(…, blocking=True) runs a plain one in a thread.",
        )


def _yields(function: Callable[..., Any]) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)


def _hints(function: Callable[..., Any], names: list[str]) -> dict[str, Any]:
    """Return the types of these parameters and of the result.

    That of the context is not looked at: it may be one that is imported for type checkers alone.
    """
    annotations = function.__annotations__
    selected = {name: annotations[name] for name in (*names, "return") if name in annotations}
    return get_type_hints(SimpleNamespace(__annotations__=selected), function.__globals__)


def _checked_params(function: Callable[..., Any], *, blocking: bool) -> type[Params]:
    where = f"Action {function.__module__}.{function.__qualname__}"
    _check_kind(where, function, blocking=blocking)
    if not (function.__doc__ or "").strip():
        raise StartupError(f"{where} has no docstring.", hint="Its first line is shown by help.")
    names = list(inspect.signature(function).parameters)
    hints = _hints(function, names[:1])
    model = hints.get(names[0]) if len(names) == 2 else None
    if (
        not (isinstance(model, type) and issubclass(model, Params))
        or hints.get("return") is not Result
    ):
        raise StartupError(
            f"{where} must be annotated as (params: SomeParams, ctx: Context) -> Result."
        )
    return model
