"""Metrics of the server, in the text format of Prometheus, at a port of its own.

Labels are of closed sets: no address, host or principal is among them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

from strap.api.calls import Call, CallNext, CallWrapper
from strap.api.extras import Extra
from strap.api.hookspecs import hookimpl
from strap.api.results import Result
from strap.errors import ActionError, PolicyDenied, StartupError, StrapError

TELEMETRY = Extra(name="telemetry", modules=("prometheus_client",))
SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300)
"""Bounds of the histogram: from a step in a page to a run of the agent."""


class Metrics:
    """A plugin that counts calls; raises `StartupError` without the extra `telemetry`."""

    def __init__(self) -> None:
        if TELEMETRY.missing:
            what = "Metrics need the extra 'telemetry'."
            raise StartupError(what, hint=f"Install it: {TELEMETRY.install}")
        from prometheus_client import CollectorRegistry, Counter, Histogram

        self._registry = CollectorRegistry()
        options: dict[str, Any] = {"registry": self._registry}
        names = ("resource", "action")
        self._calls = Counter("strap_calls", "Calls that ended.", (*names, "outcome"), **options)
        self._seconds = Histogram(
            "strap_call_seconds", "How long calls took.", names, buckets=SECONDS, **options
        )

    @hookimpl
    def strap_wrap_call(self, call: Call) -> CallWrapper:
        """Count the call and its time."""
        return self._count

    def gauge(self, name: str, meaning: str, ask: Callable[[], float]) -> None:
        """Tell what `ask` returns whenever somebody looks."""
        from prometheus_client import Gauge

        Gauge(name, meaning, registry=self._registry).set_function(ask)

    def gauges(self, ask: Callable[[], Mapping[str, float]]) -> None:
        """Tell all that `ask` returns whenever somebody looks."""
        self._registry.register(_Gauges(ask))

    def refusals(self, counts: Mapping[str, int]) -> None:
        """Tell what was refused, by reason."""
        self._registry.register(_Refusals(counts))

    @contextmanager
    def served(self, host: str, port: int) -> Iterator[int]:
        """Answer at http://HOST:PORT/metrics, and yield the port; raises `StartupError`."""
        from prometheus_client import start_http_server

        try:
            server, thread = start_http_server(port, host, self._registry)
        except OSError as error:
            what = f"Cannot listen on port {port} of {host!r} for metrics: {error.strerror}."
            raise StartupError(what, hint="Choose another one with --metrics.") from None
        try:
            yield server.server_port
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    async def _count(self, call: Call, call_next: CallNext) -> Result:
        started, outcome = monotonic(), "cancelled"
        try:
            result = await call_next(call)
            outcome = "failed" if result.is_error else "ok"
            return result
        except StrapError as error:
            outcome = _outcome(error)
            raise
        finally:
            self._calls.labels(call.resource, call.action, outcome).inc()
            self._seconds.labels(call.resource, call.action).observe(monotonic() - started)


def _outcome(error: StrapError) -> str:
    if error.code in ("busy", "timeout"):
        return error.code
    if isinstance(error, PolicyDenied):
        return "denied"
    return "failed" if isinstance(error, ActionError) else "invalid"


class _Gauges:
    def __init__(self, ask: Callable[[], Mapping[str, float]]) -> None:
        self._ask = ask

    def collect(self) -> Iterator[Any]:
        """Yield the gauges as they are now."""
        from prometheus_client.core import GaugeMetricFamily

        for name, value in self._ask().items():
            yield GaugeMetricFamily(f"strap_{name}", f"{name} now".replace("_", " "), value=value)


class _Refusals:
    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Any]:
        """Yield the counters as they are now."""
        from prometheus_client.core import CounterMetricFamily

        counter = CounterMetricFamily("strap_refused", "What was not begun.", labels=["reason"])
        for reason, number in tuple(self._counts.items()):
            counter.add_metric([reason], number)
        yield counter
