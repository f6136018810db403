"""Answers about stored runs: their events, screenshots and results."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from strap import DEFAULT_MAX_TOKENS, ActionError, Context, Image, Result, count_tokens, cut
from strap_agent.person.run_flow import READ
from strap_agent.request import owner_of, principal_of
from strap_agent.state import AgentState
from strap_agent.store.records import COUNTED, Event, Query, RunRecord

Ctx = Context[AgentState]
Arguments = ParamSpec("Arguments")
Read = TypeVar("Read")
MOST_PICTURES = 700_000
"""Bytes of the pictures in one answer: transports take about a megabyte of text."""
MOST_SITES = 20
"""Sites of a run whose private data may be in what is told of it."""
FRAME = 150
"""Tokens of an answer around its list."""


def owner(ctx: Ctx) -> str:
    """Return whose runs a caller sees: its session's over HTTP, else all of this user's."""
    return owner_of(ctx.caller, ctx.call.params.session)


def owners(ctx: Ctx) -> tuple[str, ...]:
    """Return whose runs a caller may read: its own, and those of its principal that outlive it."""
    return owner(ctx), principal_of(ctx.caller)


def from_store(read: Callable[Arguments, Read]) -> Callable[Arguments, Read]:
    """Say what is wrong where the store cannot be read."""

    @wraps(read)
    def reading(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Read:
        try:
            return read(*args, **kwargs)
        except sqlite3.Error as error:
            raise ActionError(
                f"The store of runs cannot be read ({error}).",
                hint="Look after the disk, and after other processes that use the same STRAP_HOME.",
                code="store",
                retryable=True,
            ) from None

    return reading


@from_store
def events(session_id: str, query: Query, ctx: Ctx, *, details: bool) -> Result:
    """Answer with the newest events of a run that fit."""
    store = ctx.state.runs.store
    record = find(session_id, ctx)
    if "result" in query.types:
        return _result(record, query.start, ctx)
    listed = store.events(record.session_id, replace(query, last_n=query.last_n + 1))
    shown = fitting([_event(e, details=details) for e in listed[: query.last_n]], ctx)
    data = head(record) | {
        "counts": store.counts(record.session_id),
        "dropped": record.dropped,
        "events": shown,
    }
    if shown and len(shown) < len(listed):
        data["note"] = f"There are older ones: the same call with start={query.start + len(shown)}."
    return as_json(data)


def _result(record: RunRecord, start: int, ctx: Ctx) -> Result:
    stored_answer = ctx.state.runs.store.answer(record.session_id)
    whole = stored_answer or (record.answer or {}).get("result") or ""
    part, rest = cut(whole[start:], (ctx.max_tokens or DEFAULT_MAX_TOKENS) - FRAME)
    data = head(record) | {"result": part, "start": start, "characters": len(whole)}
    if rest:
        data["note"] = f"The next part: the same call with start={start + len(part)}."
    return as_json(data)


@from_store
def screenshots(session_id: str, query: Query, ctx: Ctx, *, kind: str, pictures: bool) -> Result:
    """Answer with the newest screenshots of a run, of one kind or `all`."""
    store = ctx.state.runs.store
    record = find(session_id, ctx)
    images: list[Image] = []
    listed = []
    room = MOST_PICTURES
    for shot in store.shots(
        record.session_id, query.last_n, kind=kind,
        has_error=query.has_error, start=query.start,
    ):  # fmt: skip
        mime = f"image/{shot.file.rpartition('.')[2]}"
        path = store.folder(record.session_id) / shot.file
        if pictures and path.is_file() and (shot.size <= room or not images):
            images.append(Image(data=path.read_bytes(), mime=mime))
            room -= shot.size
        listed.append(
            {
                "at": round(shot.at, 3),
                "step": shot.step,
                "type": shot.type,
                "url": shot.url,
                "title": shot.title,
                "has_error": shot.has_error,
                "mime": mime,
                "bytes": shot.size,
            }
        )
    counts = store.counts(record.session_id)
    total = sum(counts[name] for shot, name in COUNTED.items() if kind in (shot, "all"))
    data = head(record) | {"total": total, "screenshots": listed}
    if pictures and len(images) < len(listed):
        data["note"] = f"Only the newest {len(images)} are shown, for their size: give last_n."
    answer = as_json(data)
    return Result(text=answer.text, data=answer.data, images=tuple(images), whole=True)


@from_store
def find(session_id: str, ctx: Ctx) -> RunRecord:
    """Return a run of the caller; raises `ActionError` (code "no_run")."""
    record = ctx.state.runs.store.run(session_id, owners=owners(ctx))
    if record is None:
        raise ActionError(
            f"There is no run {session_id!r}.",
            hint="list_runs names yours; runs are kept for some days only.",
            code="no_run",
        )
    if ctx.flow.is_on:  # what is told of it is as private as what the run read
        query = Query(last_n=MOST_SITES, types=("agent",), text=READ)
        for event in ctx.state.runs.store.events(record.session_id, query):
            ctx.flow.read(event.details["flow"]["read"], private=True)
    return record


def head(record: RunRecord) -> dict[str, Any]:
    """Return what every answer about a run begins with."""
    return {
        "session_id": record.session_id,
        "status": record.status,
        "stop_reason": record.stop_reason,
    }


def _event(event: Event, *, details: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "at": round(event.at, 3),
        "type": event.type,
        "step": event.step,
        "summary": event.summary,
    }
    if event.has_error:
        shown["has_error"] = True
    if details:
        shown["details"] = event.details
    return shown


def fitting(items: list[dict[str, Any]], ctx: Ctx) -> list[dict[str, Any]]:
    """Return as many of the first items as the size of the answer allows."""
    left = (ctx.max_tokens or DEFAULT_MAX_TOKENS) - FRAME
    for number, item in enumerate(items):
        left -= count_tokens(json.dumps(item, ensure_ascii=False))
        if left < 0:
            return items[: max(1, number)]
    return items


def as_json(data: dict[str, Any]) -> Result:
    """Return an answer that is JSON, bounded already."""
    return Result(text=json.dumps(data, ensure_ascii=False), data=data, whole=True)
