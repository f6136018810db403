"""Reader of the tool's answers, from their text alone: clients of MCP get no more."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

JSON_ACTIONS = ("eval", "get_run_events", "get_screenshots", "list_runs")
"""Actions whose text is a JSON object."""
_PAGE = re.compile(r"^(t\d+)( \(current\))? (\S+) ?(.*)$", re.MULTILINE)
_OPENED = re.compile(r"\bpage (t\d+)")
_REQUEST = re.compile(r"^(r\d+) (\S+) (\S+) (\S+) (.*?) [\d,]+ ms$", re.MULTILINE)
_MESSAGE = re.compile(r"^\[(\w+)\] ", re.MULTILINE)
_WHERE = re.compile(r" \(([^()\s]*:\d+)\)$")
_COOKIE = re.compile(r"^([^=\s]+)=", re.MULTILINE)
_FILE = re.compile(
    r"^(d\d+) '(.*)' (?:\([\d,]+ bytes\) at (.+)|failed: (.+)|is on its way.*)$", re.MULTILINE
)
_FETCHED = re.compile(r"(\d{3}) (\S+) (\S+)")
_TEXTS = re.compile(r"Texts: (\d+)(, but)?")
_NEXT = re.compile(r"start=(\d+)[^\n]*$")


def data_of(action: str, text: str) -> Any:
    """Return what the text of an answer says as data, as far as cases need it."""
    if action in JSON_ACTIONS:
        return json.loads(text)
    return _READERS[action](text) if action in _READERS else None


def _pages(text: str) -> list[dict[str, Any]]:
    return [
        {"id": tab, "url": url, "title": title, "current": bool(current)}
        for tab, current, url, title in _PAGE.findall(text)
    ]


def _opened(text: str) -> dict[str, Any]:
    found = _OPENED.search(text)
    return {"target_id": found[1] if found else ""}


def _evaluated(text: str) -> dict[str, Any]:
    """The result is JSON on a line of its own; others tell what happened meanwhile."""
    for line in (text, *reversed(text.split("\n"))):
        try:
            return {"result": json.loads(line)}
        except ValueError:
            continue
    return {"result": None}


def _requests(text: str) -> list[dict[str, Any]]:
    return [
        {
            "ref": ref,
            "method": method,
            "url": url,
            "type": kind,
            "status": int(state) if state.isdecimal() else None,
            "failure": None if state.isdecimal() or state == "…" else state,
        }
        for ref, method, state, kind, url in _REQUEST.findall(text)
    ]


def _messages(text: str) -> list[dict[str, Any]]:
    """A message may have several lines: it goes on until the next one begins."""
    begins = list(_MESSAGE.finditer(text))
    ends = [*(each.start() - 1 for each in begins), len(text)]
    found = []
    for begin, end in zip(begins, ends[1:], strict=True):
        said = text[begin.end() : end]
        where = _WHERE.search(said)
        told = said[: where.start()] if where else said
        found.append({"level": begin[1], "text": told, "where": where[1] if where else ""})
    return found


def _files(text: str) -> list[dict[str, Any]]:
    return [
        {"ref": ref, "name": name, "path": path or None, "error": error or None}
        for ref, name, path, error in _FILE.findall(text)
    ]


def _fetched(text: str) -> dict[str, Any]:
    head, more = _FETCHED.match(text), _NEXT.search(text.rstrip())
    next_start = int(more[1]) if more and text.rstrip().endswith("]") else None
    return {"status": int(head[1]) if head else None, "next_start": next_start}


def _texts(text: str) -> dict[str, Any]:
    """Texts are lines below how many there are, and whether that is all: a page says those alone.

    Lines below those tell what happened meanwhile.
    """
    head, *lines = text.split("\n")
    counted = _TEXTS.match(head)
    most = int(counted[1]) if counted else 0
    return {"texts": lines[:most], "whole": counted is not None and not counted[2]}


_READERS: Mapping[str, Callable[[str], Any]] = {
    "list_pages": _pages,
    "new_page": _opened,
    "evaluate": _evaluated,
    "network": _requests,
    "console": _messages,
    "cookies": _COOKIE.findall,
    "downloads": _files,
    "fetch": _fetched,
    "text": _texts,
}
