"""What the code of plugins says while calls run: verdicts, wrapped results, helpers."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from strap.actions import Action
from strap.calls import Call, CallNext, Denial
from strap.errors import ActionError, PolicyDenied
from strap.helpers import Helper, checked
from strap.lifespans import Lifespan
from strap.results import Result
from strap.text import short

log = logging.getLogger(__name__)
Check = tuple[str, Callable[..., Any]]
"""Name of a plugin and its `strap_check_call`."""


def declared_helper(span: Lifespan) -> Helper | None:
    """Ask a resource for its helper; calls do without one where it does not answer as it should."""
    if span.resource.helper is None:
        return None
    try:
        helper = span.resource.helper(span.environment)
        return None if helper is None else checked(helper)
    except Exception:
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
    except Exception:
        log.exception("strap_check_call of plugin %r failed", name)
        return Denial(reason=f"The check of plugin {name!r} failed, so the call is denied.")
    if verdict is None or isinstance(verdict, Denial):
        return verdict
    if hasattr(verdict, "close"):
        verdict.close()  # a coroutine that nobody awaits would warn
    return Denial(
        reason=f"The check of plugin {name!r} gave {short(verdict)}, so the call is denied."
    )


async def run_wrapped(name: str, wrapper: Any, call_next: CallNext, call: Call) -> Result:
    """Run a wrapper around the rest; raises `ActionError` if it returns no `Result`."""
    result = await wrapper(call, call_next)
    if not isinstance(result, Result):
        raise ActionError(f"The wrapper of plugin {name!r} returned no Result.", code="internal")
    return result
