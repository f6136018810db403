"""Telling somebody of a change: a command, a webhook or a file; and whether it matters."""

import asyncio
import json
import operator
import re
import shlex
from pathlib import Path
from typing import Any

from strap import ActionError, Router, UsageError
from strap_watch.store import Watch

WAYS = ("command:", "webhook:", "file:")
LIMIT = 30.0
"""Seconds for a command or a webhook: the next watch waits for it."""
WHEN = re.compile(r"\s*(.+?)\s*(<=|>=|!=|=|<|>|contains)\s*(.+?)\s*")
NUMBER = re.compile(r"-?\d[\d., ]*")
BY = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


def check_words(when: str, notify: str) -> None:
    """Raise `UsageError` for a condition or a way to notify that is none."""
    if when and not WHEN.fullmatch(when):
        raise UsageError(f"when={when!r} is not a valid condition.", hint="As in 'price < 20'.")
    if notify and not (notify.startswith(WAYS) and notify.partition(":")[2].strip()):
        raise UsageError(
            f"notify={notify!r} is not a valid way to notify.",
            hint="As in 'command:mail-me', 'webhook:https://…' or 'file:changes.jsonl'.",
        )


def matters(change: dict[str, Any], when: str) -> bool:
    """Whether a change fits the condition; without one each does."""
    match = WHEN.fullmatch(when)
    if match is None:
        return True
    name, sign, expected = match.groups()
    cells = change.get("cells", {"text": change.get("to") or change.get("text", "")})
    value = cells.get(name, "")
    value = value[-1] if isinstance(value, list) else value
    if change["kind"] == "gone" or not value:
        return False
    if sign == "contains":
        return expected.strip("\"'").lower() in value.lower()
    numbers = number(value), number(expected)
    compared = numbers if None not in numbers else (value, expected)
    return bool(BY[sign](*compared))


def number(text: str) -> float | None:
    """Return the first number in a text: 1,204.50, 1.204,50 and 12,99 are read as people do."""
    match = NUMBER.search(text)
    if match is None:
        return None
    digits = match[0].replace(" ", "").rstrip(".,")
    comma, point = digits.rfind(","), digits.rfind(".")
    decimal = max(comma, point)
    if min(comma, point) < 0 and len(digits) - decimal == 4:  # it parts thousands
        decimal = -1
    whole = re.sub(r"[.,]", "", digits[:decimal] if decimal >= 0 else digits)
    try:
        return float(f"{whole}.{digits[decimal + 1 :]}" if decimal >= 0 else whole)
    except ValueError:
        return None


async def notify(web: Router, watch: Watch, change: dict[str, Any]) -> None:
    """Tell of a change; raises `ActionError` where that fails: it is tried again later."""
    way, _, where = watch.notify.partition(":")
    line = json.dumps({"watch": watch.id, "url": watch.url, **change}, ensure_ascii=False)
    try:
        async with asyncio.timeout(LIMIT):
            if way == "webhook":
                await _post(web, where, line)
            elif way == "command":
                await _run(where, line)
            else:
                await asyncio.to_thread(_append, Path(where), line)
    except (OSError, TimeoutError, ValueError) as error:
        raise ActionError(f"{way} {where!r} failed ({error or 'timeout'}).") from None


async def _post(web: Router, url: str, line: str) -> None:
    headers = {"Content-Type": "application/json"}
    ask = {"resource": "http", "action": "fetch", "method": "POST", "url": url}
    result = await web(**ask, headers=headers, body=line)
    status = (result.data or {}).get("status") or 0
    if status >= 400:
        raise ActionError(f"The webhook {url!r} answered with status {status}.")


async def _run(command: str, line: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command), stdin=asyncio.subprocess.PIPE
    )
    try:
        await process.communicate(line.encode() + b"\n")
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise ActionError(f"The command {command!r} ended with {process.returncode}.")


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
