"""Carrying out the actions on runs: orders from parameters, answers from the store."""

import json
import sqlite3
import time
from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from strap import (
    DEFAULT_MAX_TOKENS,
    ActionError,
    Context,
    Image,
    Result,
    StrapError,
    UsageError,
    count_tokens,
)
from strap_browser.browsers import Browsers
from strap_browser.runs.checks import parse_schema
from strap_browser.runs.choosing import choose
from strap_browser.runs.contract import clip
from strap_browser.runs.limits import limits
from strap_browser.runs.orders import Order, default_mode, login_state, normalise
from strap_browser.runs.records import Event, Query, RunRecord
from strap_browser.runs.refusing import refused, rendered
from strap_browser.runs.seats import OpenSeat, guard_of, own_browser, page_of_profile
from strap_browser.settings import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.runs import actions

Ctx = Context[Browsers]
MOST_PICTURES = 700_000
"""Bytes of the pictures in one answer: transports take about a megabyte of text."""
FRAME = 150
"""Tokens of an answer around its list."""


async def carry_out(params: "actions.Eval", ctx: Ctx) -> Result:
    """Carry out a task; whatever happens, the answer is the contract's object."""
    began = time.monotonic()
    try:
        order = await _order(params, ctx, began)
        await ctx.state.runs.check(order)
    except StrapError as error:
        return refused(error, params.model_dump(by_alias=True), _settings(ctx))
    return rendered(await ctx.state.runs.carry_out(order))


async def _order(params: "actions.Eval", ctx: Ctx, began: float) -> Order:
    """Check everything that can be checked before a browser starts; raises `StrapError`."""
    settings = _settings(ctx)
    url = normalise(params.url)
    schema = None if params.schema_ is None else parse_schema(params.schema_)
    state = None if params.state_id is None else login_state(ctx.config.home, params.state_id)
    if ctx.config.secrets:
        ctx.config.secrets.check(params.task)
    sample = ctx.caller.sample
    choice = choose(settings, sampling=sample is not None)
    profile = ctx.state.profiles.get(params.profile or "")
    guard = guard_of(profile, settings, ctx.guard)
    target = await guard.check(url)
    return Order(
        target=target,
        task=params.task,
        mode=params.mode or default_mode(url),
        limits=limits(
            params,
            settings,
            ctx.caller,
            seen=ctx.report is not None,
            client_model=choice.spec is None,
        ),
        choice=choice,
        owner=owner(ctx),
        seat=_seat(params, ctx, settings),
        check=guard.check,
        vision=settings.vision,
        judge=settings.judge,
        schema=schema,
        storage_state=state,
        sample=sample,
        progress=ctx.progress,
        secrets=ctx.config.secrets,
        began=began,
    )


def _seat(params: "actions.Eval", ctx: Ctx, settings: BrowserSettings) -> OpenSeat:
    if params.profile is None:
        return partial(
            own_browser, settings, ctx.state.runs.work, ctx.guard, headless=params.headless
        )
    if params.state_id is not None or params.headless is not None:
        raise UsageError("profile is a running browser: state_id and headless do not go with it.")
    profile = ctx.state.profiles.get(params.profile)
    if profile is None:
        raise UsageError(ctx.state.unknown(params.profile))
    if profile.driver.name == "cdp":
        raise UsageError(
            f"eval does not work in profile {profile.name!r}, which is not strap's own browser.",
            hint="Leave profile out.",
        )
    isolated = profile.isolates(ctx.caller)
    has_pages = ctx.caller.session is not None or params.session is not None
    key = ctx.caller_key if has_pages else ""
    return partial(page_of_profile, profile, key, isolated=isolated)


def owner(ctx: Ctx) -> str:
    """Return whose runs a caller sees: its session's over HTTP, else all of this user's."""
    caller = ctx.caller
    if caller.transport != "http":
        return "local"
    handle = caller.session or ctx.call.params.session
    return f"{caller.principal}/{handle}" if handle else caller.principal


def _from_store(read: Callable[[Any, Ctx], Result]) -> Callable[[Any, Ctx], Result]:
    """Say what is wrong where the store cannot be read."""

    @wraps(read)
    def reading(params: Any, ctx: Ctx) -> Result:
        try:
            return read(params, ctx)
        except sqlite3.Error as error:
            raise ActionError(
                f"The store of runs cannot be read ({error}).",
                hint="Look after the disk, and after other processes that use the same STRAP_HOME.",
                code="store",
                retryable=True,
            ) from None

    return reading


@_from_store
def events(params: "actions.GetRunEvents", ctx: Ctx) -> Result:
    """Answer with the newest events of a run that fit."""
    store = ctx.state.runs.store
    record = _record(params.session_id, ctx)
    query = Query(
        last_n=params.last_n,
        types=tuple(params.event_types),
        has_error=params.has_error,
        since=params.from_timestamp,
    )
    found = store.events(record.session_id, query)
    shown = _fitting([_event(e, details=params.include_details) for e in found], ctx)
    data = _head(record) | {
        "counts": store.counts(record.session_id),
        "dropped": record.dropped,
        "events": shown,
    }
    if len(shown) < len(found):
        data["note"] = f"{len(found) - len(shown)} older ones left out: give a larger max_tokens."
    return _json(data)


@_from_store
def screenshots(params: "actions.GetScreenshots", ctx: Ctx) -> Result:
    """Answer with the newest screenshots of a run."""
    store = ctx.state.runs.store
    record = _record(params.session_id, ctx)
    images: list[Image] = []
    listed = []
    room = MOST_PICTURES
    for shot in store.shots(
        record.session_id, params.last_n, kind=params.screenshot_type, has_error=params.has_error
    ):
        mime = f"image/{shot.file.rpartition('.')[2]}"
        path = store.folder(record.session_id) / shot.file
        if params.include_images and path.is_file() and (shot.size <= room or not images):
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
    total = store.counts(record.session_id)["screenshots"]
    data = _head(record) | {"total": total, "screenshots": listed}
    if params.include_images and len(images) < len(listed):
        data["note"] = f"Only the newest {len(images)} are shown, for their size: give last_n."
    answer = _json(data)
    return Result(text=answer.text, data=answer.data, images=tuple(images), whole=True)


@_from_store
def runs(params: "actions.ListRuns", ctx: Ctx) -> Result:
    """Answer with the caller's newest runs."""
    found = [
        _head(record)
        | {
            "url": record.url,
            "task": clip(record.task, 120),
            "started": round(record.started, 3),
            "duration_s": round(record.ended - record.started, 1) if record.ended else None,
            "steps": record.steps,
        }
        for record in ctx.state.runs.store.runs(owner=owner(ctx), limit=params.limit)
    ]
    shown = _fitting(found, ctx)
    notes = ctx.state.runs.store.notices()
    if len(shown) < len(found):
        notes.append(f"{len(found) - len(shown)} older ones left out: give a larger max_tokens.")
    data: dict[str, Any] = {"runs": shown} | ({"note": " ".join(notes)} if notes else {})
    return _json(data)


@_from_store
def cancel(params: "actions.RunParams", ctx: Ctx) -> Result:
    """End a run of the caller."""
    record = _record(params.session_id, ctx)
    if ctx.state.runs.cancel(record.session_id, owner(ctx)):
        return Result(text=f"Cancelled the run {record.session_id}.")
    if record.answer is not None:
        return Result(
            text=f"The run {record.session_id} is over already: {record.status},"
            f" {record.stop_reason}."
        )
    raise ActionError(
        f"The run {record.session_id!r} goes on in another process.",
        hint="Cancel it there; its own budget ends it too.",
        code="not_here",
    )


def _settings(ctx: Ctx) -> BrowserSettings:
    assert isinstance(ctx.settings, BrowserSettings)
    return ctx.settings


def _record(session_id: str, ctx: Ctx) -> RunRecord:
    record = ctx.state.runs.store.run(session_id, owner=owner(ctx))
    if record is None:
        raise ActionError(
            f"There is no run {session_id!r}.",
            hint="list_runs names yours; runs are kept for some days only.",
            code="no_run",
        )
    return record


def _head(record: RunRecord) -> dict[str, Any]:
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


def _fitting(items: list[dict[str, Any]], ctx: Ctx) -> list[dict[str, Any]]:
    """Return as many of the first items as the size of the answer allows."""
    left = (ctx.max_tokens or DEFAULT_MAX_TOKENS) - FRAME
    for number, item in enumerate(items):
        left -= count_tokens(json.dumps(item, ensure_ascii=False))
        if left < 0:
            return items[: max(1, number)]
    return items


def _json(data: dict[str, Any]) -> Result:
    return Result(text=json.dumps(data, ensure_ascii=False), data=data, whole=True)
