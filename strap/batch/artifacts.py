"""Archives of agent runs, one file for each, in the batch's folder."""

import asyncio
import re
from hashlib import sha256
from pathlib import Path

from strap.atomic_files import write_atomically
from strap.batch.engine import Outcome
from strap.batch.options import Artifacts, BatchOptions
from strap.records import record

FOLDER = "artifacts"
PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
"""Keys that are names of files on any system; any other is one by its digest."""


@record
class ArtifactSelection:
    """Selection of archives that a worker returns with its rows."""

    which: Artifacts = "none"
    most: int = 0
    """Bytes of one; a larger one is left where the run was."""

    @classmethod
    def of(cls, options: BatchOptions) -> "ArtifactSelection":
        """Return what the options say."""
        return cls(which=options.artifacts, most=options.artifact_mb * 1024 * 1024)

    def of_status(self, status: str) -> bool:
        """Whether that of a row with this status is wanted."""
        return self.which == "all" or (self.which == "failed" and status != "ok")


async def with_artifact(folder: Path, key: str, outcome: Outcome) -> Outcome:
    """Write a worker's archive to a file and put its path into the row; raises `OSError`."""
    content = outcome.pop("archive", None)
    if content is None:
        return outcome
    name = key if PLAIN.fullmatch(key) else sha256(key.encode("utf-8", "replace")).hexdigest()
    path = Path(FOLDER, f"{name}.zip")
    await asyncio.to_thread(write_atomically, folder / path, content)
    return {**outcome, "artifact": str(path)}
