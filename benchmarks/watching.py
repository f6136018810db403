"""Watches on pages that change by themselves: planted changes that are found, edits that are not.

    python benchmarks/watching.py [PAGES]

Each of the pages (100) has ads, a clock, counters, tokens and lists in any order, anew for each
request. Each gets ten neutral looks, with one planted change in the midst of them: a paragraph,
a price, a row. Told are the changes that were found, and the false ones. The two looks that learn
are 0 s apart here and not 60: all noise of these pages changes with each request.
"""

import asyncio
import json
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

from strap import Config
from strap_watch.store import Watch, Watches, new_id
from strap_watch.watching import add, look_again, open_web
from tests.site.server import Reply, serve

LOOKS = 10
"""Neutral edits of a page: 1,000 with 100 pages."""
WORDS = [
    "harbour",
    "lantern",
    "meadow",
    "copper",
    "violin",
    "orchard",
    "glacier",
    "pepper",
    "saddle",
    "thunder",
    "window",
    "marble",
    "ribbon",
    "anchor",
    "canyon",
    "feather",
    "island",
    "kettle",
    "ladder",
    "mirror",
    "needle",
    "oyster",
    "parrot",
    "quarry",
]


class Page:
    """One page: what it says, and what it says anew each time."""

    def __init__(self, number: int) -> None:
        self.rows = number % 2 == 1
        self.random = random.Random(number)
        self.paragraphs = [self.sentence(20) for _ in range(12)]
        self.items = [(f"Item {self.sentence(2)} {n}", 10 + n * 3) for n in range(14)]

    def sentence(self, length: int) -> str:
        return " ".join(self.random.choice(WORDS) for _ in range(length)).capitalize() + "."

    def plant(self) -> str:
        """Change one thing, and return words of it."""
        if self.rows:
            at = self.random.randrange(len(self.items))
            name, price = self.items[at]
            kind = self.random.choice(("price", "gone", "added"))
            if kind == "price":
                self.items[at] = name, price + 1
            elif kind == "gone":
                del self.items[at]
            else:
                name = f"Item new {self.sentence(2)}"
                self.items.insert(at, (name, price))
            return name
        at = self.random.randrange(len(self.paragraphs))
        words = self.paragraphs[at].split()
        words[self.random.randrange(1, len(words) - 1)] = "planted"
        self.paragraphs[at] = " ".join(words)
        return "planted"

    def html(self) -> str:
        now, ad = time.time_ns(), secrets.choice(WORDS)
        token = secrets.token_hex(16)
        if self.rows:
            items = random.sample(self.items, len(self.items))
            rows = "".join(
                f"<li class=item><a href='/item/{name.replace(' ', '-')}?s={token}'>{name}</a> "
                f"<b class=price>{price} EUR</b> "
                f"<i class=views>{secrets.randbelow(9_000)} views</i>"
                for name, price in items
            )
            return f"<!doctype html><title>Shop</title><main><h1>Shop</h1><ul>{rows}</ul></main>"
        texts = "".join(f"<p>{text}</p>" for text in self.paragraphs[1:])
        return (
            f"<!doctype html><title>News</title><main><h1>News</h1><p>{self.paragraphs[0]}</p>"
            f"<p>Updated at {now % 24}:{now % 60:02}:{now % 59:02} o'clock by the editors</p>"
            f"<p>Try the new {ad} {secrets.choice(WORDS)} of {secrets.token_hex(3)} today</p>"
            f"{texts}"
            f"<p>{secrets.randbelow(900)} people are reading this page now</p>"
            f"<p>Session <a href='/about?sid={token}'>about us</a> and more of the house</p></main>"
        )


async def measured(count: int) -> dict[str, object]:
    pages = [Page(n) for n in range(count)]
    routes = {f"/{n}": (lambda _, p=page: Reply(body=p.html())) for n, page in enumerate(pages)}
    found = false = 0
    missed, wrong = [], []
    routes["/robots.txt"] = Reply(status=404)
    with serve(routes) as site, tempfile.TemporaryDirectory() as home:
        config = Config(home=Path(home), outputs=Path(home), network="local")
        watches = Watches(Path(home))
        async with open_web(config) as web:
            for number, page in enumerate(pages):
                asked = Watch(
                    id=new_id(), url=f"{site}/{number}", every=1,
                    mode="rows" if page.rows else "text",
                    selector=".item" if page.rows else "",
                )  # fmt: skip
                watch = await add(web, watches, asked, 0)
                at = page.random.randrange(LOOKS)
                for look in range(LOOKS):
                    before, planted = watch.number, page.plant() if look == at else ""
                    await look_again(web, watches, watch, lambda _: None)
                    news = watches.changes(watch)[: watch.number - before]
                    if planted:
                        told = json.dumps(news, ensure_ascii=False)
                        hit = planted in told or planted.replace(" ", "-") in told
                        found += hit
                        missed += [] if hit else [(number, planted, watch.rules)]
                    elif news:
                        false += 1
                        wrong.append((number, news, watch.rules))
    for line in (*missed[:3], *wrong[:3]):
        print(json.dumps(line, ensure_ascii=False)[:900], file=sys.stderr)
    return {"planted": count, "found": found, "neutral": count * (LOOKS - 1), "false": false}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured(int(sys.argv[1]) if len(sys.argv) > 1 else 100))))
