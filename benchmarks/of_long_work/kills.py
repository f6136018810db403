"""Kills at random moments of detached runs and crawls, as the tests make them, all fifty."""

import asyncio
import os
import re
import sys
from pathlib import Path

from benchmarks.bench import Bench, Table

HOUSE = Path(__file__).resolve().parents[2]
TESTS = "tests/plugins/browser/runs/test_kills.py"


async def measure(bench: Bench, folder: Path) -> Table:
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", "--basetemp", str(folder / "pytest")]
    words += [] if bench.quick else ["-m", "soak or not soak"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", *words, TESTS),
        cwd=HOUSE,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    text = output.decode(errors="replace")
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|error)", text)}
    table = Table(title="SIGKILL at random moments", columns=("kills", "lost or twice"))
    lost = counts.get("failed", 0) + counts.get("error", 0)
    table.rows.append([counts.get("passed", 0) + lost, lost])
    table.notes += re.findall(r"^FAILED .*", text, re.MULTILINE)
    return table
