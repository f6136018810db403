"""`python -m benchmarks.of_models compare` and `leaderboard`: about bundles of `strap sanity`."""

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.of_models import leaderboard
from benchmarks.of_models.compare import REGRESSIONS, compare
from benchmarks.of_models.results import Results, read_results
from strap import UsageError

COLOURS = {"worse": "red", "more": "red", "better": "green"}
REGRESSED = 1
UNTOLD = ("new", "gone")
"""Kinds that are only counted: part of a set was run."""


@click.group()
def models() -> None:
    """Compare models, and versions of strap, by bundles of `strap sanity`."""


@models.command("compare")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a change.")
@click.pass_context
def compare_bundles(context: click.Context, old: Path, new: Path, as_json: bool) -> None:
    """Tell what became worse from one bundle to the next.

    Scenarios are compared with themselves, model by model: the worst class of all repeats, and
    with three and more of them steps, tokens and time. Exit status: 0, or 1 if something is worse.
    """
    before, after = read_results(old), read_results(new)
    changes = compare(before, after)
    common = _keys(before) & _keys(after)
    if not common:
        what = "The bundles have no scenario with the same model in common."
        raise UsageError(what, hint="Run both with the same --set and --model.")
    counts = Counter[str](change.kind for change in changes)
    for change in changes:
        if as_json:
            click.echo(json.dumps(asdict(change), ensure_ascii=False))
        elif change.kind not in UNTOLD:
            kind = click.style(f"{change.kind:8}", fg=COLOURS.get(change.kind))
            click.echo(f"{kind} {change.id}  {change.model}  {change.what}")
    worse = sum(counts[kind] for kind in REGRESSIONS)
    if not as_json:
        told = {"compared": len(common) - counts["changed"], "worse": worse}
        told |= {kind: counts[kind] for kind in ("better", *UNTOLD) if counts[kind]}
        said = ", ".join(f"{number} {kind}" for kind, number in told.items())
        click.echo(f"{said} (strap {before.strap} to {after.strap}).")
    context.exit(REGRESSED if worse else 0)


def _keys(results: Results) -> set[tuple[str, str]]:
    return {(record["id"], record["model"]) for record in results.records}


@models.command("leaderboard")
@click.argument("bundles", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--prices", metavar="FILE", help="What tokens cost: TOML, see benchmarks/README.md.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a model.")
def leaderboard_of(bundles: tuple[Path, ...], prices: str | None, as_json: bool) -> None:
    """Print the table of models of bundles.

    They have to be of the same set and the same version of strap.
    """
    found = [read_results(path) for path in bundles]
    _check_same(found)
    records = [record for each in found for record in each.records]
    cost = leaderboard.read_prices(Path(prices)) if prices else None
    rows = leaderboard.rows(records, cost)
    if as_json:
        for row in rows:
            click.echo(json.dumps(row.as_json(), ensure_ascii=False))
    else:
        most = max(Counter((r["id"], r["model"]) for r in records).values(), default=0)
        click.echo(leaderboard.markdown(rows, repeats=most, prices=cost), nl=False)


def _check_same(found: list[Results]) -> None:
    first = found[0]
    for each in found[1:]:
        if (each.set, each.strap) != (first.set, first.strap):
            what = (
                f"{each.path} is of another set of scenarios, or of another version of strap, than"
            )
            raise UsageError(f"{what} {first.path}: their figures cannot stand side by side.")


if __name__ == "__main__":
    try:
        models(prog_name="python -m benchmarks.of_models")
    except UsageError as error:
        click.echo(f"{error}", err=True)
        sys.exit(2)
