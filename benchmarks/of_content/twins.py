"""Pages that a script draws next to the same pages as they are: what `http.fetch` finds in both.

Public pages with labels (WCXB), without their own scripts. The twin is a shell whose script fetches
the page and puts it in; it is fetched by `value=rendered`. One of them is transparent without its
own scripts. `rendered:read` takes them from the half that may be read.
"""

import asyncio
import json
import random
from collections.abc import Sequence
from statistics import mean
from tempfile import TemporaryDirectory

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.main_parts import judged, of_part
from benchmarks.of_content.public import Labelled
from benchmarks.of_content.served import served, without_scripts
from benchmarks.peers import Absent

PAGES, DRAWN = 30, 40
WHOLE = 100_000
"""Tokens in which the main part of any of the pages has room."""
SHELL = """<!doctype html><title>…</title><div id=root></div><script>
const drawn = async () => {
  const text = await (await fetch(%s)).text();
  const page = new DOMParser().parseFromString(text, "text/html");
  document.head.innerHTML = page.head.innerHTML;
  document.body.innerHTML = page.body.innerHTML;
};
drawn();
</script>"""


def measure(bench: Bench) -> Table:
    table = Table(title="Twins that a script draws", columns=["page", "F1 as it is", "F1 drawn"])
    half, _ = of_part(bench.part)
    try:
        pages = [page for page in public.pages("web", half) if page.kind == "article"]
    except Absent as error:
        return Table(title=table.title, columns=["absent"], rows=[[str(error)]])
    some = random.Random(public.SEED).sample(pages, DRAWN)[: bench.runs(PAGES, 5)]
    marks = asyncio.run(_read(some))
    for page, (still, drawn) in zip(some, marks, strict=True):
        table.rows.append([page.url[:60], f"{still:.3f}", f"{drawn:.3f}"])
    still, drawn = (mean(each) for each in zip(*marks, strict=True))
    table.rows.append([f"mean of {len(marks)}", f"{still:.3f}", f"{drawn:.3f}"])
    return table


async def _read(pages: Sequence[Labelled]) -> list[tuple[float, float]]:
    marks = []
    still = {f"/still/{n}": without_scripts(page.html) for n, page in enumerate(pages)}
    drawn = {f"/drawn/{n}": SHELL % json.dumps(f"/still/{n}") for n in range(len(pages))}
    with served(still | drawn) as address, TemporaryDirectory() as home:
        async with strap.open_router(network="local", home=home) as web:
            for number, page in enumerate(pages):
                found = []
                for place, fields in (("still", {}), ("drawn", {"value": "rendered"})):
                    url = f"{address}/{place}/{number}"
                    answer = await web(
                        resource="http", action="fetch", url=url, max_tokens=WHOLE, **fields
                    )
                    found.append(judged(answer.text.partition("\n\n")[2], page)[2])
                marks.append((found[0], found[1]))
    return marks
