"""`strap batch`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from strap.api.declarations import LOCAL
from strap.cli.options import read_config, settings_options
from strap.errors import StartupError, UsageError

FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
OF_PLUGINS = ("address", "insecure", "workers")
"""Options that only the engines of plugins take."""


class _EngineName(click.ParamType):
    """A name of an engine; only another one than `local` loads the plugins."""

    name = "engine"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """List the names."""
        del param, ctx
        return f"[{'|'.join(_engine_names())}]"

    def convert(self, value: Any, param: Any, ctx: click.Context | None) -> Any:
        """Refuse what is no engine."""
        if value != LOCAL and value not in (names := _engine_names()):
            self.fail(f"{value!r} is not one of {', '.join(map(repr, names))}.", param, ctx)
        return value


class _Batch(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Exit with 2 where nothing was run: 1 says that items failed."""
        try:
            return super().invoke(ctx)
        except StartupError as error:
            raise UsageError(error.message, hint=error.hint) from None


@click.group("batch", cls=_Batch)
def command() -> None:
    """Make calls from a table, by the thousand and resumable."""


@command.command("run")
@settings_options
@click.argument("source", type=FILE)
@click.option("--to", "folder", type=FOLDER, required=True, help="Folder of the results.")
@click.option("--call", "line", metavar="LINE", help="A call with columns: url={url}.")
@click.option("--engine", type=_EngineName(), help="What runs the items.")
@click.option("--address", metavar="HOST:PORT|auto", help="A cluster; else one is started.")
@click.option("--insecure", is_flag=True, default=None, help="Use a cluster without a token.")
@click.option("--workers", type=click.IntRange(0), help="Workers there; 0: one for each CPU.")
@click.option("--concurrency", type=click.IntRange(1), help="Items at a time, in a worker.")
@click.option("--retries", type=click.IntRange(0), help="Further attempts of what may succeed.")
@click.option("--item-timeout", type=click.FloatRange(0, min_open=True), help="Seconds of one.")
@click.option("--per-host", type=click.IntRange(0), help="Items at a time to one host; 0: any.")
@click.option("--rate", "rates", multiple=True, metavar="HOST=PER_S", help="Items a second.")
@click.option("--once", is_flag=True, default=None, help="Never run an item twice.")
@click.option(
    "--artifacts", type=click.Choice(["none", "failed", "all"]), help="Runs to keep as archives."
)
@click.option("--limit", type=click.IntRange(1), help="Run so many items, then stop.")
@click.option("--drain", type=click.FloatRange(0), help="Seconds for running items at the end.")
def run(source: Path, folder: Path, line: str | None, limit: int | None, **options: Any) -> None:
    """Run the items of a table that have no result yet.

    SOURCE is .csv, .jsonl or .parquet. A line of it is the arguments of a call, or has `steps`:
    calls that share a session. With --call
    each line is one such call: `--call 'http fetch url={url}'`. Exit status: 0 all are ok, 1 some
    failed, 2 wrong arguments or settings, 3 stopped: run it again to go on.
    """
    from strap.batch.options import read
    from strap.cli.batches import run_source

    arguments = {"folder": folder, "line": line, "limit": limit}
    settings, chosen = _split(options)
    config = read_config(settings)
    if any(chosen[name] for name in OF_PLUGINS) and read(config, **chosen).engine == LOCAL:
        raise _of_no_plugin()
    sys.exit(run_source(config, source, arguments, chosen))


@command.command("retry")
@settings_options
@click.argument("folder", type=FOLDER)
@click.option("--code", "codes", multiple=True, help="Of what failed only this error code.")
@click.option("--concurrency", type=click.IntRange(1), help="Items at a time.")
def retry(folder: Path, codes: Sequence[str], **options: Any) -> None:
    """Run the items again that failed.

    Those that have no result yet are run as well.
    """
    from strap.cli.batches import retry as retry_failed

    settings, chosen = _split(options)
    sys.exit(retry_failed(read_config(settings), folder, codes, chosen))


@command.command("status")
@click.argument("folder", type=FOLDER)
def status(folder: Path) -> None:
    """Tell how far a batch is, and what failed."""
    from strap.cli.batches import status_lines

    for text in status_lines(folder):
        click.echo(text)


@command.command("export")
@click.argument("folder", type=FOLDER)
@click.argument("file", type=FILE)
@click.option("--with-input", is_flag=True, help="Add the lines of the source, in a column.")
def export(folder: Path, file: Path, with_input: bool) -> None:
    """Write the last result of each item to a table.

    FILE is .jsonl, .csv or .parquet.
    """
    from strap.cli.batches import export_rows

    click.echo(f"{export_rows(folder, file, with_input=with_input)} rows in {file}")


def _split(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    from strap.batch.options import BatchOptions

    chosen = {name: options[name] for name in BatchOptions.model_fields if name in options}
    if rates := options.get("rates"):
        chosen["rate"] = dict(_rate(rate) for rate in rates)
    return options, chosen


def _engine_names() -> tuple[str, ...]:
    from strap.batch.executors import engine_names
    from strap.config import load

    try:
        return engine_names(load())
    except StartupError:  # which is told when the command runs
        return (LOCAL,)


def _of_no_plugin() -> UsageError:
    options = ", ".join(f"--{name}" for name in OF_PLUGINS)
    _, *engines = _engine_names()
    if not engines:
        return UsageError(f"{options} are of engines of plugins, and none is installed.")
    valid = " or ".join(map(repr, engines))
    hint = f"Give --engine {engines[0]} as well."
    return UsageError(f"{options} are of the engine {valid}.", hint=hint)


def _rate(text: str) -> tuple[str, str]:
    host, equals, rate = text.rpartition("=")
    if not (host and equals):
        raise UsageError(f"--rate {text!r} is not like example.com=2.")
    return host, rate
