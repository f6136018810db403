"""Evidence of an element for a script: what it costs each call that is recorded."""

import statistics
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.bench import Bench, Table
from strap_browser.interaction.recording.evidence import add_words
from strap_browser.pages.call_log import Evidence
from strap_browser.snapshot.items import SnapshotItem, number
from strap_browser.snapshot.surroundings import Surroundings

ITEMS = 3_000


async def measured(bench: Bench, folder: Path) -> Table:
    del folder
    table = Table(
        title="Evidence of an element, looked up in a snapshot once",
        columns=("page", "items", "target", "median", "95th percentile"),
    )
    pages = {
        "one name each": _buttons(ITEMS),
        "749 rows": _table(749, 1),
        "40 rows in a long page": [*_table(40, 1), *_buttons(ITEMS - 150)],
        "195 rows of the same words": [*_table(195, 10, alike=True), *_buttons(600)],
    }
    for name, items in pages.items():
        order = number(items)
        buttons = [each for each in order if each.role == "button"]
        evidence, seconds = Evidence(raw=buttons[30].ref), list[float]()
        for _ in range(bench.runs(300, 30)):
            taken: Any = SimpleNamespace(surroundings=Surroundings(items, order))
            began = time.perf_counter()
            add_words(evidence, taken)
            seconds.append(time.perf_counter() - began)
        late = statistics.quantiles(seconds, n=20)[-1]
        times = (f"{1000 * each:.2f} ms" for each in (statistics.median(seconds), late))
        table.rows.append([name, len(order), evidence.target, *times])
    return table


def _buttons(count: int) -> list[SnapshotItem]:
    return [
        SnapshotItem("button", name=f"Button {n}", ref=f"o{n}", role="button") for n in range(count)
    ]


def _table(rows: int, cells: int, *, alike: bool = False) -> list[SnapshotItem]:
    made = [
        SnapshotItem(
            "row",
            role="row",
            container=f"r{row}",
            children=[
                *(_cell(f"word {cell}" if alike else f"Tool {row}", cell) for cell in range(cells)),
                _cell("9.50", cells),
                SnapshotItem("button", name="Add", ref=f"b{row}", role="button"),
            ],
        )
        for row in range(rows)
    ]
    return [SnapshotItem("table", role="table", name="Tools", container="t", children=made)]


def _cell(text: str, place: int) -> SnapshotItem:
    return SnapshotItem("cell", role="cell", body=text, container=f"c{place}")
