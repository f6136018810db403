"""`spans`: a span of OpenTelemetry for each call, where the program is set up to collect them.

Nothing is imported unless its SDK is there already: an application that uses it, or
`opentelemetry-instrument`, has loaded it before the first call.
"""

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from strap.api.calls import Call, CallNext, CallWrapper
from strap.api.hookspecs import hookimpl
from strap.api.results import Result
from strap.errors import StrapError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

SDK = "opentelemetry.sdk.trace"


@hookimpl
def strap_wrap_call(call: Call) -> CallWrapper | None:
    """Make the span, below that of the request; of what is asked and answered, names and sizes."""
    return _traced if SDK in sys.modules else None


async def _traced(call: Call, call_next: CallNext) -> Result:
    from opentelemetry.trace import get_tracer_provider

    with _tracer(get_tracer_provider()).start_as_current_span(
        f"strap {call.resource}.{call.action}",
        attributes={"strap.resource": call.resource, "strap.action": call.action},
        record_exception=False,  # messages tell what was asked
        set_status_on_exception=False,
    ) as span:
        outcome, attributes = "cancelled", {}
        try:
            result = await call_next(call)
            outcome = "error" if result.is_error else "ok"
            attributes = {
                "strap.characters": len(result.text)
            }  # tokens of a page take 3 ms to count
            return result
        except StrapError as error:
            outcome = error.code
            raise
        finally:
            span.set_attributes({"strap.outcome": outcome, **attributes})
            if outcome != "ok":
                _fail(span)


@lru_cache(maxsize=1)
def _tracer(provider: "TracerProvider") -> "Tracer":
    """Return what makes spans; the SDK takes as long to look it up as to make one."""
    return provider.get_tracer("strap")


def _fail(span: "Span") -> None:
    from opentelemetry.trace import StatusCode

    span.set_status(StatusCode.ERROR)


def trace_id() -> str | None:
    """Return the id of the trace that goes on, None where there is none."""
    if SDK not in sys.modules:
        return None
    from opentelemetry.trace import format_trace_id, get_current_span

    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else None
