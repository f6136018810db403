"""Cost of a vault's program beside a static value: its own time, and what strap adds."""

import asyncio
import random
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import Web, callers
from benchmarks.of_wire.filling import PAGE
from tests.site.server import serve

VAULT = "#!/bin/sh\nsleep 0.1\necho correct-horse-$2\n"
"""A program that takes 0.1 s, as a vault does that asks its service."""
KINDS = ("static", "own", "vault")
WARM = 3


async def measure(bench: Bench, folder: Path) -> Table:
    pairs, dice = bench.runs(100, 10), random.Random(57)
    program = folder / "vault"
    program.write_text(VAULT)
    program.chmod(0o700)
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with serve({"/": PAGE}, folder=folder) as site:
        origins = {"origins": [str(site)]}
        known = {"static": {"value": "correct-horse-9999", **origins}}
        for at in range(1_000, 1_000 + WARM + pairs):  # each is asked once: answers are kept
            known[f"vault{at}"] = {"command": [str(program), "show", str(at)], **origins}
        async with callers(folder, known) as caller:
            web = caller("vaults")
            await web("navigate", url=f"{site}/")
            for at in range(1_000, 1_000 + WARM + pairs):
                for kind in dice.sample(KINDS, len(KINDS)):
                    began = perf_counter()
                    await _done(web, kind, program, at)
                    took[kind].append((perf_counter() - began) * 1_000)
    static, own, vault = (took[kind][WARM:] for kind in KINDS)
    added = [three - one - two for one, two, three in zip(static, own, vault, strict=True)]
    table = Table(
        title="A vault's program beside a static value",
        columns=("fills", "static, ms", "the program alone, ms", "vault, ms", "added, ms"),
    )
    shown = [f"{median(each):.1f}" for each in (static, own, vault, added)]
    table.rows.append([pairs, *shown])
    return table


async def _done(web: Web, kind: str, program: Path, at: int) -> None:
    """Fill in the value of a kind, or run the program alone."""
    if kind == "own":
        pipe = asyncio.subprocess.PIPE
        ran = await asyncio.create_subprocess_exec(str(program), "show", str(at), stdout=pipe)
        await ran.communicate()
        return
    name = kind if kind == "static" else f"vault{at}"
    await web("fill", selector="input", value=f"{{{{{name}}}}}")
