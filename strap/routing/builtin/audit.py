"""`audit`: one log line a call, without its arguments: they may hold secrets."""

import logging
import time
from hashlib import sha256
from typing import Any

from strap.api.calls import Call, CallNext, CallWrapper
from strap.api.hookspecs import hookimpl
from strap.api.results import Result
from strap.errors import StrapError
from strap.routing.builtin.spans import trace_id

log = logging.getLogger("strap.audit")


@hookimpl
def strap_wrap_call(call: Call) -> CallWrapper | None:
    """Log caller, action, outcome and duration at level info."""
    return _audit if log.isEnabledFor(logging.INFO) else None


async def _audit(call: Call, call_next: CallNext) -> Result:
    started = time.monotonic()
    outcome = "cancelled"
    try:
        result = await call_next(call)
        outcome = "error" if result.is_error else "ok"
        return result
    except StrapError as error:
        outcome = error.code
        raise
    finally:
        took = time.monotonic() - started
        log.info(
            "%s %s.%s %s %.0f ms",
            call.caller.transport,
            call.resource,
            call.action,
            outcome,
            took * 1000,
            extra={"event": _event(call, outcome, took)},
        )


def _event(call: Call, outcome: str, seconds: float) -> dict[str, Any]:
    """Return what a log in JSON tells; of the session, which lets in whoever knows it, a digest."""
    session = call.caller.session
    return {
        "event": "call",
        "transport": call.caller.transport,
        "principal": call.caller.principal,
        "session": sha256(session.encode()).hexdigest()[:12] if session else None,
        "resource": call.resource,
        "action": call.action,
        "outcome": outcome,
        "seconds": round(seconds, 4),
    } | ({"trace": trace} if (trace := trace_id()) else {})
