"""Pages that a script draws next to the same pages as they are: what `http.fetch` finds in both.

Public pages with labels (WCXB), without their own scripts. The twin is a shell whose script fetches
the page and puts it in; it is fetched by `value=rendered`. Pages that show less than half of their
main part without their own scripts, by bare Chromium, are passed over: nobody could see it.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from statistics import mean
from tempfile import TemporaryDirectory

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_content import public
from benchmarks.of_content.main_parts import judged
from benchmarks.of_content.public import Labelled
from benchmarks.of_content.scoring import words
from benchmarks.of_content.served import served, without_scripts
from benchmarks.peers import Absent

PAGES, DRAWN = 30, 40
SHOWN = 0.5
"""Share of the words of a main part that has to be seen."""
SEEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = [];
  for (let text = walker.nextNode(); text; text = walker.nextNode())
    if (text.parentElement.checkVisibility({ opacityProperty: true })) seen.push(text.data);
  return seen.join(" ");
}"""
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
    try:
        pages = [page for page in public.pages("web", "unread") if page.kind == "article"]
    except Absent as error:
        return Table(title=table.title, columns=["absent"], rows=[[str(error)]])
    drawn = random.Random(public.SEED).sample(pages, bench.runs(DRAWN, 8))
    some = asyncio.run(_shown(bench, drawn))[: bench.runs(PAGES, 5)]
    marks = asyncio.run(_read(some))
    for page, (still, drawn) in zip(some, marks, strict=True):
        table.rows.append([page.url[:60], f"{still:.3f}", f"{drawn:.3f}"])
    still, drawn = (mean(each) for each in zip(*marks, strict=True))
    table.rows.append([f"mean of {len(marks)}", f"{still:.3f}", f"{drawn:.3f}"])
    return table


async def _shown(bench: Bench, pages: Sequence[Labelled]) -> list[Labelled]:
    """The pages whose main part is seen without their scripts."""
    from playwright.async_api import async_playwright

    shown = []
    still = {f"/{n}": without_scripts(page.html) for n, page in enumerate(pages)}
    with served(still) as address:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
            )
            view = await browser.new_page()
            await view.route(lambda url: not url.startswith(address), lambda route: route.abort())
            for number, page in enumerate(pages):
                await view.goto(f"{address}/{number}", wait_until="domcontentloaded")
                wanted, seen = Counter(words(page.main)), Counter(words(await view.evaluate(SEEN)))
                if (wanted & seen).total() >= SHOWN * wanted.total():
                    shown.append(page)
            await browser.close()
    return shown


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
