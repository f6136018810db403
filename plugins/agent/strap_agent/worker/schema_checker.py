"""Checking schemas, and answers against them, in a process that may be ended over it.

A pattern, a long list without duplicates or references that multiply can take for ever.
"""

import json
import math
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strap.json.schema import TOO_DEEP, fault, problems, short

ROOM = 512 * 1_048_576
"""Bytes of memory that a check may take."""


class NoJson(ValueError):
    """A text is no JSON, as the standard has it (RFC 8259)."""


def check(order: dict[str, Any]) -> str:
    """Return what is wrong with a schema, or with an answer by it; empty if nothing is."""
    _limit(order["seconds"])
    schema = json.loads(order["schema"])
    return fault(schema) if order["answer"] is None else mismatch(order["answer"], schema)


def _limit(seconds: float) -> None:
    """Let the kernel end this process after so much computing, and bound its memory."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return
    most = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def mismatch(text: str, schema: Any) -> str:
    """Return why `text` is not JSON valid against `schema`, empty if it is."""
    try:
        value = parse(text)
    except NoJson as error:
        return f"it is not valid JSON ({error})."
    except RecursionError:
        return TOO_DEEP
    return problems(value, schema, "the answer")


def parse(text: str) -> Any:
    """Return the value of a JSON text; raises `NoJson`, also for numbers that JSON has not."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except NoJson:
        raise
    except ValueError as error:
        raise NoJson(str(error)) from None


def _no_number(name: str) -> float:
    raise NoJson(f"{name} is not a number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise NoJson(f"{short(digits)} is too large a number")
    return number


def answer(order: dict[str, Any], send: Callable[..., None]) -> None:
    """Carry out a check and send what it found."""
    try:
        problem = check(order)
    except MemoryError:
        problem = "it takes too much memory to check."
    except RecursionError:
        problem = TOO_DEEP
    send("checked", problem=problem)
