"""Healing of scripts from the command line: reads evidence, asks, and writes what was repaired."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from strap.api.results import Result
from strap.atomic_files import write_atomically
from strap.cli.asking import terminal_questions
from strap.errors import UsageError
from strap.scripts.evidence import Entry, beside, evidence_text
from strap.scripts.repairs import Repairs

Heal = Literal["no", "ask", "yes"]


def repairs_of(
    path: Path,
    evidence: tuple[Entry, Mapping[int, Entry]] | None,
    make: Callable[[dict[str, Any]], Awaitable[Result]],
    heal: Heal,
) -> Repairs | None:
    """Return the repairs of a script, None where it is not healed; raises `UsageError`."""
    if heal == "no":
        return None
    if evidence is None:
        raise UsageError(
            f"{beside(path)} cannot be read: it has the evidence for healing.",
            hint="Write both files: strap script -o FILE.",
        )
    ask = terminal_questions()

    async def agree(words: str) -> bool:
        return heal == "yes" or await ask(f"{path.name} {words}")

    document, entries = evidence
    return Repairs(document=document, entries=entries, make=make, agree=agree)


def write(path: Path, repairs: Repairs) -> None:
    """Write the lines that were repaired, and their evidence: each file in one step."""
    if not repairs.lines:
        return
    text = repairs.written(path.read_text("utf-8"))
    evidence = evidence_text(repairs.document).encode()
    write_atomically(path, text.encode(), private=False)
    with suppress(OSError):
        write_atomically(beside(path), evidence, private=False)
