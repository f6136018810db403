"""A wrapper of calls for the servers of `strap sanity`: the data of each answer, below its text."""

import json
from dataclasses import replace

from strap import Call, CallNext, CallWrapper, Result, hookimpl

VARIABLE = "SANITY_DATA"
"""Environment variable by which a server is asked for it."""


@hookimpl
def strap_wrap_call(call: Call) -> CallWrapper:
    """Add the data: checks look at what Python callers get, and no client has to parse texts."""
    return _with_data


async def _with_data(call: Call, call_next: CallNext) -> Result:
    result = await call_next(call)
    return replace(result, text=f"{result.text}\n{json.dumps(result.data, default=str)}")


def taken_apart(text: str) -> tuple[str, object]:
    """Return the text of an answer and its data, the last line."""
    text, _, data = text.rpartition("\n")
    return text, json.loads(data)
