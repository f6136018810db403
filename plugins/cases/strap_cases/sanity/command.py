"""`strap sanity`: options, and what they come to."""

import json
import os
import time
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from strap import Config, UsageError
from strap_cases.command import check_extra

if TYPE_CHECKING:
    from strap_cases.sanity.scenarios import Scenario

CONFIRMATION = "SANITY_REAL_CONFIRM"
NO_SCENARIO = 5
"""Exit status where there is nothing to run, as pytest's and that of `strap test`."""
MOST_JOBS = 8
"""Browsers at a time unless more are asked for: each takes some 400 MB."""


@click.command()
@click.option(
    "--set", "set_", default="local", metavar="local|hostile|real|DIR", help="Which scenarios."
)
@click.option("-k", "text", default="", metavar="TEXT", help="Only those with this in their id.")
@click.option(
    "--model", "models", multiple=True, metavar="NAME",
    help="PROVIDER/MODEL, scripted or scripted-liar; several are run in turn.  [default: scripted]",
)  # fmt: skip
@click.option("--repeat", type=click.IntRange(1, 100), default=1, help="How often each is run.")
@click.option(
    "--through", type=click.Choice(["mcp", "http", "python"]), default="mcp", show_default=True,
    help="How the tool is reached: a strap serve over stdio, one over HTTP, this process.",
)  # fmt: skip
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Scenarios at a time.")
@click.option(
    "--out", default=".strap/sanity", show_default=True, metavar="DIR", help="Where bundles are."
)
@click.option("--list", "only_list", is_flag=True, help="Print the scenarios; run none.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a scenario.")
@click.option("--headed", is_flag=True, help="Show the browsers.")
@click.option("--config", "file", metavar="FILE", help="Configuration file, for real models.")
@click.pass_context
def sanity(context: click.Context, /, **options: Any) -> None:
    """Play scenarios end to end, keep evidence, class each.

    The agent works on a local site that is started for it; `scripted` plays its model, so that
    nothing but this installation is needed. Each scenario is pass, soft_fail (failed, and the
    evidence says why) or hard_fail; docs/sanity.md has the rules. Exit status: 0 all as expected
    or better, 1 some worse, 2 bad arguments, 3 only infrastructure failed, 5 no scenario.

    The set `real` is about public sites, and runs with SANITY_REAL_CONFIRM=1 alone.
    """
    check_extra("strap sanity")
    context.exit(_sanity(options))


def _sanity(options: dict[str, Any]) -> int:
    is_real = options["set_"] == "real"
    if is_real and not options["only_list"]:
        _check_confirmed()
    from strap_cases.sanity.scenarios import read_set

    chosen = [scenario for scenario in read_set(options["set_"]) if options["text"] in scenario.id]
    if not chosen:
        click.echo(f"No scenario has {options['text']!r} in its id; --list names them.", err=True)
        return NO_SCENARIO
    if options["only_list"]:
        for item in chosen:
            click.echo(f"{item.id:20} {item.expected:9} {item.case.title}")
        return 0
    models = list(dict.fromkeys(options["models"])) or [_usual_model(options, is_real=is_real)]
    _check_models(models, is_real=is_real)
    return _run(chosen, models, options)


def _check_confirmed() -> None:
    if os.environ.get(CONFIRMATION) != "1":
        what = "The set 'real' sends requests to public sites, and a model is paid for it."
        raise UsageError(what, hint=f"Say that this is meant: {CONFIRMATION}=1 strap sanity …")


def _usual_model(options: dict[str, Any], *, is_real: bool) -> str:
    from strap_cases.sanity.harness import SCRIPTED

    if not is_real:
        return SCRIPTED
    config = Config.load(file=options["file"])
    model = config.environ.get("STRAP_MODEL") or config.plugins.get("browser", {}).get("model")
    if not model:
        raise UsageError("No model is set.", hint="Name one with --model PROVIDER/MODEL.")
    return str(model)


def _check_models(models: list[str], *, is_real: bool) -> None:
    from strap_cases.sanity.harness import LIAR, SCRIPTED

    for model in models:
        if is_real and model in (SCRIPTED, LIAR):
            raise UsageError(f"{model} knows the local site alone; name a real model.")
        if model not in (SCRIPTED, LIAR) and "/" not in model:
            what = f"{model!r} is not a valid model; write PROVIDER/MODEL, {SCRIPTED} or {LIAR}."
            raise UsageError(what)


def _run(chosen: "list[Scenario]", models: list[str], options: dict[str, Any]) -> int:
    from strap_cases.sanity.run import Plan, run

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number = len(chosen) * options["repeat"]
    jobs = options["jobs"] or min(MOST_JOBS, os.cpu_count() or 1)
    plan = Plan(
        scenarios=chosen,
        models=models,
        out=_unused(Path(options["out"]) / stamp),
        jobs=min(jobs, number),
        repeat=options["repeat"],
        local=options["set_"] != "real",
        headed=options["headed"],
        through=options["through"],
        file=options["file"],
        tell=(lambda record: click.echo(json.dumps(record, ensure_ascii=False)))
        if options["as_json"]
        else None,
    )
    return run(plan)


def _unused(path: Path) -> Path:
    """Return a path that nothing has yet: two calls may begin within a second."""
    numbered = (path.with_name(f"{path.name}-{number}") for number in count(2))
    return next(candidate for candidate in chain([path], numbered) if not candidate.exists())
