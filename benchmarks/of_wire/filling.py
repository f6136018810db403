"""Cost of a secret beside a plain text of the same length, put into the same field."""

import random
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.bench import Bench, Table
from benchmarks.of_wire.callers import Web, callers
from tests.site.server import serve

PAGE = """<title>Login</title><h1>Login</h1>
<form action=/in><label>Key <input name=key></label><button>Sign in</button></form>"""
GIVEN = {"text": "correct-horse-8", "secret": "{{key}}"}


async def measure(bench: Bench, folder: Path) -> Table:
    pairs, dice = bench.runs(1_500, 50), random.Random(63)
    took: dict[str, list[float]] = {kind: [] for kind in GIVEN}
    with serve({"/": PAGE}, folder=folder) as site:
        known = {"key": {"value": "correct-horse-9", "origins": [str(site)]}}
        async with callers(folder, known) as caller:
            web = caller("filling")
            await web("navigate", url=f"{site}/")
            for at in range(pairs + 20):  # the first ones warm the browser up
                for kind in dice.sample(list(GIVEN), len(GIVEN)):
                    ms = await _filled(web, GIVEN[kind])
                    if at >= 20:
                        took[kind].append(ms)
    text, secret = (median(took[kind]) for kind in GIVEN)
    each = median(two / one for one, two in zip(took["text"], took["secret"], strict=True))
    table = Table(
        title="A secret beside a text",
        columns=("fills", "text, ms", "secret, ms", "of medians", "median of pairs"),
    )
    table.rows.append(
        [pairs, f"{text:.2f}", f"{secret:.2f}", f"{secret / text:.3f}", f"{each:.3f}"]
    )
    return table


async def _filled(web: Web, value: str) -> float:
    began = perf_counter()
    await web("fill", selector="input", value=value)
    return (perf_counter() - began) * 1_000
