"""Time that the guard adds to a call: without private data, and with a megabyte of it."""

import random
import statistics
import string
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.bench import Bench, Table
from strap import Context, Params, Resource, Result, action, hookimpl, testing
from strap.routing.flow.rules import read_rules
from strap.routing.flow.session import FlowSession

MAIL, SHOP = ("https", "mail.example"), ("https", "shop.example")
MEGABYTE, PAGE = 1_000_000, 20_000
TEXTS = {
    "an address": "https://shop.example/search?q=garden+tools+{}&page=2",
    "a line in a field": "We would like to come on the second weekend, {} of us, by train.",
    "a page of text": "A sentence of some words number {}, and then a further one of a few more. ",
}
LONG = 25
"""How often the sentence stands in a page of text."""


class Nothing(Params):
    url: str


@action("nothing", effect="read")
async def show(params: Nothing, ctx: Context[Any]) -> Result:
    """Show a public page."""
    ctx.flow.read(params.url)
    return Result(text="A public page of five thousand characters. " * 120)


@hookimpl
def strap_register_resources(config: Any) -> list[Resource]:
    return [Resource(name="nothing", summary="Nothing.")]


@hookimpl
def strap_register_actions(config: Any) -> list[Callable[..., Any]]:
    return [show]


PLUGIN = SimpleNamespace(
    __name__="nothing",
    strap_register_resources=strap_register_resources,
    strap_register_actions=strap_register_actions,
)


async def measure(bench: Bench, folder: Path) -> Table:
    table = Table(
        title="What the flow guard adds to a call, in ms",
        columns=("what is sent", "without private data", "with 1 MB of it", "worst in 20"),
        notes=[f"To read 1 MB takes {_read_in():.0f} ms, page by page, when it is first needed."],
    )
    without = await _called("ask", folder, bench) - await _called("off", folder, bench)
    for name, form in TEXTS.items():
        text = form * LONG if name == "a page of text" else form
        full = [each async for each in _times(_filled(), text, bench)]
        worst = statistics.quantiles(full, n=20)[-1]
        row = [f"{each:.3f}" for each in (without, statistics.median(full), worst)]
        table.rows.append([name, *row])
    return table


async def _called(mode: str, folder: Path, bench: Bench) -> float:
    """Return the median of calls through the router, in ms."""
    times = []
    async with testing.router(PLUGIN, home=folder / mode, flow=mode) as web:
        for number in range(bench.runs(2_000, 300)):
            began = time.perf_counter()
            await web(resource="nothing", action="show", url=f"https://shop.example/{number}")
            times.append((time.perf_counter() - began) * 1_000)
    return statistics.median(times)


async def _times(session: FlowSession, form: str, bench: Bench) -> AsyncIterator[float]:
    for number in range(bench.runs(500, 50)):
        text = form.replace("{}", str(number))
        began = time.perf_counter()
        urls = (text,) if text.startswith("https:") else ()
        await session.doubt(SHOP, {"value": text}, urls)
        session.note_sent(SHOP, {"value": text}, urls)
        yield (time.perf_counter() - began) * 1_000


def _filled() -> FlowSession:
    session = FlowSession("ask", read_rules([]))
    for page in _pages():
        session.read(MAIL, page, private=True)
    session.shown.index()
    return session


def _pages() -> Iterator[str]:
    dice = random.Random(7)
    words = [
        "".join(dice.choices(string.ascii_lowercase, k=dice.randint(2, 9))) for _ in range(9_000)
    ]
    words += [str(dice.randrange(10**3, 10**8)) for _ in range(300)]
    for _ in range(MEGABYTE // PAGE):
        yield " ".join(dice.choices(words, k=PAGE // 6))


def _read_in() -> float:
    session = FlowSession("ask", read_rules([]))
    pages, total = [*_pages()], 0.0
    for page in pages:
        session.read(MAIL, page, private=True)
        began = time.perf_counter()
        session.shown.index()
        total += time.perf_counter() - began
    return total * 1_000
