"""Everything that is stored of a run, as one file."""

import io
import json
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from strap_agent.store.index import Index, as_dict
from strap_agent.store.records import Query, RunRecord
from strap_agent.store.report import EVERYTHING, render


def archive(index: Index, record: RunRecord) -> bytes:
    """Return a zip archive: the run, its events, pictures, and the report for people."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("run.json", json.dumps(whole(record), indent=2))
        zipped.writestr("events.jsonl", "\n".join(events(index, record)))
        zipped.writestr("report.html", render(index, record))
        if answer := index.answer(record.session_id):
            zipped.writestr("answer.txt", answer)
        for shot in index.shots(record.session_id, EVERYTHING):
            with suppress(FileNotFoundError):  # a picture that is gone is said in the report
                picture = index.folder(record.session_id) / shot.file
                zipped.write(picture, f"screenshots/{shot.file}")
    return packed.getvalue()


def archive_of(root: Path, session_id: str) -> bytes | None:
    """Return the archive of a run below `root`, None where there is none; for a thread."""
    if not root.is_dir():
        return None
    with closing(Index(root)) as index:
        record = index.run(session_id)
        return None if record is None else archive(index, record)


def whole(record: RunRecord) -> dict[str, Any]:
    """Return a run as JSON, without its events."""
    return {
        "session_id": record.session_id,
        "status": record.status,
        "stop_reason": record.stop_reason,
        "url": record.url,
        "task": record.task,
        "model": record.model,
        "started": record.started,
        "ended": record.ended,
        "steps": record.steps,
        "dropped": record.dropped,
        "answer": record.answer,
    }


def events(index: Index, record: RunRecord) -> list[str]:
    """Return what happened in a run, a line of JSON each, the first one first."""
    records = index.events(record.session_id, Query(last_n=EVERYTHING))
    return [json.dumps(as_dict(event), ensure_ascii=False) for event in reversed(records)]
