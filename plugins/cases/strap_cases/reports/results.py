"""`results.json`: what all cases came to, for programs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from strap import write_atomically

FORMAT = 1
"""It changes when a reader of the last one would misread."""


def write(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the records of the journal as one object, with a count a status; raises `OSError`."""
    counts = Counter(record["status"] for record in records)
    whole = {"format": FORMAT, "counts": dict(sorted(counts.items())), "cases": list(records)}
    text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    write_atomically(path, text.encode("utf-8", "replace"), private=False)
