"""`strap test`: options, and what they come to."""

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from strap import ActionError, Config, Extra, UsageError

if TYPE_CHECKING:
    from strap_cases.cases import Case
    from strap_cases.running.selecting import CaseFilter

TEST = Extra(name="test", modules=("markdown_it", "mdit_py_plugins", "yaml", "junitparser"))
AGENT = Extra(name="agent", modules=("browser_use",), apart=True)
MOST_JOBS = 8
"""Browsers at a time unless more are asked for: each takes some 400 MB."""
NO_CASE = 5
"""Exit status where there is nothing to run, as pytest's."""

BEGINNING = """---
base_url: {base}
url: {url}
expect: ["no console errors", "no failed requests"]
---
## {title}
1. Say in plain words what is done.
### Expect
- `page status 200`
- Say in plain words what is to be seen.
"""


def _shard(context: click.Context, option: click.Parameter, written: str | None) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", written or "1/1")
    part, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= part <= parts:
        raise UsageError(
            f"--shard {written!r} is not a valid part; write --shard 1/4 to --shard 4/4."
        )
    return part, parts


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Cases at a time.")
@click.option("-t", "--tag", "tags", default="", metavar="EXPR", help="As in 'smoke and not slow'.")
@click.option("-k", "text", default="", metavar="TEXT", help="Only cases with this in their name.")
@click.option("--base-url", default="", metavar="URL", help="Wins over that of the files.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A value of {NAME}.")
@click.option("--model", default="", metavar="PROVIDER/MODEL", help="Wins over what is configured.")
@click.option(
    "--replay",
    type=click.Choice(["auto", "read", "only", "off"]),
    help="Replay recordings, and write (auto) or only read them; only: ask no model.",
)
@click.option("--update", is_flag=True, help="Record all anew.")
@click.option("--retries", type=click.IntRange(min=0), help="Further attempts; 0, in CI 1.")
@click.option("--fail-on-flaky", is_flag=True, help="Fail where only a retry passed.")
@click.option("--max-failures", type=click.IntRange(min=1), help="Begin no more after so many.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Begin no more after so many.")
@click.option("--shard", callback=_shard, metavar="I/N", help="Only part I of N, as in 2/4.")
@click.option("--last-failed", is_flag=True, help="Only those that did not pass last time.")
@click.option("--resume", is_flag=True, help="Go on with a run that ended early.")
@click.option("--report", default=".strap/test", show_default=True, metavar="DIR", help="Reports.")
@click.option("--junit", metavar="FILE", help="JUnit's XML; junit.xml among the reports.")
@click.option("--headed", is_flag=True, help="Show the browsers.")
@click.option("--list", "only_list", is_flag=True, help="Print the cases; run none.")
@click.option("--check", "only_check", is_flag=True, help="Read the files; run nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a case.")
@click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml).")
@click.option(
    "--network", type=click.Choice(["public", "local", "all"]), help="What may be reached."
)
@click.option("--log", type=click.Choice(["debug", "info", "warning", "error"]), help="Log level.")
@click.pass_context
def test(context: click.Context, /, paths: Sequence[str], **options: Any) -> None:
    """Run test cases in Markdown: the agent acts, strap decides.

    PATH is a file, a folder (all *.case.md in it), file:line or file::title; the current folder
    unless given. docs/cases.md says how cases are written. Exit status: 0 all passed, 1 some
    failed, 2 bad arguments or files, 3 only errors (of model, browser, network), 5 no case.

    `strap test new URL TITLE` writes a file to begin with; `strap test report DIR...` makes the
    reports of earlier runs anew, those of shards in one.
    """
    check_extra("strap test")
    from strap_cases.problems import BadCases

    try:
        if paths[:1] == ("new",) and not Path("new").exists():
            click.echo(f"Wrote {_new(paths[1:])}. Say what is done and expected, then: strap test")
            context.exit(0)
        if paths[:1] == ("report",) and not Path("report").exists():
            context.exit(_report(paths[1:], options))
        context.exit(_test(paths, options))
    except BadCases as bad:
        click.echo(str(bad), err=True)
        context.exit(2)


def check_extra(command: str) -> None:
    """Raise `ActionError` where a package is missing that `command` needs."""
    if TEST.missing:
        raise ActionError(f"{command} needs the extra 'test'.", hint=f"Install it: {TEST.install}")


def _test(paths: Sequence[str], options: dict[str, Any]) -> int:
    from strap_cases.reading import read_cases
    from strap_cases.running.selecting import places, selected

    params = dict(map(_param, options["params"]))
    where = places(paths)
    all_cases = read_cases(list(where), base_url=options["base_url"], params=params)
    only = _only(options)
    meant = {"tags": options["tags"], "text": options["text"]}
    cases = selected(all_cases, where, **meant, shard=options["shard"], only=only)
    if not cases and options["shard"] != (1, 1) and selected(all_cases, where, **meant):
        click.echo("No case is left for this shard.", err=True)
    elif not cases and only is not None and selected(all_cases, where, **meant):
        click.echo(
            "All have a result." if options["resume"] else "None failed last time.", err=True
        )
        if not options["resume"]:
            return 0
    elif not cases:
        click.echo(
            f"No case was found in {', '.join(repr(str(place)) for place in where)}: cases are in "
            "files *.case.md, and `strap test new URL TITLE` writes one.",
            err=True,
        )
        return NO_CASE
    if options["only_list"] or options["only_check"]:
        for case in cases if options["only_list"] else ():
            click.echo(case.id)
        if options["only_check"]:
            files = len({case.path for case in all_cases})
            click.echo(f"{_counted(len(cases), 'case')} in {_counted(files, 'file')} can be run.")
        return 0
    return _run(cases, params, options)


def _new(words: Sequence[str]) -> Path:
    if len(words) != 2 or urlsplit(words[0]).scheme not in ("http", "https"):
        what = "strap test new takes an address and a title"
        raise UsageError(f"{what}; write strap test new http://localhost:3000/login 'Log in'.")
    url, title = urlsplit(words[0]), " ".join(words[1].split())
    stem = re.sub(r"\W+", "-", title).strip("-").lower()
    if not stem:
        raise UsageError(f"{words[1]!r} is not a valid title; write words.")
    path = Path(f"{stem[:60]}.case.md")
    place = url._replace(scheme="", netloc="").geturl() or "/"
    text = BEGINNING.format(base=f"{url.scheme}://{url.netloc}", url=json.dumps(place), title=title)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already; take another title.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def _run(cases: Sequence["Case"], params: dict[str, str], options: dict[str, Any]) -> int:
    from strap_cases.running.run import Order, run

    if options["update"] and options["replay"] not in (None, "auto"):
        raise UsageError(f"--update writes what --replay {options['replay']} does not; give one.")
    config = Config.load(file=options["file"], network=options["network"], log=options["log"])
    if AGENT.missing_in(config.environments) and options["replay"] != "only":
        raise ActionError(
            "Cases need the agent, but for --replay only.", hint=f"Install it: {AGENT.install}"
        )
    retries = options["retries"]
    order = Order(
        cases=cases,
        config=config,
        params=params,
        jobs=options["jobs"] or max(1, min(MOST_JOBS, (os.cpu_count() or 2) // 2)),
        retries=int("CI" in os.environ) if retries is None else retries,
        max_failures=options["max_failures"] or 0,
        max_tokens=options["max_tokens"] or 0,
        model=options["model"],
        headed=options["headed"],
        report=Path(options["report"]),
        junit=Path(options["junit"]) if options["junit"] else None,
        as_json=options["as_json"],
        fail_on_flaky=options["fail_on_flaky"],
        replay="auto" if options["update"] else options["replay"],
        update=options["update"],
        resume=options["resume"],
    )
    return run(order)


def _report(words: Sequence[str], options: dict[str, Any]) -> int:
    from strap_cases.reports.terminal import Terminal
    from strap_cases.running.merging import merge
    from strap_cases.running.run import exit_status

    report = Path(options["report"])
    folders = [Path(word) for word in words] or [report]
    junit = Path(options["junit"]) if options["junit"] else None
    records = merge(folders, report, junit, quiet=options["as_json"])
    for record in records if options["as_json"] else ():
        click.echo(json.dumps(record, ensure_ascii=False))
    if not options["as_json"]:
        seconds = sum(record["seconds"] for record in records)
        Terminal(()).ended(records, seconds=seconds, report=str(report / "index.html"))
    return exit_status(records, fail_on_flaky=options["fail_on_flaky"])


def _only(options: dict[str, Any]) -> "CaseFilter | None":
    """Return which cases the run before leaves, None if it is not asked about."""
    if options["resume"] and options["last_failed"]:
        raise UsageError("--resume and --last-failed exclude each other; give one of them.")
    from strap_cases.running import previous_run

    report = Path(options["report"])
    if options["resume"]:
        done = previous_run.finished(report)
        return lambda case: case.id not in done
    if options["last_failed"]:
        wrong = previous_run.failed(report)
        return lambda case: case.id in wrong
    return None


def _param(written: str) -> tuple[str, str]:
    name, equals, value = written.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"--param {written!r} is not a valid value; write --param name=value.")
    return name, value


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
