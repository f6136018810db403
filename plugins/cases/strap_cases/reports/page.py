"""A run of cases as one self-contained HTML page: no script, nothing fetched, pictures inside."""

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from strap import write_atomically
from strap_cases.reports.terminal import ORDER, of_recording, place_of, taken, unmet
from strap_cases.status_tag import without_tag

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
WORST_FIRST = ("failed", "not_finished", "error", "xfailed", "skipped", "passed")
MET = {True: ("passed", "met"), False: ("failed", "not met"), None: ("error", "unknown")}
MOST_PICTURE = 1024 * 1024
"""Bytes of a picture; a larger one is left beside the page."""
MOST_PICTURES = 10 * 1024 * 1024
"""Bytes of all pictures: in base64 they take a third more, and a page has to open at once."""
Record = Mapping[str, Any]


def write(records: Sequence[Record], path: Path) -> None:
    """Write the page; raises `OSError`."""
    write_atomically(path, render(records).encode("utf-8", "replace"), private=False)


def render(records: Sequence[Record]) -> str:
    """Return the page about the records of a journal, what did not pass first."""
    style = (files("strap_cases.reports") / "page.css").read_text("utf-8")
    body = "\n".join(_body(records))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Test cases</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<style>\n{style}</style></head>\n'
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def _body(records: Sequence[Record]) -> Iterator[str]:
    counts = Counter(record["status"] for record in records)
    seconds = sum(record["seconds"] for record in records)
    yield f"<h1>{_counted(len(records), 'case')} in {seconds:.0f} s{taken(records)}</h1>"
    shown = [status for status in ORDER if counts[status]]
    yield from (f'<i id="{status}"></i>' for status in shown)
    yield '<p class="totals">'
    for status in shown:
        label = f"{counts[status]} {_words(status)}"
        yield f'<a class="badge {status}" href="#{status}">{label}</a>'
    yield '<a href="#">show all</a>' if len(shown) > 1 else ""
    yield "</p>"
    room = MOST_PICTURES
    for record in sorted(records, key=_in_order):
        pictures = dict(_pictures(record, room))
        room -= sum(map(len, pictures.values()))
        yield from _case(record, pictures)
    if not records:
        yield "<p>No case was run.</p>"


def _in_order(record: Record) -> tuple[int, str, int]:
    return WORST_FIRST.index(record["status"]), record["file"], record["line"]


def _pictures(record: Record, room: int) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures that are put into the page, by their paths, as long as there is room."""
    for attempt in record["attempts"]:
        if path := attempt.get("picture"):
            with suppress(OSError):
                data = Path(path).read_bytes()
                if len(data) <= min(MOST_PICTURE, room):
                    room -= len(data)
                    yield path, data


def _case(record: Record, pictures: Mapping[str, bytes]) -> Iterator[str]:
    status = record["status"]
    is_open = " open" if status in WORST_FIRST[:3] else ""
    yield f'<details class="{status}"{is_open}><summary>'
    yield f'<span class="badge">{_words(status)}</span><b>{escape(record["name"])}</b>'
    steps = sum(attempt["steps"] for attempt in record["attempts"])
    facts = [place_of(record), f"{record['seconds']:.1f} s", _counted(steps, "step")]
    facts += [f"cause: {cause}"] if (cause := record.get("cause")) else []
    facts += [*(f"@{tag}" for tag in record["tags"]), *record["flags"]]
    facts += [taken([record]).removeprefix(", ")] if taken([record]) else []
    yield f"<small>{escape(' · '.join(facts))}</small></summary><div>"
    if record["reason"]:
        lines = (is_open and unmet(record)) or [record["reason"]]
        yield from (f"<p>{_coded(line)}</p>" for line in lines)
    if source := record.get("source"):
        yield f"<div class=beside><pre>{escape(source)}</pre><div>"
    if recording := of_recording(record):
        yield f"<p>{escape(recording)}</p>"
    for attempt in record["attempts"]:
        if len(record["attempts"]) > 1:
            which = "Replay" if _is_replay(attempt) else f"Attempt {attempt['number']}"
            label = f"{which}: {_words(attempt['status'])}"
            yield f"<h3>{label}</h3>"
            yield f"<p>{escape(attempt['reason'])}</p>" if _is_replay(attempt) else ""
        yield from _attempt(attempt, pictures)
    yield "</div></div>" if source else ""
    yield "</div></details>"


def _attempt(attempt: Record, pictures: Mapping[str, bytes]) -> Iterator[str]:
    if attempt["checks"]:
        yield "<h3>Checked by strap</h3><table><tr><th></th><th>expected</th><th>seen</th></tr>"
        yield from map(_check, attempt["checks"])
        yield "</table>"
    if acts := attempt.get("acts"):
        what = "What was replayed" if _is_replay(attempt) else "What the agent did"
        yield f"<h3>{what}</h3><ol>"
        yield from (f"<li>{escape(act)}</li>" for act in acts)
        yield "</ol>"
    if attempt["runs"] and not _is_replay(attempt):
        yield f"<p><small>The agent said {escape(attempt['word'] or 'nothing clear')}:</small> "
        yield f"{escape(without_tag(attempt['says']))}</p>"
    yield from (f"<p>{escape(note)}</p>" for note in attempt["notes"])
    if trouble := attempt.get("trouble"):
        yield "<h3>What went wrong</h3><ul>"
        yield from (f"<li><code>{escape(trouble_line)}</code></li>" for trouble_line in trouble)
        yield "</ul>"
    if ended := attempt.get("ended"):
        yield f"<p><small>In the end the page was</small> {escape(ended)}</p>"
    if shown := attempt.get("shown"):
        yield f"<p><small>and showed</small> {escape(shown)}</p>"
    if path := attempt.get("picture"):
        yield _picture(path, pictures.get(path))
    for path in attempt.get("evidence", ()):
        yield f"<p><small>Recorded: <code>{escape(path)}</code></small></p>"
    for run in attempt["runs"]:
        command = f"strap runs show {escape(run)} --html --output run.html --home data"
        yield f"<p><small>Each step with its picture, run in this folder: <code>{command}</code>"
        yield "</small></p>"


def _coded(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _check(check: Record) -> str:
    kind, word = MET[check["met"]]
    seen = "" if check["met"] is True else escape(check["seen"])
    return (
        f'<tr><td class="{kind}">{word}</td><td><code>{escape(check["check"])}</code>'
        f" <small>line {check['line']}</small></td><td>{seen}</td></tr>"
    )


def _picture(path: str, data: bytes | None) -> str:
    if data is None:
        words = (
            f"Picture: <code>{escape(path)}</code>"
            if Path(path).exists()
            else "(the picture is gone)"
        )
        return f"<p><small>{words}</small></p>"
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    caption = "<figcaption>The page when strap had looked</figcaption>"
    return f'<figure><img alt="The page at the end" src="{source}">{caption}</figure>'


def _is_replay(attempt: Record) -> bool:
    return attempt.get("how") == "replay"


def _words(status: str) -> str:
    return escape(status.replace("_", " "))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
