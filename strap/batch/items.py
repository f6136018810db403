"""Items of a batch: an item is a call, or several that share a session."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from strap.api.call_syntax import parse_line, parse_words, split_line
from strap.errors import UsageError
from strap.text import short_repr

DIGEST = 16
"""Bytes of a digest: among a million items two are the same once in 10^26 batches."""
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
"""Writes calls alike whatever their order; made once, as a batch has a million."""
_COLUMN = re.compile(r"\{(\w+)\}")
Calls = tuple[dict[str, Any], ...]


class Item(NamedTuple):
    """An item: its key, where it stands in its source (from 1 on), its calls.

    A tuple, as a million of them are made before the first is run.
    """

    key: str
    number: int
    calls: Calls

    @property
    def digest(self) -> bytes:
        """Digest of its calls."""
        return digest_of(_CANONICAL(self.calls))

    @property
    def host(self) -> str:
        """The host of its first address, "" where it names none."""
        for call in self.calls:
            url = call.get("url")
            if isinstance(url, str):
                try:
                    return urlsplit(url if "//" in url else f"//{url}").hostname or ""
                except ValueError:
                    return ""
        return ""


def digest_of(text: str | bytes) -> bytes:
    """Return what stands for a key, or for calls."""
    content = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return sha256(content).digest()[:DIGEST]


class Reader:
    """Makes items from table lines or dicts; `line` is a call with columns in braces."""

    def __init__(self, line: str | None = None) -> None:
        """Raises `UsageError` for a line that is no call, or the same one for all entries."""
        if line is not None and not _COLUMN.search(line):
            raise UsageError(
                f"{short_repr(line)} names no column, so that every line of the table would be the"
                " same call. Write columns in braces, as in url={url}."
            )
        self._template = None if line is None else parse_words(split_line(line))

    def read(self, entry: Mapping[str, Any], index: int) -> Item:
        """Return the item of an entry; raises `UsageError` that names the entry by its `index`."""
        if not isinstance(entry, Mapping):
            raise UsageError(f"Item {index}: an item is a dict of fields, not {short_repr(entry)}.")
        try:
            calls = self._calls(entry)
            named = entry.get("id")
            key = "" if named in (None, "") else str(named)
            item = Item(key, index, calls)
            return item if key else item._replace(key=item.digest.hex())
        except (UsageError, TypeError, ValueError) as error:
            raise UsageError(f"Item {index}: {error}") from None

    def _calls(self, entry: Mapping[str, Any]) -> Calls:
        if self._template is not None:
            return ({name: _filled(value, entry) for name, value in self._template.items()},)
        fields = dict(entry)
        fields.pop("id", None)
        if None in fields.values():
            fields = {name: value for name, value in fields.items() if value is not None}
        if "steps" not in fields:
            _check(fields)
            return (fields,)
        if len(fields) > 1 or not isinstance(fields["steps"], list) or not fields["steps"]:
            raise UsageError("'steps' is a list of calls, and stands beside 'id' alone.")
        return tuple(_step(step) for step in fields["steps"])


def _step(step: Any) -> dict[str, Any]:
    call = parse_line(step) if isinstance(step, str) else step
    if not isinstance(call, dict):
        raise UsageError(f"A step is a line or an object, not {short_repr(step)}.")
    _check(call)
    return call


def _check(call: Mapping[str, Any]) -> None:
    if not isinstance(call.get("action"), str):
        raise UsageError(
            "A call needs an 'action', and the resource that it is of: in the item itself, or for"
            " all of a table as in --call 'http fetch url={url}'."
        )


def _filled(value: Any, entry: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {name: _filled(inner, entry) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(item, entry) for item in value]

    def column(match: re.Match[str]) -> str:
        name = match[1]
        if entry.get(name) is None:
            valid = ", ".join(sorted(map(str, entry)))
            raise UsageError(f"There is no column {name!r} (valid: {valid}).")
        return str(entry[name])

    return _COLUMN.sub(column, value) if isinstance(value, str) else value
