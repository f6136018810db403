"""Having a schema, or an answer by it, checked in a process that can be killed over it."""

import asyncio
import json
import time
from contextlib import suppress
from typing import Any

from strap import UsageError
from strap_agent.request import GRACE, RunRequest
from strap_agent.result.verdict import RunOutcome, claim
from strap_agent.workers.pool import Worker, WorkerGone, Workers

COMPUTING = 10.0
"""Seconds of computing that a check may take, where the run leaves so much time."""
DEEPEST = 100
"""Levels of lists and objects that a schema may have."""
TOO_DEEP = f"schema is nested too deeply (at most {DEEPEST} levels)."
EXAMPLE = """As in {"type": "object", "properties": {"price": {"type": "number"}}}."""
LEAST = 0.2
"""Seconds that a check gets at the end of the budget: an answer as usual needs a few ms."""
LATE = "could not be checked in time"


def parse_schema(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`, whose depth is bounded; raises `UsageError`."""
    try:
        schema: Any = json.loads(text)
    except ValueError as error:
        raise UsageError(f"schema is not valid JSON: {error}.", hint=EXAMPLE) from None
    except RecursionError:
        raise UsageError(TOO_DEEP) from None
    if not isinstance(schema, dict):
        raise UsageError("schema is not a JSON object with a JSON Schema.")
    if _is_deep(schema):
        raise UsageError(TOO_DEEP)
    return schema


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


async def check_schema(workers: Workers, request: RunRequest) -> None:
    """Raise `UsageError` for what is no JSON Schema that can be used.

    Where there is no time even to begin, that is left to the run to say.
    """
    try:
        problem = await _check(workers, request, None, request.left)
    except TimeoutError:
        return
    if problem is None:
        raise UsageError(f"schema {LATE}.", hint="Give a simpler one.")
    if problem:
        raise UsageError(f"schema {problem}")


def check_ending(
    workers: Workers, request: RunRequest, outcome: RunOutcome, stopped: asyncio.Future[Any]
) -> asyncio.Task[bool]:
    """Begin to note in `outcome` whether its answer fits the schema asked for, if one was.

    The task returns False if `stopped` came before that was known.
    """
    check = _checked(workers, request, outcome, stopped)
    return asyncio.create_task(check, name="check answer")


async def _checked(
    workers: Workers, request: RunRequest, outcome: RunOutcome, stopped: asyncio.Future[Any]
) -> bool:
    if request.schema is None or not (answer := claim(outcome)):
        return True
    checking = asyncio.create_task(check_answer(workers, request, answer))
    ends: set[asyncio.Future[Any]] = {checking, stopped}
    await asyncio.wait(ends, return_when="FIRST_COMPLETED")
    known = checking.done()
    if not known:
        checking.cancel()
        await asyncio.wait({checking})
    else:
        outcome.misfit = checking.result()
    return known


async def check_answer(workers: Workers, request: RunRequest, answer: str) -> str:
    """Return why `answer` does not fit the schema of `request`, empty if it does."""
    try:
        problem = await _check(workers, request, answer, max(LEAST, request.left + GRACE))
    except (TimeoutError, WorkerGone):
        problem = None
    return f"the answer {LATE}." if problem is None else problem


async def _check(
    workers: Workers, request: RunRequest, answer: str | None, seconds: float
) -> str | None:
    worker = await workers.take(request.choice.modules)
    until = time.monotonic() + seconds
    try:
        async with asyncio.timeout(seconds):
            await worker.ready()
        left = max(LEAST, until - time.monotonic())
        with suppress(TimeoutError):
            async with asyncio.timeout(left):
                return await _check_in_worker(worker, request, answer, min(left, COMPUTING))
    finally:
        await worker.end()
    return None


async def _check_in_worker(
    worker: Worker, request: RunRequest, answer: str | None, seconds: float
) -> str | None:
    schema = json.dumps(request.schema)
    await worker.send("check", schema=schema, answer=answer, seconds=seconds)
    async for message in worker.messages():
        return str(message["problem"])
    return None
