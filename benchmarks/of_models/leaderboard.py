"""Models side by side: how often they did what was expected, what they missed, what they took."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from strap import UsageError

Z = 1.959964
"""Quantile of the normal distribution, for 95 %."""
MILLION = 1_000_000
Record = Mapping[str, Any]
COLUMNS = {
    "model": "model",
    "runs": "runs",
    "as_expected": "as expected",
    "interval": "95 %",
    "reliable": "reliable",
    "false_successes": "false successes",
    "bugs": "bugs caught / missed",
    "false_alarms": "false alarms",
    "steps": "steps",
    "model_calls": "calls",
    "tokens": "tokens in / cached / out",
    "seconds": "time",
    "cost": "cost",
}


class Price(BaseModel):
    """US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
    """Price of cached input; left out: that of other input."""


class Prices(BaseModel):
    """Prices of models, and their date."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    date: str = Field(min_length=1)
    models: Mapping[str, Price]


@dataclass(kw_only=True, slots=True)
class Row:
    """Results of a model; runs that infrastructure failed are counted apart."""

    model: str
    runs: int
    infrastructure: int
    as_expected: int
    scenarios: int
    reliable: int
    """Scenarios that came out as expected every time."""
    false_successes: int
    caught: int
    missed: int
    false_alarms: int
    medians: Mapping[str, float | None] = field(default_factory=dict)
    """Steps, seconds and what was used in a run."""
    cost: float | None = None
    """US dollars of all runs; None where prices or tokens are unknown."""

    def as_json(self) -> dict[str, Any]:
        """Return the row for programs."""
        names = (
            "model runs infrastructure as_expected scenarios reliable false_successes caught missed"
            " false_alarms cost"
        )
        told = {name: getattr(self, name) for name in names.split()}
        low, high = wilson(self.as_expected, self.runs)
        return told | {"interval": [round(low, 4), round(high, 4)], "medians": dict(self.medians)}


def read_prices(path: Path) -> Prices:
    """Return the prices of a TOML file; raises `UsageError`."""
    try:
        return Prices.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{path}: {where}: {first['msg']}.") from None


def rows(records: Sequence[Record], prices: Prices | None = None) -> list[Row]:
    """Return a row for each model, the best first."""
    by_model: dict[str, list[Record]] = {}
    for record in records:
        by_model.setdefault(record["model"], []).append(record)
    found = [_row(model, of, prices) for model, of in by_model.items()]
    return sorted(found, key=lambda row: (-row.as_expected / (row.runs or 1), row.false_successes))


def _row(model: str, records: Sequence[Record], prices: Prices | None) -> Row:
    counted = [each for each in records if not is_infrastructure(each)]
    by_id: dict[str, list[bool]] = {}
    for each in counted:
        by_id.setdefault(each["id"], []).append(bool(each["as_expected"]))
    bugs = [each for each in counted if "bug" in each["tags"]]
    return Row(
        model=model,
        runs=len(counted),
        infrastructure=len(records) - len(counted),
        as_expected=sum(each["as_expected"] for each in counted),
        scenarios=len(by_id),
        reliable=sum(map(all, by_id.values())),
        false_successes=sum("false success" in each["flags"] for each in counted),
        caught=sum(each["class"] == "soft_fail" for each in bugs),
        missed=sum("false success" in each["flags"] for each in bugs),
        false_alarms=sum("fixed" in each["tags"] and _gave_up(each) for each in counted),
        medians=_medians(counted),
        cost=_cost(records, prices.models.get(model) if prices else None),
    )


def is_infrastructure(record: Record) -> bool:
    """Whether it was not the model that failed."""
    return "infrastructure" in record["flags"] and not record["as_expected"]


def _gave_up(record: Record) -> bool:
    return record["status"] in ("failed", "partial")


def _medians(records: Sequence[Record]) -> dict[str, float | None]:
    found: dict[str, float | None] = {}
    for name in ("steps", "seconds"):
        found[name] = round(median(each[name] for each in records), 2) if records else None
    for name in ("model_calls", "input_tokens", "cached_tokens", "output_tokens"):
        used = [each["usage"][name] for each in records if each.get("usage")]
        known = [each for each in used if each is not None]
        found[name] = median(known) if known else None
    return found


def _cost(records: Sequence[Record], price: Price | None) -> float | None:
    used = [each["usage"] for each in records if each.get("usage")]
    if price is None or not used or any(each["input_tokens"] is None for each in used):
        return None
    cached = price.input if price.cached is None else price.cached
    total = 0.0
    for each in used:
        read, again = each["input_tokens"], each["cached_tokens"] or 0
        total += (read - again) * price.input + again * cached
        total += (each["output_tokens"] or 0) * price.output
    return total / MILLION


def wilson(good: int, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927); all of it where nothing was run."""
    if not number:
        return 0.0, 1.0
    share, spread = good / number, Z * Z / number
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / number + spread / (4 * number)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def markdown(found: Sequence[Row], *, repeats: int, prices: Prices | None) -> str:
    """Return the table as Markdown; one run of each scenario is no more than a calibration."""
    title = "Models" if repeats > 1 else "Models (calibration: one run of each scenario)"
    lines = [f"# {title}", "", _line(list(COLUMNS.values())), _line(["---"] * len(COLUMNS))]
    lines += [_line(list(_cells(row).values())) for row in found]
    if prices is not None:
        lines += ["", f"Prices of {prices.date}, in US dollars for all runs."]
    if apart := sum(row.infrastructure for row in found):
        lines += ["", f"{apart} runs that browser, provider or site failed are not counted."]
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> dict[str, str]:
    low, high = wilson(row.as_expected, row.runs)
    of = row.medians
    used = [_number(of.get(f"{name}_tokens")) for name in ("input", "cached", "output")]
    return {
        "model": row.model,
        "runs": str(row.runs),
        "as_expected": f"{100 * row.as_expected / row.runs:.0f} %" if row.runs else "-",
        "interval": f"{100 * low:.0f} to {100 * high:.0f}",
        "reliable": f"{row.reliable} of {row.scenarios}",
        "false_successes": str(row.false_successes),
        "bugs": f"{row.caught} / {row.missed}",
        "false_alarms": str(row.false_alarms),
        "steps": _number(of.get("steps")),
        "model_calls": _number(of.get("model_calls")),
        "tokens": " / ".join(used),
        "seconds": "-" if of.get("seconds") is None else f"{of['seconds']:.1f} s",
        "cost": "-" if row.cost is None else f"{row.cost:.4f}",
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.6g}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
