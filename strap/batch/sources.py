"""Tables that items come from: CSV, JSON lines, Parquet (extra `table`)."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from strap.api.extras import Extra
from strap.errors import StartupError, UsageError

TABLE = Extra(name="table", modules=("pyarrow",))
LONGEST_CELL = 16 << 20
"""Characters of a cell of CSV; the module's own limit is for no text of a page."""
Entries = Iterator[dict[str, Any]]


def entries(path: Path) -> Entries:
    """Yield the entries of a table; raises `UsageError` naming the line that is none."""
    if path.suffix not in _READERS:
        valid = ", ".join(_READERS)
        raise UsageError(f"{path} is of no kind that is known (valid: {valid}).")
    if not path.is_file():
        raise UsageError(f"There is no file {str(path)!r}.")
    try:
        yield from _READERS[path.suffix](path)
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: {error}.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


def _json_lines(path: Path) -> Entries:
    from pydantic_core import from_json

    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = from_json(line, cache_strings="keys")  # a table may have millions
            except ValueError:
                entry = _json(line, f"{path}:{number}")
            if not isinstance(entry, dict):
                raise UsageError(f"{path}:{number} is not a JSON object.")
            yield entry


def _json(line: str, where: str) -> Any:
    """Read what the quick reader does not take, as half a surrogate pair."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not valid JSON: {error}.") from None


def _csv(path: Path) -> Entries:
    """Yield the lines below the names of the columns; an empty cell counts as none."""
    csv.field_size_limit(LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, strict=True)
        try:
            names = next(reader, [])
            if not all(names) or len(set(names)) != len(names) or not names:
                raise UsageError(f"{path}:1 does not name the columns, each by a name of its own.")
            for cells in reader:
                if cells and len(cells) != len(names):
                    what = f"{len(cells)} cells in place of {len(names)}"
                    raise UsageError(f"{path}:{reader.line_num} has {what}.")
                if cells:
                    yield {n: cell for n, cell in zip(names, cells, strict=True) if cell}
        except csv.Error as error:
            raise UsageError(f"{path}:{reader.line_num} is not valid CSV: {error}.") from None


def _parquet(path: Path) -> Entries:
    if TABLE.missing:
        raise StartupError("Parquet needs the extra 'table'.", hint=f"Install it: {TABLE.install}")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=1024):
                yield from batch.to_pylist()
    except ArrowException as error:
        raise UsageError(f"{path} is not a Parquet file: {error}.") from None


_READERS: Mapping[str, Callable[[Path], Entries]] = {
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
}
