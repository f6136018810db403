"""Declaring resources and actions: `Resource`, `@action` and what the decorator checks."""

import inspect
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel

from strap.calls import Arguments, Context, Effect, Environment
from strap.errors import StartupError, StrapError
from strap.helpers import Helper
from strap.params import Params
from strap.results import Result

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

Open = Callable[[Environment], AbstractAsyncContextManager[Any]]
EndSession = Callable[[Any, str], Awaitable[None]]
DeclareHelper = Callable[[Environment], Helper | None]
RenderError = Callable[[StrapError, Arguments], Result]
ActionFunction = Callable[[Any, Context[Any]], Awaitable[Result]]
Function = TypeVar("Function", bound=Callable[..., Awaitable[Result]])


@dataclass(frozen=True, kw_only=True, slots=True)
class Extra:
    """An optional set of libraries: the action is advertised only where `modules` are found."""

    name: str
    modules: tuple[str, ...]
    distribution: str = "strap-web"

    @property
    def missing(self) -> bool:
        """Whether one of the modules is not installed; nothing is imported."""
        return any(find_spec(module) is None for module in self.modules)

    @property
    def install(self) -> str:
        """The command that installs it."""
        return f"pip install '{self.distribution}[{self.name}]'"


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """A noun of the `web` tool.

    `usage` is a hint of a few words that every model sees, `summary` the first line of its help.
    `open` makes the state that its actions share; it is entered on the first call, in a task of
    its own, and left when the router closes. `settings` is the model of `[plugins.NAME]`.
    `end_session` is called with the state and a caller key when that caller is gone; keys that
    begin with it and a slash are that caller's too, under handles of its own. `helper` declares
    what is worth starting early; it is there as `Environment.take_helper`.
    """

    name: str
    summary: str
    usage: str = ""
    settings: type[BaseModel] | None = None
    open: Open | None = None
    end_session: EndSession | None = None
    helper: DeclareHelper | None = None
    extra: Extra | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Action:
    """What `@action` found out about a function."""

    resource: str
    name: str
    function: ActionFunction
    params: type[Params]
    effect: Effect
    timeout: float | None
    doc: str
    extra: Extra | None = None
    render_error: RenderError | None = None
    asks_caller: bool = False

    @property
    def qualified(self) -> str:
        """`resource.action`, as policies and messages write it."""
        return f"{self.resource}.{self.name}"

    @property
    def origin(self) -> str:
        """The module and function that declare it."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


def action(
    resource: Resource | str,
    *,
    effect: Effect,
    timeout: float | None = 30.0,
    name: str | None = None,
    extra: Extra | None = None,
    render_error: RenderError | None = None,
    asks_caller: bool = False,
) -> Callable[[Function], Function]:
    """Mark `async def NAME(params: SomeParams, ctx: Context) -> Result` as an action.

    The function is returned unchanged. `resource` may be the name of somebody else's resource.
    `timeout` is the default limit in seconds, None for an action that keeps its own. `name` is
    needed only where the action's name is no good Python one. `render_error` makes the answer for
    what fails before or around the function, where the contract has a form for failures.
    `asks_caller`: it may use the caller's own model (`ctx.caller.sample`). Raises `StartupError`.
    """

    def mark(function: Function) -> Function:
        declared = Action(
            resource=resource if isinstance(resource, str) else resource.name,
            name=name or function.__name__.strip("_"),
            function=function,
            params=_checked_params(function),
            effect=effect,
            timeout=timeout,
            doc=inspect.cleandoc(function.__doc__ or ""),
            extra=extra,
            render_error=render_error,
            asks_caller=asks_caller,
        )
        if not NAME.fullmatch(declared.name):
            raise StartupError(
                f"{declared.origin}: {declared.name!r} is not a lower_snake_case name."
            )
        function.__strap_action__ = declared  # type: ignore[attr-defined]
        return function

    return mark


def declaration(function: Any) -> Action:
    """Return what `@action` noted on `function`; raises `StartupError` if it was not used."""
    declared = getattr(function, "__strap_action__", None)
    if not isinstance(declared, Action):
        raise StartupError(f"{function!r} is not an action.", hint="Decorate it with @action(…).")
    return declared


def _checked_params(function: Callable[..., Any]) -> type[Params]:
    where = f"Action {function.__module__}.{function.__qualname__}"
    if not inspect.iscoroutinefunction(function):
        raise StartupError(f"{where} must be an async function.")
    if not (function.__doc__ or "").strip():
        raise StartupError(f"{where} has no docstring.", hint="Its first line is shown by help.")
    names = list(inspect.signature(function).parameters)
    hints = get_type_hints(function)
    model = hints.get(names[0]) if len(names) == 2 else None
    if (
        not (isinstance(model, type) and issubclass(model, Params))
        or hints.get("return") is not Result
    ):
        raise StartupError(
            f"{where} must be annotated as (params: SomeParams, ctx: Context) -> Result."
        )
    return model
