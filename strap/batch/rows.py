"""Rows: the result of each item, in the journal and in tables."""

from dataclasses import asdict, fields
from typing import Any, Literal

from strap.records import record

Status = Literal["ok", "failed", "unknown", "skipped"]


@record
class Row:
    """The result of an item.

    `status` is `unknown` where a batch with `once` ended while the item ran. `attempts` counts how
    often it was run, `losses` how often its worker ended meanwhile. `text` and `data` (JSON) are of
    its last call, `resource`, `action` and `url` of its first. `started` is in seconds since 1970;
    it took `seconds`, after it had `waited` for its host and between attempts. `session_id` and
    `stop_reason` are those of a run of the agent, `artifact` is its archive below the folder.
    """

    key: str
    index: int
    status: Status
    attempts: int = 0
    losses: int = 0
    resource: str = ""
    action: str = ""
    url: str = ""
    worker: str = ""
    node: str = ""
    text: str = ""
    data: str = ""
    code: str = ""
    message: str = ""
    retryable: bool = False
    started: float = 0.0
    seconds: float = 0.0
    waited: float = 0.0
    session_id: str = ""
    stop_reason: str = ""
    artifact: str = ""

    def record(self, digest: bytes) -> dict[str, Any]:
        """Return its record in a journal, with the digest of the calls."""
        return {**asdict(self), "calls": digest.hex()}


COLUMNS = tuple(field.name for field in fields(Row))


def row_of(record: dict[str, Any]) -> Row:
    """Return the row of a record; columns that are not known are left out."""
    return Row(**{name: record[name] for name in COLUMNS if name in record})
