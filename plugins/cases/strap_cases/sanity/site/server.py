"""The site of the scenarios: pages are files, the log of requests is the ground truth."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from strap_cases.sanity.serving import Reply, Request, serve

FAULTS = frozenset({"total", "toast", "error", "filter", "down"})
"""Wrong price, false toast, script error, filter without effect, no answer."""
PASSWORD = "lovelace"  # noqa: S105 - of a site that is gone with its run
PRICES = {"spade": "12.50", "rake": "9.00"}
ITEMS = {"hose": 24, "bucket": 6, "gloves": 4, "shears": 19, "barrow": 58}
SLOW = 3.0
"""Seconds until the slow page knows its number."""
JSON = "application/json"
REPORT = "month,orders\nJanuary,41\nFebruary,38\n"
_NAME = re.compile(r"[a-z]+(-[a-z]+)*")


class Site:
    """One site, of one run; `log` is what it was asked, with the status of each answer."""

    def __init__(self, faults: Sequence[str] = ()) -> None:
        self.closing = threading.Event()
        self.faults = frozenset(faults)
        self.log: list[dict[str, Any]] = []
        self.url = ""
        self.sent: list[dict[str, str]] = []
        """Forms that were posted and accepted, as `/api/sent` returns them."""
        self.saved = {"name": "Grace", "size": "small"}

    def answer(self, request: Request) -> Reply:
        """Answer a request, and note it."""
        route = ROUTES.get((request.method, request.path))
        reply = route(self, request) if route else self._page(request)
        reply = Reply(status=0) if "down" in self.faults else reply
        body = request.body.decode("utf-8", "replace")[:1_000]
        facts = {"method": request.method, "path": request.path, "query": request.query}
        self.log.append(
            {"at": round(time.time(), 3), **facts, "body": body, "status": reply.status}
        )
        return reply

    def _page(self, request: Request) -> Reply:
        name = request.path.strip("/").replace("/", "-") or "index"
        if request.path == "/favicon.ico":
            return Reply(status=204)
        if request.method == "GET" and _NAME.fullmatch(name):
            try:
                return Reply(body=_file(f"{name}.html"))
            except FileNotFoundError:
                pass
        return Reply(body="<!doctype html><title>404</title><h1>No such page</h1>", status=404)


@contextmanager
def serve_site(faults: Sequence[str] = ()) -> Iterator[Site]:
    """Serve a site on a free port of loopback until the block is left."""
    site = Site(faults)
    with serve(site.answer, site.closing) as port:
        site.url = f"http://127.0.0.1:{port}"
        yield site


def _file(name: str, **values: str) -> str:
    text = (files("strap_cases.sanity.site") / "pages" / name).read_text("utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{{{key}}}}}", value)
    return text


def _cookie(request: Request, name: str) -> str:
    match = re.search(rf"(?:^|;\s*){name}=([^;]*)", request.cookies)
    return match[1] if match else ""


def _posted(request: Request) -> dict[str, str]:
    text = request.body.decode("utf-8", "replace")
    if text.startswith("{"):
        return {key: str(value) for key, value in json.loads(text).items()}
    return dict(parse_qsl(text))


def _number(text: str) -> int:
    """Return the number that a text begins with, 0 for none: agents write `10 euro`."""
    match = re.match(r"\s*(\d{1,9})", text)
    return int(match[1]) if match else 0


def _json(value: object, status: int = 200) -> Reply:
    return Reply(body=json.dumps(value), kind=JSON, status=status)


def _go(where: str, **cookies: str) -> Reply:
    headers = {"Location": where}
    for name, value in cookies.items():
        headers["Set-Cookie"] = f"{name}={value}; Path=/"
    return Reply(status=303, headers=headers)


def _log_in(_: Site, request: Request) -> Reply:
    form = _posted(request)
    if (form.get("user"), form.get("pass")) == ("ada", PASSWORD):
        return _go("/home", session="s1")
    return Reply(body=_file("login.html"), status=403)


def _home(_: Site, request: Request) -> Reply:
    return Reply(body=_file("home.html")) if _cookie(request, "session") else _go("/login")


def _put(_: Site, request: Request) -> Reply:
    tool = _posted(request).get("tool", "")
    return _go("/basket", basket=tool) if tool in PRICES else _go("/shop")


def _basket(_: Site, request: Request) -> Reply:
    tool = _cookie(request, "basket")
    return Reply(body=_file("basket.html", tool=tool)) if tool in PRICES else _go("/shop")


def _thanks(site: Site, request: Request) -> Reply:
    tool = request.query.get("tool", "")
    price = PRICES["spade" if "total" in site.faults else tool] if tool in PRICES else "0.00"
    return Reply(body=_file("thanks.html", price=price))


def _take(site: Site, request: Request) -> Reply:
    site.sent.append({"to": request.path, **_posted(request)})
    return _json({}, 201)


def _save(site: Site, request: Request) -> Reply:
    if "toast" in site.faults:
        return _json({"error": "The disk is full."}, 500)
    site.saved |= _posted(request)
    return _json(site.saved)


def _items(site: Site, request: Request) -> Reply:
    most = _number(request.query.get("max", ""))
    items = {
        name: price
        for name, price in ITEMS.items()
        if not most or price <= most or "filter" in site.faults
    }
    return _json(items)


def _gallery(site: Site, _: Request) -> Reply:
    wrong = "shwo" if "error" in site.faults else "show"
    return Reply(body=_file("gallery.js", show=wrong), kind="text/javascript")


def _slow(site: Site, _: Request) -> Reply:
    site.closing.wait(SLOW)
    return _json({"number": "Z-2088"})


def _never(site: Site, _: Request) -> Reply:
    site.closing.wait()
    return Reply(status=503)


def _more(_: Site, request: Request) -> Reply:
    first = min(_number(request.query.get("from", "")) or 1, 1_000)
    names = [f"Entry {number}" for number in range(first, first + 10)]
    return _json([f"{name}: marked blue" if name == "Entry 27" else name for name in names])


def _report(_: Site, __: Request) -> Reply:
    headers = {"Content-Disposition": 'attachment; filename="orders-2024.csv"'}
    return Reply(body=REPORT, kind="text/csv", headers=headers)


def _wall(_: Site, __: Request) -> Reply:
    return Reply(body=_file("wall.html"), status=403)


ROUTES: Mapping[tuple[str, str], Callable[[Site, Request], Reply]] = {
    ("POST", "/login"): _log_in,
    ("GET", "/home"): _home,
    ("POST", "/basket"): _put,
    ("GET", "/basket"): _basket,
    ("GET", "/thanks"): _thanks,
    ("POST", "/api/orders"): _take,
    ("POST", "/api/letters"): _take,
    ("POST", "/api/deletions"): _take,
    ("POST", "/api/choices"): _take,
    ("GET", "/api/sent"): lambda site, _: _json(site.sent),
    ("POST", "/api/profile"): _save,
    ("GET", "/api/profile"): lambda site, _: _json(site.saved),
    ("GET", "/api/items"): _items,
    ("GET", "/gallery.js"): _gallery,
    ("GET", "/api/number"): _slow,
    ("GET", "/api/never"): _never,
    ("GET", "/api/entries"): _more,
    ("GET", "/files/orders"): _report,
    ("GET", "/protected"): _wall,
    ("GET", "/members"): lambda _, __: Reply(body=_file("login.html"), status=401),
}
