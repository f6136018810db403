"""`spans`: a span of OpenTelemetry for each call, where the program is set up to collect them.

Nothing is imported unless its SDK is there already: an application that uses it, or
`opentelemetry-instrument`, has loaded it before the first call.
"""

import sys
from typing import TYPE_CHECKING

from strap.api.calls import Call, CallNext, CallWrapper
from strap.api.hookspecs import hookimpl
from strap.api.results import Result, count_tokens
from strap.errors import StrapError

if TYPE_CHECKING:
    from opentelemetry.trace import Span

SDK = "opentelemetry.sdk.trace"


@hookimpl
def strap_wrap_call(call: Call) -> CallWrapper | None:
    """Make the span, below that of the request; of what is asked and answered, names and sizes."""
    return _traced if SDK in sys.modules else None


async def _traced(call: Call, call_next: CallNext) -> Result:
    from opentelemetry.trace import get_tracer

    named = {"strap.resource": call.resource, "strap.action": call.action}
    with get_tracer("strap").start_as_current_span(
        f"strap {call.resource}.{call.action}",
        attributes=named,
        record_exception=False,  # messages tell what was asked
        set_status_on_exception=False,
    ) as span:
        outcome = "cancelled"
        try:
            result = await call_next(call)
            outcome = "error" if result.is_error else "ok"
            span.set_attribute("strap.tokens", count_tokens(result.text))
            return result
        except StrapError as error:
            outcome = error.code
            raise
        finally:
            _end(span, outcome)


def _end(span: "Span", outcome: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_attribute("strap.outcome", outcome)
    if outcome != "ok":
        span.set_status(StatusCode.ERROR)


def trace_id() -> str | None:
    """Return the id of the trace that goes on, None where there is none."""
    if SDK not in sys.modules:
        return None
    from opentelemetry.trace import format_trace_id, get_current_span

    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else None
