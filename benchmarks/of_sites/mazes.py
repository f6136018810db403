"""A site of 300 pages, and around them what crawlers are lost in."""

import itertools
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

SECTIONS, OF_EACH, ORPHANS = 12, 23, 11
"""Sections, pages of each, and pages that the sitemap alone names: 300 with the start."""
SEED = 20_261_125
BUSY = 40
"""Every so many pages answer with 429 at first."""
PAUSE = 0.01
"""Seconds that an answer takes, so that requests may overlap."""
_TOPICS = (
    *("looms", "kilns", "mills", "ferries", "bells", "granaries", "forges", "orchards"),
    *("quarries", "lighthouses", "canals", "apiaries"),
)
_WORDS = [
    "oak",
    "iron",
    "rope",
    "slate",
    "copper",
    "linen",
    "clay",
    "amber",
    "flint",
    "wool",
    "tin",
    "resin",
]
_FURNITURE = " ".join(f"The house of old trades is open on weekdays, room {n}." for n in range(6))
"""Text on each page of a trap, as on any page that a program makes."""


def wanted() -> dict[str, str]:
    """The paths of the 300 pages, and what each says."""
    pages = {"/docs/": "The handbook of old trades, in twelve sections."}
    numbers = random.Random(SEED)
    for section, number in itertools.product(range(SECTIONS), range(OF_EACH + 1)):
        path = f"/docs/{_TOPICS[section]}/" + (f"page-{number}" if number else "")
        words = " ".join(numbers.choices(_WORDS, k=60))
        pages[path] = f"On {_TOPICS[section]}, part {number}: {words}."
    for number in range(ORPHANS):
        words = " ".join(numbers.choices(_WORDS, k=60))
        pages[f"/docs/appendix/note-{number}"] = f"Note {number} of the appendix: {words}."
    return pages


class Maze(ThreadingHTTPServer):
    """Serves the pages and the traps; counts requests, and how many there were at once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.pages = wanted()
        self.asked: Counter[str] = Counter()
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    @contextmanager
    def counted(self, path: str) -> Iterator[None]:
        with self._lock:
            self.asked[path] += 1
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1

    def number(self) -> int:
        """A number that nobody was given before."""
        with self._lock:
            return next(self._numbers)

    def links(self, path: str) -> list[str]:
        """Links of the page at a path of the site: on, and into the traps."""
        section = path.rpartition("/")[0]
        siblings = [other for other in self.pages if other.rpartition("/")[0] == section]
        at = siblings.index(path)
        below = siblings[1:] if path.endswith("/") else siblings[at + 1 : at + 2]
        if path == "/docs/":
            below = [f"/docs/{topic}/" for topic in _TOPICS]
        number = self.number()
        traps = (
            *(f"/docs/calendar/2026/{at % 12 + 1:02}/", f"{path}?sid={number}", "deeper/a/"),
            f"/docs/list?kind={_WORDS[at % 12]}&size={at % 5}&sort=name&page={number % 7}",
            *(f"{path}?print=1", f"{path}?utm_source=maze", f"/docs/private/{number}"),
            *("/docs/round/1", "http://localhost:1/docs/", f"/docs/search?q={_WORDS[number % 12]}"),
            *(f"/docs/gone-{number}", f"/docs/broken/{at}", path.upper().replace("DOCS", "docs")),
        )
        return [*below, *traps]


class _Handler(BaseHTTPRequestHandler):
    server: Maze

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        with self.server.counted(parts.path):
            time.sleep(PAUSE)
            self._answer(parts.path, parse_qs(parts.query))
        self.wfile.write(self._body)  # who has it all may ask again at once

    def _answer(self, path: str, query: dict[str, list[str]]) -> None:
        pages = self.server.pages
        if path == "/robots.txt":
            rules = "User-agent: *\nDisallow: /docs/private\nSitemap: /maps/0.xml\n"
            self._send(200, rules, kind="text/plain")
        elif path.startswith("/maps/"):
            self._map(int(path.removeprefix("/maps/").removesuffix(".xml")))
        elif path in pages:
            self._page(path, query)
        elif path.startswith("/docs/round/"):
            following = 3 - int(path[-1])
            self._send(302, "", Location=f"/docs/round/{following}")
        elif path.startswith("/docs/broken/"):
            self._send(500, "<p>Our mistake.</p>")
        elif path.lower() in pages:
            self._page(path.lower(), query)
        else:
            self._trap(path, query)

    def _page(self, path: str, query: dict[str, list[str]]) -> None:
        server = self.server
        if list(server.pages).index(path) % BUSY == BUSY - 1 and server.asked[path] == 1:
            self._send(429, "<p>Too many.</p>", **{"Retry-After": "1"})
            return
        links = "".join(f'<a href="{to}">on</a> ' for to in server.links(path))
        unseen = f'<a style="display:none" href="/docs/hidden/{server.number()}">x</a>'
        nofollow = f'<a rel="nofollow" href="/docs/login?to={server.number()}">Log in</a>'
        canonical = f'<link rel="canonical" href="{path}">' if "print" in query else ""
        self._send(
            200,
            f"<!doctype html><html><head><title>{path}</title>{canonical}</head><body><main>"
            f"<h1>{path}</h1><p>{server.pages[path]}</p></main>{links}{unseen}{nofollow}</body>",
        )

    def _trap(self, path: str, query: dict[str, list[str]]) -> None:
        """Pages that say the same, or nothing of worth, and lead to ever more of them."""
        server = self.server
        if re.fullmatch(r"/docs/calendar/\d+/\d+/", path):
            year, month = (int(part) for part in path.strip("/").split("/")[-2:])
            to = f"/docs/calendar/{year + month // 12}/{month % 12 + 1:02}/"
            self._trapped("Nothing takes place in this month.", to)
        elif path.startswith("/docs/calendar/"):
            self._send(404, "<p>No such month.</p>")
        elif "/deeper/" in path:
            self._trapped("Go on reading below.", "a/")
        elif path == "/docs/list":
            kind = query.get("kind", [""])[0]
            more = f"kind={kind}&size={server.number() % 97}&sort=date&page={server.number()}"
            self._trapped("Things of all kinds and sizes, sorted.", f"/docs/list?{more}")
        elif path == "/docs/search":
            said = query.get("q", [""])[0]
            self._trapped("No results were found.", f"/docs/search?q={said}{server.number() % 9}")
        else:
            self._trapped("This page is gone, or never was.", f"/docs/gone-{server.number()}")

    def _trapped(self, text: str, to: str) -> None:
        main = f"<main><p>{text}</p><p>{_FURNITURE}</p></main>"
        self._send(200, f'<title>Handbook</title>{main}<a href="{to}">on</a>')

    def _map(self, number: int) -> None:
        """An index of sitemaps without end, the first of which has the orphans, too."""
        address = self.server.address
        orphans = [path for path in self.server.pages if "/appendix/" in path]
        if number == 1:
            listed = "".join(f"<url><loc>{address}{path}</loc></url>" for path in orphans)
            self._send(200, f"<urlset>{listed}</urlset>", kind="application/xml")
            return
        following = (1, number + 2) if number == 0 else (number + 1,)
        listed = "".join(f"<sitemap><loc>{address}/maps/{n}.xml</loc></sitemap>" for n in following)
        self._send(200, f"<sitemapindex>{listed}</sitemapindex>", kind="application/xml")

    def _send(self, status: int, text: str, kind: str = "text/html", **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        length = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
        for name, value in {**length, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self._body = body

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serve() -> Iterator[Maze]:
    with Maze() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
