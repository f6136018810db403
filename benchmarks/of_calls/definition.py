"""Size of the tool definitions, which are in a model's context before the first call."""

import json
from typing import Any

from benchmarks.bench import Bench, Table, ready
from benchmarks.wire import Failed

COLUMNS = ("", "tools", "bytes", "tokens", "longest description, chars", "instructions, tokens")


def measure(bench: Bench) -> Table:
    table = Table(title="Tool definitions", columns=COLUMNS)
    for peer in (bench.strap, *bench.peers):
        try:
            with ready(peer) as server:
                instructions = server.initialized.result.get("instructions") or ""
                table.rows.append(_row(bench, peer.name, server.tools(), instructions))
        except Failed as error:
            table.notes.append(f"{peer.name} failed: {error}")
    table.rows.insert(1, _row(bench, "strap, every planned action", [_full_surface()], ""))
    table.notes.append("Bytes and tokens (o200k) of the compact JSON of all definitions.")
    return table


def _row(bench: Bench, name: str, tools: list[dict[str, Any]], instructions: str) -> list[Any]:
    value = tools[0] if len(tools) == 1 else tools
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    longest = max(len(tool.get("description", "")) for tool in tools)
    size = len(text.encode())
    return [name, len(tools), size, bench.tokens(text), longest, bench.tokens(instructions)]


def _full_surface() -> dict[str, Any]:
    """The definition with every action of the finished tool, from declarations alone."""
    from strap.routing.tool_schema import tool_definition
    from tests.contract import full_surface
    from tests.contract.conftest import make_catalog

    return tool_definition(make_catalog(full_surface))  # type: ignore[no-untyped-call]
