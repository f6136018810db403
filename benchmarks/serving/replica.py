"""Run as a program: a server with actions of a known length, which notes what it began."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from strap import Config, Context, Params, Resource, Result, action, hookimpl


class Nothing(Params):
    pass


class Nap(Params):
    number: float


@action("bench", effect="read")
async def nothing(params: Nothing, ctx: Context[Any]) -> Result:
    """Do nothing."""
    return Result(text=f"done at {os.environ['REPLICA']}")


@action("bench", effect="read")
async def nap(params: Nap, ctx: Context[Any]) -> Result:
    """Take so many seconds, and note that it began and ended."""
    _note("began")
    await asyncio.sleep(params.number)
    _note("ended")
    return Result(text="awake")


def _note(word: str) -> None:
    with Path("notes").open("a") as notes:
        notes.write(f"{word}\n")


class Plugin:
    @hookimpl
    def strap_register_resources(self, config: Config) -> list[Resource]:
        return [Resource(name="bench", summary="For measuring.")]

    @hookimpl
    def strap_register_actions(self, config: Config) -> list[Any]:
        return [nothing, nap]


def main() -> None:
    from strap.config import load
    from strap.config.log_setup import configure_logging
    from strap.mcp.http.server import serve

    config = load()
    configure_logging(config)
    options = json.loads(sys.argv[1])
    if options.pop("collect_spans", False):
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(InMemorySpanExporter()))
        trace.set_tracer_provider(provider)  # as opentelemetry-instrument does
    serve(config, plugins=[("bench", Plugin())], **options)


if __name__ == "__main__":
    main()
