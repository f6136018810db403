"""Reads the results of bundles; what is no bundle is told."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from strap import UsageError, record
from strap_cases.sanity.bundle import FORMAT
from strap_cases.sanity.scenarios import CLASSES

MOST_BYTES = 256 * 1024 * 1024
"""Bytes of a file of results: a run of a hundred models has fewer."""
NEEDED = ("id", "model", "hash", "class", "steps", "seconds")
Record = Mapping[str, Any]


@record
class Results:
    """Results of all scenarios of a bundle."""

    path: Path
    strap: str
    set: str
    """The hash of the set."""
    records: Sequence[Record]


def read_results(path: Path) -> Results:
    """Return the results of a bundle, or of its `results.json`; raises `UsageError`."""
    file = path / "results.json" if path.is_dir() else path
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(f"{file} is too large for results.")
        whole = json.loads(file.read_bytes())
    except OSError as error:
        what = f"{file} cannot be read: {error.strerror}."
        raise UsageError(what, hint="Name the folder that strap sanity made.") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file} holds no results: it is no JSON.") from None
    if not _is_whole(whole):
        raise UsageError(f"{file} holds no results that this version of strap reads.")
    return Results(
        path=path, strap=str(whole["strap"]), set=str(whole["set"]), records=whole["scenarios"]
    )


def _is_whole(whole: Any) -> bool:
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        return False
    records = whole.get("scenarios")
    return (
        {"strap", "set"} <= set(whole)
        and isinstance(records, list)
        and all(isinstance(each, dict) and {*NEEDED} <= set(each) for each in records)
        and all(each["class"] in CLASSES for each in records)
    )
