"""Adding watches, and looking at those that are due: politely, a host at a time."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from strap import ActionError, Config, Router, StrapError, UsageError, open_router
from strap_watch.comparing import changes, learn
from strap_watch.notifying import matters, notify
from strap_watch.reading import Look, look
from strap_watch.store import Watch, Watches

SETTLE = 60.0
"""Seconds between the two looks that tell what changes by itself."""
PACE = 1.0
"""Seconds between two looks at a host, as of crawls."""
HOSTS = 8
"""Hosts that are looked at side by side."""
LONGEST = 86_400.0
"""Seconds after which a page that could not be seen is tried again at the latest."""
DOUBLED = 5
"""How often the interval doubles while the page cannot be seen."""
REST = 30.0
"""Seconds after which new watches are noticed."""
Tell = Callable[[str], None]


def open_web(config: Config) -> AbstractAsyncContextManager[Router]:
    """Open what looks: it keeps to robots.txt, as nobody asks for each request."""
    http = {**config.plugins.get("http", {}), "robots": True}
    return open_router(config=replace(config, plugins={**config.plugins, "http": http}))


async def add(web: Router, watches: Watches, watch: Watch, settle: float = SETTLE) -> Watch:
    """Look twice, learn what changes by itself, and keep the watch.

    Raises `ActionError` where the page cannot be seen: nothing is kept then.
    """
    first = await look(web, watch)
    if first.state == "ok":
        watch.items, watch.page_url = [*first.items], first.url
        await asyncio.sleep(settle)
        first = await look(web, watch)
    if first.state != "ok":
        raise ActionError(
            f"{watch.url!r} cannot be watched: {first.state}.",
            hint="Look at it with http.fetch first.",
            code="unseen",
        )
    watch.rules = learn(watch, first.items)
    watch.items, watch.state = [*first.items], "ok"
    watch.looked_at = time.time()
    watch.next_at = watch.looked_at + watch.every
    watches.save(watch, new=True)
    return watch


async def run(web: Router, watches: Watches, tell: Tell, *, once: bool = False) -> None:
    """Look at what is due; without `once`, until it is cancelled. Raises `ActionError`."""
    with watches.alone():
        while True:
            now = time.time()
            known = watches.all()
            # A host that wants a pause gets it for all of its pages.
            paused = {_host(watch) for watch in known if watch.is_slowed and not watch.is_due(now)}
            due = [watch for watch in known if watch.is_due(now) and _host(watch) not in paused]
            await _round(web, watches, due, tell)
            if once:
                return
            now = time.time()
            later = (watch.next_at for watch in watches.all() if not watch.is_due(now))
            await asyncio.sleep(min(max(min(later, default=now + REST) - now, PACE), REST))


def _host(watch: Watch) -> str:
    return urlsplit(watch.url).netloc


async def _round(web: Router, watches: Watches, due: Sequence[Watch], tell: Tell) -> None:
    hosts: dict[str, list[Watch]] = {}
    for watch in due:
        hosts.setdefault(_host(watch), []).append(watch)
    slots = asyncio.Semaphore(HOSTS)

    async def visit(group: Sequence[Watch]) -> None:
        async with slots:
            for at, brief in enumerate(group):
                if at:
                    await asyncio.sleep(PACE)
                if (watch := watches.read(brief)) is not None:
                    await look_again(web, watches, watch, tell)
                    if watch.is_slowed:
                        return

    async with asyncio.TaskGroup() as tasks:
        for group in hosts.values():
            tasks.create_task(visit(group))


async def look_again(web: Router, watches: Watches, watch: Watch, tell: Tell) -> None:
    """Look at one page, note what changed, and notify; what fails is told."""
    seen = await look(web, watch)
    now = time.time()
    try:
        for change in _news(watch, seen):
            watches.note(watch, {"at": round(now, 3), **change})
            tell(f"{watch.id} {watch.url}: {change_text(change)}")
            if watch.notify and (change["kind"] == "state" or matters(change, watch.when)):
                watch.pending.append(watch.number)
        watch.looked_at, watch.state = now, seen.state
        watch.troubles = 0 if seen.state == "ok" else watch.troubles + 1
        wait = watch.every * 2 ** min(watch.troubles, DOUBLED)
        watch.next_at = now + max(min(wait, max(LONGEST, watch.every)), seen.wait)
        if seen.state == "ok":
            watch.items = [*seen.items]
        watches.save(watch)
        await _notify(web, watches, watch)
    except StrapError as error:
        tell(f"{watch.id} {watch.url}: {error}")


def _news(watch: Watch, seen: Look) -> list[dict[str, object]]:
    """Return the changes of a look; a state that goes on is told once."""
    news: list[dict[str, object]] = []
    if seen.state != watch.state:
        news.append({"kind": "state", "from": watch.state, "to": seen.state})
    return news + (changes(watch, seen.items) if seen.state == "ok" else [])


async def _notify(web: Router, watches: Watches, watch: Watch) -> None:
    """Tell of what is pending, the oldest first: after a crash of some a second time, of all."""
    if not watch.pending:
        return
    known = {change["number"]: change for change in watches.changes(watch)}
    for number in [*watch.pending]:
        if number in known:
            await notify(web, watch, known[number])
        watch.pending.remove(number)
        watches.save(watch)


def watch_line(watch: Watch) -> str:
    """Return a watch as one line."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(watch.looked_at))
    return f"{watch.id}  {when}  {watch.state:12}  {watch.number:4} changes  {watch.url}"


def change_line(change: dict[str, Any]) -> str:
    """Return a change as one line with its time."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(change["at"]))
    return f"{when} {change_text(change)}"


def change_text(change: dict[str, object]) -> str:
    """Return a change as one line."""
    kind = change["kind"]
    if kind == "state":
        return f"{change['from']} → {change['to']}"
    if "cells" not in change:
        old, new = change.get("from"), change.get("to")
        return f"changed: {old} → {new}" if new else f"{kind}: {change['text']}"
    cells = change["cells"]
    assert isinstance(cells, dict)
    parts = (f"{k}: {' → '.join(v) if isinstance(v, list) else v}" for k, v in cells.items())
    return f"{kind} {change['row']!r}: {', '.join(parts)}"


def seconds(text: str) -> float:
    """Return the seconds of `90s`, `15m`, `1h` or `2d`; raises `UsageError`."""
    unit = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}.get(text[-1:])
    try:
        value = float(text[:-1]) * (unit or 0)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 366 * 86_400:
        raise UsageError(
            f"every={text!r} is not a valid interval.", hint="As in 90s, 15m, 1h or 2d."
        )
    return value
