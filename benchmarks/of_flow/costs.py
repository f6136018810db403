"""What the guard adds to a call: without private data, and with a megabyte of it."""

import random
import statistics
import string
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench import Bench, Table
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


async def measure(bench: Bench, folder: Path) -> Table:
    del folder
    table = Table(
        title="What the flow guard adds to a call, in ms",
        columns=("what is sent", "without private data", "with 1 MB of it", "worst in 20"),
        notes=[f"To read 1 MB takes {_read_in():.0f} ms, page by page, when it is first needed."],
    )
    for name, form in TEXTS.items():
        text = form * LONG if name == "a page of text" else form
        empty = [each async for each in _times(FlowSession("ask", read_rules([])), text, bench)]
        full = [each async for each in _times(_filled(), text, bench)]
        worst = statistics.quantiles(full, n=20)[-1]
        row = [f"{statistics.median(times):.3f}" for times in (empty, full)]
        table.rows.append([name, *row, f"{worst:.3f}"])
    return table


async def _times(session: FlowSession, form: str, bench: Bench) -> "Iterator[float]":
    for number in range(bench.runs(500, 50)):
        text = form.replace("{}", str(number))
        began = time.perf_counter()
        if session.is_tainted:
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
