"""One item on a router: its calls in turn, in a session that ends with it."""

import asyncio
import time
from contextlib import suppress
from typing import Any

from strap.api.calls import Caller
from strap.api.results import Result
from strap.batch.artifacts import ArtifactSelection
from strap.batch.engine import Outcome
from strap.batch.items import Calls
from strap.errors import StrapError
from strap.json.writing import to_json
from strap.routing.router import Router

OF_RUNS = ("session_id", "stop_reason")
NONE = ArtifactSelection()
ENDING = 30.0
"""Seconds for an item's browser to close: one that hangs is no reason for the batch to."""


async def run_calls(
    router: Router,
    key: str,
    calls: Calls,
    selection: ArtifactSelection = NONE,
    limit: float | None = None,
) -> Outcome:
    """Make an item's calls up to the first failure, and add the run's archive by `selection`."""
    caller = Caller(session=key)
    started, began = time.time(), time.monotonic()
    try:
        async with asyncio.timeout(limit):
            outcome = await _made(router, caller, calls)
            outcome |= await _archive(router, calls, outcome, selection)
    except TimeoutError:
        message = f"The item did not finish within {limit:g} s."
        outcome = {"status": "failed", "code": "timeout", "retryable": True}
        outcome |= {"message": message, "text": message}
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                await router.end_session(f"{caller.principal}/{key}")
    return {**outcome, "started": started, "seconds": time.monotonic() - began}


async def _made(router: Router, caller: Caller, calls: Calls) -> Outcome:
    result = Result()
    for call in calls:
        result, error = await router.answer(call, caller=caller)
        if error is not None:
            return _failed(result, error)
        if result.is_error:
            break
    return _row(result)


async def _archive(
    router: Router, calls: Calls, outcome: Outcome, selection: ArtifactSelection
) -> Outcome:
    session_id = outcome.get("session_id")
    if not (session_id and selection.of_status(outcome["status"])):
        return {}
    for name, span in router.lifespans.items():
        if all(call.get("resource") != name for call in calls):
            continue
        content = await asyncio.to_thread(span.archive, session_id)
        if content is not None and len(content) <= selection.most:
            return {"archive": content}
    return {}


def _failed(result: Result, error: StrapError) -> Outcome:
    return {
        "status": "failed",
        "text": result.text,
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
    }


def _row(result: Result) -> Outcome:
    data = result.data
    fields = data if isinstance(data, dict) else {}
    failed: Outcome = {"status": "ok"}
    if result.is_error:
        failed = {"status": "failed", "code": "failed", "message": result.text.partition("\n")[0]}
    run = {name: str(fields[name]) for name in OF_RUNS if fields.get(name) is not None}
    return {**failed, **run, "text": result.text, "data": "" if data is None else _json(data)}


def _json(data: Any) -> str:
    try:
        return to_json(data, compact=True, default=str)
    except (TypeError, ValueError, RecursionError):  # a cycle, or what JSON has no form for
        return ""
