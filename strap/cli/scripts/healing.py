"""Healing of scripts from the command line: reads evidence, asks, and writes what was repaired."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from strap.api.results import Result
from strap.atomic_files import write_atomically
from strap.cli.asking import terminal_questions
from strap.errors import UsageError
from strap.scripts.repairs import MOST_EVIDENCE, Repairs, evidence_text, read_evidence
from strap.scripts.script import Script

Heal = Literal["no", "ask", "yes"]


def repairs_of(
    path: Path,
    script: Script,
    make: Callable[[dict[str, Any]], Awaitable[Result]],
    heal: Heal,
) -> Repairs:
    """Return the repairs of a script, with the evidence beside it; raises `UsageError`."""
    try:
        with _beside(path).open("rb") as file:
            data = file.read(MOST_EVIDENCE + 1)
    except OSError:
        raise UsageError(
            f"{_beside(path)} cannot be read: it has the evidence for healing.",
            hint="Write both files: strap script -o FILE.",
        ) from None
    ask = terminal_questions()

    async def agree(words: str) -> bool:
        return heal == "yes" or await ask(f"{path.name} {words}")

    document, entries = read_evidence(data, script.lines)
    return Repairs(document=document, entries=entries, make=make, agree=agree)


def write(path: Path, repairs: Repairs) -> None:
    """Write the lines that were repaired, and their evidence: each file in one step."""
    if not repairs.lines:
        return
    text = repairs.written(path.read_text("utf-8"))
    evidence = evidence_text(repairs.document).encode()
    write_atomically(path, text.encode(), private=False)
    with suppress(OSError):
        write_atomically(_beside(path), evidence, private=False)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
