"""Random scripts of an agent: what passes is what the site's own log knows of."""

import asyncio
import json
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.bench import Bench, Table
from strap import Config
from strap_cases.sanity import script
from strap_cases.sanity.harness import SCRIPTED, Order, run_model
from strap_cases.sanity.scenarios import read_set

MOVES = (
    'click "Take spade"', 'click "Take rake"', 'input note "by the gate"', 'input note "later"',
    "click Order", "go /thanks?tool=spade", "go /shop", "back", "wait 1",
)  # fmt: skip
GOOD = (MOVES[0], MOVES[2], MOVES[4])
"""The script that does what is asked for."""
JOBS = 4
"""Scripts at a time: most of their time is waiting."""
NEAR = 0.85
"""The part of the scripts that are nearly good: of moves at random hardly any order anything."""
SCENARIO = """---
expected: pass
url: /shop
expect_timeout_s: 0.3
---
## Order a spade
Order a spade with the note "by the gate".
### Expect
- `url /thanks`
- `text "Total 12.50"`
- `request POST /api/orders 201`
- `http GET /api/sent 200 "by the gate"`

```script honest
{script}
done success "It is ordered."
```
"""


def measure(bench: Bench) -> Table:
    number = bench.runs(1_000, 20)
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(passing(Path(folder), [GOOD, *scripts(number, seed=number)]))
    wrong = [name for name, (passed, known) in found.items() if passed and not known]
    missed = [name for name, (passed, known) in found.items() if known and not passed]
    table = Table(
        title="Random scripts that order something, against the site's own log",
        columns=(
            "scripts",
            "passed",
            "known to the site",
            "wrong passes",
            "not passed though known",
        ),
    )
    passes = sum(passed for passed, _ in found.values())
    known = sum(known for _, known in found.values())
    table.rows.append([len(found), passes, known, len(wrong), len(missed)])
    table.notes.append("Known and not passed: it had gone on to another page by the end.")
    return table


def scripts(number: int, *, seed: int) -> list[Sequence[str]]:
    """Return moves in any order, and good ones with something wrong; always the same ones."""
    chance = random.Random(seed)
    return [
        tuple(_spoilt(chance) if chance.random() < NEAR else chance.choices(MOVES, k=4))
        for _ in range(number)
    ]


def _spoilt(chance: random.Random) -> list[str]:
    """Return the good moves after one has come in, or gone, or two have changed places."""
    moves = list(GOOD)
    for _ in range(chance.choice((0, 1, 1, 2))):
        place = chance.randrange(len(moves))
        match chance.choice(("more", "fewer", "other")):
            case "more":
                moves.insert(place, chance.choice(MOVES))
            case "fewer":
                moves.pop(place)
            case "other":
                moves[place] = chance.choice(MOVES)
        if not moves:
            break
    return moves or [chance.choice(MOVES)]


def write(folder: Path, every: Sequence[Sequence[str]]) -> None:
    """Write a scenario for each script, `order-0000` being the first."""
    for number, moves in enumerate(every):
        text = SCENARIO.format(script="\n".join(moves))
        (folder / f"order-{number:04}.case.md").write_text(text)


async def passing(folder: Path, every: Sequence[Sequence[str]]) -> dict[str, tuple[bool, bool]]:
    """Play scripts; returns of each whether it passed, and whether the site knows of it."""
    cases, out, home = folder / "cases", folder / "out", folder / "home"
    for each in (cases, out, home):
        each.mkdir()
    write(cases, every)
    found: dict[str, tuple[bool, bool]] = {}

    async def tell(record: dict[str, Any]) -> None:
        evidence = out / record["id"]
        found[record["id"]] = (record["class"] == "pass", ordered(evidence / SCRIPTED / "1"))
        shutil.rmtree(evidence)

    config = Config.load(environ={}, directory=home, home=home, network="local")
    order = Order(scenarios=read_set(str(cases)), out=out, jobs=JOBS)
    with patch.object(script, "PATIENCE", 0):  # what these scripts invent will not come
        await run_model(order, SCRIPTED, config, home, tell)
    return found


def ordered(evidence: Path) -> bool:
    """Whether the site was sent an order with the note, and asked for the page of its total."""
    asked = [json.loads(line) for line in (evidence / "site.jsonl").read_text().splitlines()]
    orders = [json.loads(each["body"]) for each in asked if each["path"] == "/api/orders"]
    told = any(each["path"] == "/thanks" and each["query"]["tool"] == "spade" for each in asked)
    return told and any(order["note"] == "by the gate" for order in orders)
