"""Pages that are watched: changes that are found, and edits that are taken for one by mistake."""

import random
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table
from benchmarks.of_long_work.pages import NEUTRAL, Page
from strap import Config
from strap_watch.store import Watch, Watches, new_id
from strap_watch.watching import add, look_again, open_web
from tests.site.server import Reply, Request, serve

LOOKS = 10
"""Looks at a page, each after a neutral edit; one of them also after the change."""
ROWS = {"mode": "rows", "selector": ".item", "fields": "name: a\nprice: .price\nviews: .views"}


async def measure(bench: Bench, folder: Path) -> Table:
    pages = [Page(number) for number in range(bench.runs(100, 10))]
    dice, watches = random.Random(58), Watches(folder)
    found, false, notes = 0, 0, list[str]()

    def answer(request: Request) -> Any:
        return pages[int(request.query["n"][0])].html()

    with serve({"/page": answer, "/robots.txt": Reply(status=404)}) as site:
        config = Config(home=folder, outputs=folder, network="local")
        async with open_web(config) as web:
            for page in pages:
                mode: dict[str, Any] = ROWS if page.has_rows else {"mode": "text"}
                url = f"{site}/page?n={page.number}"
                asked = Watch(id=new_id(), url=url, every=60, **mode)
                watch = await _added(web, watches, asked, page)
                planted = dice.randrange(LOOKS)
                for look in range(LOOKS):
                    page.edit(kind := dice.choice(NEUTRAL))
                    if look == planted:
                        page.plant()
                    number = watch.number
                    await look_again(web, watches, watch, notes.append)
                    if look == planted:
                        found += watch.number > number
                    elif watch.number > number:
                        false += 1
                        last = watches.changes(watch, 1)
                        notes.append(f"false, after {kind} of {page.number}: {last}")
    table = Table(
        title="Pages that are watched",
        columns=("pages", "changes", "found", "neutral edits", "taken for changes"),
    )
    table.rows.append([len(pages), len(pages), found, len(pages) * LOOKS, false])
    table.notes += [note for note in notes if note.startswith("false")][:5]
    return table


async def _added(web: Any, watches: Watches, asked: Watch, page: Page) -> Watch:
    """Watch a page on which all changes by itself between the two looks that learn."""

    class Editing:
        """Edits the page after the first look."""

        async def __call__(self, **arguments: Any) -> Any:
            result = await web(**arguments)
            if not arguments.get("start"):
                for kind in NEUTRAL:
                    page.edit(kind)
            return result

    editing: Any = Editing()
    return await add(editing, watches, asked, settle=0)
