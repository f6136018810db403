"""Changes from one bundle to the next, between the same scenarios alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from benchmarks.of_models.results import Record, Results
from strap_cases.sanity.scenarios import CLASSES

ENOUGH = 3
"""Runs from which on steps, tokens and time are compared."""
MORE = 1.25
"""How many times the median before is too much."""
Kind = Literal["worse", "more", "better", "changed", "gone", "new"]
REGRESSIONS: tuple[Kind, ...] = ("worse", "more")
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a scenario with a model."""

    kind: Kind
    id: str
    model: str
    what: str


def compare(old: Results, new: Results) -> list[Change]:
    """Return what changed, scenario by scenario; one whose file changed is only named."""
    before, after = _by_key(old.records), _by_key(new.records)
    found = list[Change]()
    for key in sorted({*before, *after}):
        if key not in after:
            found.append(Change("gone", *key, "it was not run"))
        elif key not in before:
            found.append(Change("new", *key, "it was not run before"))
        elif {each["hash"] for each in before[key]} != {each["hash"] for each in after[key]}:
            found.append(Change("changed", *key, "the scenario is another one"))
        else:
            found += _changes(key, before[key], after[key])
    return found


def _by_key(records: Sequence[Record]) -> Mapping[Key, list[Record]]:
    found: dict[Key, list[Record]] = {}
    for record in records:
        found.setdefault((record["id"], record["model"]), []).append(record)
    return found


def _changes(key: Key, before: Sequence[Record], after: Sequence[Record]) -> Iterator[Change]:
    old, new = _worst(before), _worst(after)
    if old != new:
        kind: Kind = "worse" if new > old else "better"
        yield Change(kind, *key, f"{CLASSES[old]} -> {CLASSES[new]}")
    if min(len(before), len(after)) < ENOUGH:
        return
    for name in ("steps", "tokens", "seconds"):
        was, is_ = _values(before, name), _values(after, name)
        if is_more(was, is_):
            what = f"{name}: {_short(median(was))} -> {_short(median(is_))}"
            yield Change("more", *key, what)


def is_more(was: Sequence[float], is_: Sequence[float]) -> bool:
    """Whether a median grew by more than a quarter, and no value before was as large as any now."""
    if min(len(was), len(is_)) < ENOUGH:
        return False
    return median(is_) > MORE * median(was) and min(is_) > max(was)


def _worst(records: Sequence[Record]) -> int:
    return max(CLASSES.index(record["class"]) for record in records)


def _values(records: Sequence[Record], name: str) -> list[float]:
    if name == "tokens":
        told = map(tokens, records)
        return [each for each in told if each is not None]
    return [float(record[name]) for record in records]


def tokens(record: Mapping[str, Any]) -> float | None:
    """Return the tokens of a run, those read and those written; None where nobody told."""
    usage = record.get("usage") or {}
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    return None if read is None or written is None else float(read + written)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
