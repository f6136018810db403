"""Rows of foreign list pages, with rules and without, next to what a browser finds by those rules.

`lists.json` has, for forty pages, what is a record and what its fields are: labelled by reading
the pages (listings and collections of WCXB that declare no list, in an order drawn by the seed of
the halves, until there were forty; pages with no list, or with several, were passed over).
`further_lists.json` has twenty of other repositories likewise: meetings of councils and boards,
jobs, investments, posts (one page of each maker, labelled when the forty had been read).
`third_lists.json` has another twenty, labelled when those sixty had been read: ten of courts, two
of public bodies, eight of shops, directories, questions and reviews. Of each repository the paths
that match `THIRD_PATHS` were sorted, shuffled by `random.Random(THIRD_SEED)`, and taken in that
order where they have one list of at least five records, of a maker that none before has.
`fourth_lists.json` has twenty more, drawn likewise and labelled, rules and all, when those eighty
had been read: threads and messages, offers, reviews, tables, directories, events, a page of search
results (of posts, and of forums, three at most of a repository). Chromium reads them by the same
selectors through bare Playwright, without strap: that is what rows by rules have to be, field by
field. Rows without rules are right where they have a record's name or address.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, get_args

import strap
from benchmarks.bench import Bench, Table
from benchmarks.of_content import public, records
from benchmarks.of_content.public import Labelled
from benchmarks.of_content.served import served, without_scripts
from benchmarks.peers import Absent
from strap import ActionError

LISTS = Path(__file__).with_name("lists.json")
FURTHER = Path(__file__).with_name("further_lists.json")
THIRD, THIRD_SEED = Path(__file__).with_name("third_lists.json"), 20_261_126
THIRD_PATHS = {
    "juriscraper": r"^tests/examples/opinions/united_states/(?!.*/dockets).*\.html?$",
    "city-scrapers-det": r"^tests/files/.*\.html?$",
    "portia": r"^slybot/slybot/tests/data/([^/]*|templates/[^/]*|Sample.*/original_body)\.html?$",
    "mdr": r"^tests/samples/.*\.html?$",
}
FOURTH, FOURTH_SEED = Path(__file__).with_name("fourth_lists.json"), 20_261_127
FOURTH_PATHS = {
    "autopager": r"^autopager/data/html/.*\.html$",
    "Formasaurus": r"^formasaurus/data/html/.*\.html$",
    "search-engine-google": r"^test/resources/pages-.*\.html$",
}
"""Paths that the third and the fourth lists were drawn from: files of more than 3,000 bytes."""
WHOLE = 100_000
"""Tokens in which the rows of any of the pages have room."""
MANY = 2_000
READ = """({records, rules}) => {
  const unseen = "script, style, template, noscript, svg";
  const isSeen = (node) => !node.matches(unseen) && getComputedStyle(node).display !== "none";
  const text = (node) => node.nodeType === 1 && isSeen(node) ? said(node) : "";
  const said = (element) => Array.from(
    element.childNodes, (node) => node.nodeType === 3 ? node.data : text(node)).join("");
  const value = (record, css, name) => {
    const element = css ? record.querySelector(css) : record;
    if (!element || !name) return element && said(element);
    const given = element.getAttribute(name);
    return given === null || name !== "href" ? given : new URL(given, document.baseURI).href;
  };
  return Array.from(document.querySelectorAll(records), (record) =>
    Object.fromEntries(rules.map(([field, css, name]) => [field, value(record, css, name)])));
}"""
Rows = list[dict[str, str]]


def measure(bench: Bench) -> list[Table]:
    return [
        *records.tables(),
        _labelled(bench, "Labelled lists", LISTS, _of_web),
        _labelled(bench, "Further lists", FURTHER, public.files),
        _labelled(bench, "Third lists", THIRD, public.files),
        _labelled(bench, "Fourth lists", FOURTH, public.files),
        asyncio.run(_many(bench)),
    ]


def _of_web(names: Iterable[str]) -> Iterator[Labelled]:
    wanted = set(names)
    for half in get_args(public.Half):
        yield from (page for page in public.pages("web", half) if page.name in wanted)


def _labelled(
    bench: Bench, title: str, place: Path, load: Callable[[Iterable[str]], Iterable[Labelled]]
) -> Table:
    table = Table(
        title=title,
        columns=["page", "records", *("rows by rules", "right", "F1"), *("rows", "right", "F1")],
    )
    labels = json.loads(place.read_text())
    try:
        some = list(load(labels))[: bench.runs(len(labels), 5)]
    except Absent as error:
        return Table(title=table.title, columns=["absent"], rows=[[str(error)]])
    marks, found = [], asyncio.run(_read(bench, some, labels))
    for page, (wanted, ruled, bare) in zip(some, found, strict=True):
        right = _same(ruled, wanted)
        things = [(records.plain(row.get("name") or ""), row.get("url") or "") for row in wanted]
        alike = records.right(bare, things)
        marks.append((_f1(right, ruled, wanted), _f1(alike, bare, wanted)))
        counts = (len(ruled), right, f"{marks[-1][0]:.2f}", len(bare), alike, f"{marks[-1][1]:.2f}")
        table.rows.append([f"{page.name} {page.url[:50]}", len(wanted), *counts])
    ruled_mean, bare_mean = (f"{mean(each):.3f}" for each in zip(*marks, strict=True))
    table.rows.append([f"mean of {len(marks)}", "", "", "", ruled_mean, "", "", bare_mean])
    return table


async def _read(
    bench: Bench, pages: Sequence[Labelled], labels: Mapping[str, Any]
) -> list[tuple[Rows, Rows, Rows]]:
    """The records of each page: by the browser, by strap with rules, and without."""
    from playwright.async_api import async_playwright

    whole = {f"/{n}/whole": records.unmarked(page.html) for n, page in enumerate(pages)}
    still = {f"/{n}/still": without_scripts(page.html) for n, page in enumerate(pages)}
    found = []
    with served(whole | still) as address, TemporaryDirectory() as home:
        async with (
            async_playwright() as playwright,
            strap.open_router(network="local", home=home) as web,
        ):
            browser = await playwright.chromium.launch(
                executable_path=bench.tools.browser, chromium_sandbox=bench.tools.sandbox
            )
            view = await browser.new_page()
            await view.route(lambda url: not url.startswith(address), lambda route: route.abort())
            for number, page in enumerate(pages):
                label = labels[page.name]
                await view.goto(f"{address}/{number}/still", wait_until="domcontentloaded")
                rules = [records.rule(line) for line in label["rules"]]
                wanted = await view.evaluate(READ, {"records": label["records"], "rules": rules})
                by_rules = {"selector": label["records"], "value": "\n".join(label["rules"])}
                ruled = await _rows(web, view.url, **by_rules)
                found.append((wanted, ruled, await _rows(web, f"{address}/{number}/whole")))
            await browser.close()
    return found


async def _rows(web: Any, url: str, **fields: str) -> Rows:
    call = {"resource": "http", "action": "extract", "url": url, "max_tokens": WHOLE, **fields}
    try:
        answer = await web(**call)
    except ActionError as error:
        if error.code != "no_records":
            raise
        return []
    rows: Rows = answer.data["rows"]
    return rows


def _same(rows: Rows, wanted: Rows) -> int:
    """How many rows have, in their order, what the browser found in every field."""
    left = [_bare(row) for row in wanted]
    right = 0
    for row in map(_bare, rows):
        if row in left:
            left.remove(row)
            right += 1
    return right


def _bare(row: Mapping[str, str | None]) -> dict[str, str]:
    """The row without white space, signs that nobody sees, and slashes at the end."""
    bare = {name: "".join(filter(str.isprintable, value or "")) for name, value in row.items()}
    plain = {name: value.replace(" ", "").rstrip("/") for name, value in bare.items()}
    return {name: value for name, value in plain.items() if value}


def _f1(right: int, rows: Rows, wanted: Rows) -> float:
    return 2 * right / ((len(rows) + len(wanted)) or 1)


async def _many(bench: Bench) -> Table:
    """Rows by the thousand to a file, and what of it stands in the answer."""
    cards = "".join(
        f'<div class=card><h3><a href="/lamp/{n}">Lamp {n}</a></h3><p class=price>€{n}.00</p></div>'
        for n in range(MANY)
    )
    page = f"<!doctype html><title>Lamps</title><main>{cards}</main>"
    with served({"/": page}) as address, TemporaryDirectory() as home:
        async with strap.open_router(network="local", home=home) as web:
            call = {"resource": "http", "action": "extract", "url": f"{address}/"}
            answer = await web(**call, output="lamps.csv")
            lines = await asyncio.to_thread(_lines, answer.data["path"])
    row: list[Any] = [f"{MANY:,} rows to CSV", lines - 1, bench.tokens(answer.text)]
    return Table(title="Many rows", columns=["", "rows in the file", "tokens"], rows=[row])


def _lines(path: str) -> int:
    return len(Path(path).read_text().splitlines())
