"""JUnit's XML by Jenkins' schema (junit-10.xsd), which knows no properties of a test case."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, Skipped
from junitparser.xunit2 import FlakyFailure, JUnitXml, TestCase, TestSuite

from strap import write_atomically
from strap_cases.reports.terminal import why

Record = Mapping[str, Any]
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no form for (section 2.2)."""


def write(records: Sequence[Record], path: Path) -> None:
    """Write the results of cases; raises `OSError`."""
    xml: Any = JUnitXml("strap test")  # half of the library has no types
    make_suite: Any = TestSuite
    in_files = sorted(records, key=lambda record: (record["file"], record["line"]))
    for file, of_file in groupby(in_files, key=lambda record: str(record["file"])):
        suite = make_suite(_clean(file))
        suite.add_testcases([_case(record) for record in of_file])
        xml.add_testsuite(suite)
    xml.update_statistics()
    write_atomically(path, xml.tostring(), private=False)


def _case(record: Record) -> Any:
    case: Any = TestCase(_clean(record["name"]), _clean(record["file"]), record["seconds"])
    status, reason = record["status"], _clean(record["reason"])
    details = _clean("\n".join(why(record)))
    if status in ("skipped", "xfailed"):
        case.result = [Skipped(reason, status)]
    elif status != "passed":
        kind = Error if status == "error" else Failure
        outcome = kind(reason, status)
        outcome.text = details
        case.result = [outcome]
    if "flaky" in record["flags"]:
        live = [tried for tried in record["attempts"] if tried.get("how") != "replay"]
        for attempt in live[:-1]:
            case.add_interim_result(FlakyFailure(_clean(attempt["reason"]), attempt["status"]))
    lines = [f"{name}: {' '.join(value.split())}" for name, value in _properties(record)]
    pictures = [tried["picture"] for tried in record["attempts"] if tried.get("picture")]
    recorded = [path for tried in record["attempts"] for path in tried.get("evidence", ())]
    lines += [f"[[ATTACHMENT|{path}]]" for path in (*pictures, *recorded)]
    case.system_out = _clean("\n".join(lines))
    return case


def _properties(record: Record) -> Iterator[tuple[str, str]]:
    yield "line", str(record["line"])
    for name in ("tags", "flags"):
        if record[name]:
            yield name, ", ".join(record[name])
    if recording := record.get("recording"):
        yield "recording", ": ".join(filter(None, (recording["came_to"], recording["why"])))
    for name, count in (record.get("usage") or {}).items():
        if count:
            yield name, str(count)


def _clean(text: str) -> str:
    return FORBIDDEN.sub("", text)
