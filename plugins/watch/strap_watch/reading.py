"""One look at a page: its items, or the state that stands in their place."""

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from strap import ActionError, Router, StrapError, record
from strap_watch.store import Item, Watch

FRESH = {"Cache-Control": "no-cache"}
"""Asks the server whether what the cache has is still right: an unchanged page is one 304."""
MOST_TOKENS = 100_000
"""The largest answer of a call."""
MOST_PARTS = 20
"""Answers that one look reads: a page of two million tokens."""
FEW = 12
"""Items of a page that may be nothing but a wall."""
LOGIN = re.compile(r"\b(log ?in|sign ?in|password|anmelden|passwort|se connecter)\b", re.IGNORECASE)
LOGIN_PATH = re.compile(r"(^|[/_-])(log-?in|sign-?in|auth|sso|session)([/_.-]|$)", re.IGNORECASE)
WALL = re.compile(
    r"captcha|are you (a )?(human|robot)|verify (that )?you are|unusual traffic|access denied"
    r"|checking your browser|enable javascript and cookies",
    re.IGNORECASE,
)
NO_TEXT = "The page has no text;"
"""How `http.fetch` says so."""
RETRY_AFTER = re.compile(r"[^\n]*\nretry-after: ([^\n]*)")
MOST_WAIT = 86_400.0
"""Seconds, of what a host asks for: a page is looked at once a day at least."""
STATUS = re.compile(r"HTTP status (\d{3})")


@record
class Look:
    """Result of one look: `state` is "ok", or the reason why `items` is unusable."""

    state: str
    url: str = ""
    items: Sequence[Item] = ()
    wait: float = 0.0
    """Seconds for which the host wants to be left alone."""


async def look(web: Router, watch: Watch) -> Look:
    """Look at the page of a watch; what goes wrong is a state."""
    try:
        seen = await (_rows(web, watch) if watch.mode == "rows" else _text(web, watch))
    except StrapError as error:
        return Look(state=_trouble(error))
    wall = seen.state == "ok" and _wall(seen, watch)
    return Look(state=wall, url=seen.url) if wall else seen


def _trouble(error: StrapError) -> str:
    if match := STATUS.search(error.message):
        return _of_status(int(match[1]))
    return {"no_records": "empty page"}.get(error.code, error.code)


def _of_status(status: int) -> str:
    """Return the state that a status stands for, "ok" where it is none."""
    names = {401: "login wall", 407: "login wall", 403: "forbidden", 429: "429: too many requests"}
    return names.get(status, f"HTTP status {status}") if status >= 400 else "ok"


def _wall(seen: Look, watch: Watch) -> str:
    """Return what stands in place of the page, "" where it is the page."""
    words = " ".join(" ".join(map(str, item.values())) for item in seen.items)
    if not words.strip():
        return "empty page"
    before, after = watch.page_url, seen.url
    moved = before and _place(before) != _place(after)
    few = len(seen.items) <= FEW
    shared = bool(_words(watch.items) & _words(seen.items))
    if few and not shared and WALL.search(words):
        return "bot wall"
    if moved and LOGIN_PATH.search(urlsplit(after).path):
        return "login wall"
    if few and watch.items and not shared and LOGIN.search(words):
        return "login wall"
    if moved or (len(watch.items) > 2 and watch.mode != "check" and not shared):
        return f"another page: {after}"
    return ""


def _wait(answer: str) -> float:
    """Return what Retry-After asks for, as the head of an answer tells it: a day at most."""
    value = (RETRY_AFTER.match(answer) or ("", ""))[1].strip()
    with suppress(ValueError, OverflowError):
        seconds = float(value) if value.isdecimal() else _moment(value) - time.time()
        return min(max(seconds, 0.0), MOST_WAIT)
    return 0.0


def _moment(value: str) -> float:
    return parsedate_to_datetime(value).timestamp()


def _words(items: Sequence[Item]) -> set[str]:
    return {str(value) for item in items for value in item.values() if len(str(value)) > 2}


def _place(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.netloc, parts.path.rstrip("/")


async def _text(web: Router, watch: Watch) -> Look:
    """Read the paragraphs of the main text, or whether they contain the words of a check."""
    ask: dict[str, Any] = {"resource": "http", "action": "fetch", "url": watch.url}
    ask |= {"value": "rendered"} if watch.rendered else {"headers": FRESH}
    parts, data = list[str](), dict[str, Any]()
    start: int | None = 0
    while start is not None and len(parts) < MOST_PARTS:
        result = await web(**ask, start=start, max_tokens=MOST_TOKENS)
        data = result.data or {}
        if (state := _of_status(data.get("status") or 200)) != "ok":
            return Look(state=state, url=str(data.get("url", "")), wait=_wait(result.text))
        # The first line tells of the answer, with what brackets add below it.
        head = re.match(r"[^\n]*(\n\[[^\n]*\])*\n", result.text) if not parts else None
        parts.append(result.text[head.end() if head else 0 :])
        start = data.get("next_start")
    lines = (" ".join(line.split()) for line in "\n".join(parts).split("\n"))
    items = [{"text": line} for line in lines if line and not line.startswith(NO_TEXT)]
    items = [] if all(item["text"].startswith("# ") for item in items) else items
    if watch.mode == "check":
        holds = any(watch.check.lower() in item["text"].lower() for item in items)
        shown = {"check": watch.check, "holds": "yes" if holds else "no"}
        return Look(state="ok", url=str(data["url"]), items=[shown] if items else [])
    return Look(state="ok", url=str(data["url"]), items=items)


async def _rows(web: Router, watch: Watch) -> Look:
    ask: dict[str, Any] = {"resource": "http", "action": "extract", "url": watch.url}
    ask |= {"selector": watch.selector} if watch.selector else {}
    ask |= {"value": watch.fields} if watch.fields else {}
    rows, start = list[Mapping[str, Any]](), 0
    url = watch.url
    for _ in range(MOST_PARTS):
        result = await web(**ask, start=start, max_tokens=MOST_TOKENS)
        if result.data is None:
            raise ActionError(f"{watch.url!r} has no rows.", code="no_records")
        if match := STATUS.search(result.text.partition("]")[0]):
            return Look(state=_of_status(int(match[1])), url=str(result.data["url"]))
        rows += result.data["rows"]
        url, start = str(result.data["url"]), result.data["next_start"] or 0
        if not start:
            break
    items = [{k: str(v) for k, v in row.items() if v not in (None, "")} for row in rows]
    return Look(state="ok", url=url, items=items)
