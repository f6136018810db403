"""Spans: one for each call where an SDK collects them, and nothing is loaded where none does."""

import subprocess
import sys

import pytest

from strap import ActionError, Params, Resource, Result, action, hookimpl, testing
from strap.routing.builtin.spans import trace_id

pytest.importorskip("opentelemetry.sdk.trace")
pytestmark = pytest.mark.anyio
probe = Resource(name="probe", summary="A probe.")


class Words(Params):
    words: str
    """Text to say."""


@action(probe, effect="read")
async def say(params: Words, ctx) -> Result:
    """Say it."""
    return Result(text=trace_id() or "none")


@action(probe, effect="read")
async def fail(params: Words, ctx) -> Result:
    """Fail."""
    raise ActionError(params.words, code="weather")


class Probes:
    @hookimpl
    def strap_register_resources(self, config):
        return [probe]

    @hookimpl
    def strap_register_actions(self, config):
        return [say, fail]


@pytest.fixture
def collected(monkeypatch):
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return exporter.get_finished_spans


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_a_span_for_each_call_without_what_was_said(tmp_path, collected, caplog):
    caplog.set_level("INFO", "strap.audit")
    async with testing.router(Probes(), home=tmp_path) as web:
        said = await web(resource="probe", action="say", words="hidden")
        await web.fails(resource="probe", action="fail", words="hidden")
    ok, failed = collected()
    assert [ok.name, failed.name] == ["strap probe.say", "strap probe.fail"]
    assert dict(ok.attributes) == {
        "strap.resource": "probe",
        "strap.action": "say",
        "strap.outcome": "ok",
        "strap.characters": len(said.text),
    }
    assert failed.attributes["strap.outcome"] == "weather"
    assert (ok.status.is_ok, failed.status.is_ok) == (True, False)
    assert f"{ok.context.trace_id:032x}" == said.text == caplog.records[0].event["trace"]
    assert "hidden" not in ok.to_json() + failed.to_json()


def test_nothing_is_imported_where_nobody_collects():
    program = """
import asyncio, sys, tempfile
from pathlib import Path
from strap import testing
async def main(home):
    async with testing.router(home=Path(home)) as web:
        await web(resource="http", action="help")
    print([name for name in sys.modules if name.startswith("opentelemetry")])
asyncio.run(main(tempfile.mkdtemp()))
"""
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]", told
