"""Boundary to the code of plugins while calls run: verdicts, wrapped results, failures."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from types import TracebackType
from typing import Any

from strap.api.actions import Action
from strap.api.calls import Call, CallNext, Context, Denial, GoOn
from strap.api.prestart import Prestart, checked
from strap.api.results import Result, check_parts
from strap.errors import ActionError, PolicyDenied, StrapError
from strap.faults import is_fault
from strap.routing.lifespans import Lifespan
from strap.routing.plugins.advice import own_trace
from strap.routing.plugins.hook_calls import discard
from strap.text import short_repr

log = logging.getLogger(__name__)
Check = tuple[str, Callable[..., Any]]
"""Name of a plugin and its `strap_check_call`."""


class Blame:
    """`with Blame("…"):` logs what the foreign code inside raises, and tells whose it is.

    Raises `ActionError` in place of whatever is no `StrapError`, be it made to end a process.
    """

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Nothing is needed."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise `ActionError` for a fault."""
        if error is None or isinstance(error, StrapError) or not is_fault(error):
            return
        log.error(
            "Unexpected error in %s", self._where, exc_info=(type(error), error, own_trace(error))
        )
        raise ActionError(
            f"Internal error ({type(error).__name__}) in {self._where}; "
            "the details are in strap's log.",
            code="internal",
        ) from error


def surrounded(span: Lifespan, where: str, context: Context[Any], act: GoOn) -> GoOn:
    """Return what runs an action within what its resource and the added states run around it.

    A fault of one is blamed on that one alone; `where` names the action.
    """
    go_on: GoOn = partial(_blamed, where, act)
    if span.resource.around is not None:
        go_on = partial(_blamed, where, partial(span.resource.around, context, go_on))
    for plugin, around, state in reversed([*span.around()]):
        of = f"the state of plugin {plugin!r}"
        go_on = partial(_blamed, of, partial(around, state, context, go_on))
    return go_on


async def _blamed(where: str, run: GoOn) -> Result:
    with Blame(where):
        return await run()


def declared_helper(span: Lifespan) -> Prestart | None:
    """Ask a resource for its helper; calls do without one where it does not answer as it should."""
    if span.resource.helper is None:
        return None
    try:
        helper = span.resource.helper(span.environment)
        return None if helper is None else checked(helper)
    except BaseException as error:
        if not is_fault(error):
            raise
        log.exception("The helper of resource %r cannot be declared", span.resource.name)
        return None


def check_call(action: Action, call: Call, checks: Iterable[Check]) -> None:
    """Ask every `strap_check_call`; raises `PolicyDenied` on a denial and on any doubt."""
    if not isinstance(call.params, action.params):
        raise PolicyDenied(f"A wrapper replaced the parameters of {action.qualified} by others.")
    for name, check in checks:
        denial = _verdict(name, check, call)
        if denial is not None:
            raise PolicyDenied(denial.reason, hint=denial.hint)


def _verdict(name: str, check: Callable[..., Any], call: Call) -> Denial | None:
    try:
        verdict = check(call=call)
    except BaseException as error:
        if not is_fault(error):
            raise
        log.exception("strap_check_call of plugin %r failed", name)
        return Denial(reason=f"The check of plugin {name!r} failed, so the call is denied.")
    if verdict is None or isinstance(verdict, Denial):
        return verdict
    discard(verdict)
    return Denial(
        reason=f"The check of plugin {name!r} gave {short_repr(verdict)}, so the call is denied."
    )


def made_wrapper(name: str, wrap: Callable[..., Any], call: Call) -> Any:
    """Ask a `strap_wrap_call`; raises `ActionError` if it fails."""
    try:
        return wrap(call=call)
    except BaseException as error:
        if not is_fault(error):
            raise
        log.exception("strap_wrap_call of plugin %r failed", name)
        raise ActionError(f"The wrapper of plugin {name!r} failed.", code="internal") from error


async def run_wrapped(
    name: str, where: str, wrapper: Any, call_next: CallNext, call: Call
) -> Result:
    """Run a wrapper around the rest; raises `ActionError` if it fails or returns no `Result`."""
    with Blame(where):
        result = await wrapper(call, call_next)
        if isinstance(result, Result):
            check_parts(result)
    if not isinstance(result, Result):
        raise ActionError(f"The wrapper of plugin {name!r} returned no Result.", code="internal")
    return result
