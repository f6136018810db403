"""The command line: serve, call, schema, plugins, doctor, mcp-config, demo."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from strap.api.call_syntax import SYNTAX, parse_line, parse_words
from strap.api.results import Result
from strap.config import Config, load
from strap.config.log_setup import configure_logging
from strap.errors import StartupError, StrapError, UsageError
from strap.routing.assembly import make_router
from strap.routing.router import Router
from strap.text import replace_surrogates
from strap.toolchain import FORMATS, Toolchain
from strap.version import __version__

Command = TypeVar("Command", bound=Callable[..., Any])
Parse = Callable[[], dict[str, Any]]
"""Makes the arguments of a call from words; raises `UsageError`."""
SETTINGS = ("file", "home", "network", "allow", "deny", "allow_hosts", "log")
COMMANDS = "strap.cli.plugin_commands"
"""Key of the context under which the commands of plugins are kept."""


class Cli(click.Group):
    """A group whose plugins may add commands, asked for only when needed."""

    def invoke(self, ctx: click.Context) -> Any:
        """Show a `StrapError` as one line instead of a traceback."""
        try:
            return super().invoke(ctx)
        except StrapError as error:
            kind = click.UsageError if isinstance(error, UsageError) else click.ClickException
            raise kind(str(error)) from None

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a built-in command, else ask the plugins."""
        return super().get_command(ctx, cmd_name) or _plugin_commands(ctx).get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands; a broken set-up must not hide the built-in ones."""
        try:
            added = _plugin_commands(ctx)
        except StartupError as error:
            click.echo(f"strap: {error}", err=True)
            added = {}
        return sorted({*super().list_commands(ctx), *added})


def settings_options(command: Command) -> Command:
    """Add the options that stand for keys of the configuration."""
    options = (
        click.option("--config", "file", metavar="FILE", help="Configuration file (strap.toml)."),
        click.option("--home", metavar="DIR", help="Data directory."),
        click.option(
            "--network", type=click.Choice(["public", "local", "all"]), help="What may be reached."
        ),
        click.option("--allow", multiple=True, metavar="PATTERN", help="Allow only these actions."),
        click.option("--deny", multiple=True, metavar="PATTERN", help="Forbid these actions."),
        click.option(
            "--allow-host",
            "allow_hosts",
            multiple=True,
            metavar="HOST:PORT",
            help="Let calls reach this server too.",
        ),
        click.option(
            "--log", type=click.Choice(["debug", "info", "warning", "error"]), help="Log level."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def read_config(settings: dict[str, Any], **more: Any) -> Config:
    """Load the configuration with the options of `settings_options` as flags."""
    given = {key: settings[key] or None for key in SETTINGS if key in settings}
    config = load(**given, **more)
    configure_logging(config)
    return config


@click.group(cls=Cli, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="strap")
def cli() -> None:
    """One tool, web(resource, action, …), for language-model agents."""


@cli.command()
@settings_options
@click.option("--http", is_flag=True, help="Streamable HTTP instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to bind.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to bind; 0: any free one.",
)
@click.option("--name", "names", multiple=True, help="Host name that clients reach it by.")
@click.option("--token", envvar="STRAP_TOKEN", help="Bearer token; required beyond loopback.")
@click.option("--max-sessions", default=100, show_default=True, help="Sessions open at a time.")
@click.pass_obj
def serve(front: Any, /, http: bool, **options: Any) -> None:
    """Serve the tool over MCP: stdio, or HTTP with --http."""
    config = read_config(options)
    if http:
        from strap.mcp.http.server import serve as serve_http

        where = {key: options[key] for key in ("host", "port", "names", "token", "max_sessions")}
        serve_http(config, **where)
    else:
        _refuse_options_of_http(click.get_current_context())
        from strap.mcp.stdio.server import serve as serve_stdio

        serve_stdio(config, front)


def _refuse_options_of_http(context: click.Context) -> None:
    """Raise `UsageError` for an option of --http; a token may stand in the environment."""
    for name in ("host", "port", "names", "token", "max_sessions"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = {"names": "name"}.get(name, name).replace("_", "-")
            raise UsageError(f"--{option} is for --http: without it strap serves stdin and stdout.")


@cli.command(context_settings={"ignore_unknown_options": True})
@settings_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a call.")
@click.argument("words", nargs=-1, required=True, metavar=f"{SYNTAX} | -")
def call(words: Sequence[str], as_json: bool, **settings: Any) -> None:
    """Make a call: `strap call RESOURCE ACTION key=value …`.

    As in `strap call http fetch url=https://example.com/`.

    With - in place of a call, one call a line is read from standard input and all share a
    session, so that a browser stays open between them. Files are written to the current directory.
    """
    config = read_config(settings, outputs=Path.cwd())
    calls: Iterable[Parse] = (
        (partial(parse_line, line) for line in sys.stdin if line.strip() and line[0] != "#")
        if list(words) == ["-"]
        else [partial(parse_words, words)]
    )
    sys.exit(asyncio.run(_run_calls(config, calls, as_json=as_json)))


async def _run_calls(config: Config, calls: Iterable[Parse], *, as_json: bool) -> int:
    status = 0
    async with make_router(config) as router:
        for parse in calls:
            status = max(status, await _run_call(router, parse, as_json=as_json))
    return status


async def _run_call(router: Router, parse: Parse, *, as_json: bool) -> int:
    try:
        result, error = await router.answer(parse(), progress=_show_progress)
    except UsageError as problem:
        result, error = Result(text=replace_surrogates(str(problem)), is_error=True), problem
    if as_json:
        click.echo(json.dumps(_as_object(result, error), ensure_ascii=False))
    else:
        click.echo(result.text, err=error is not None)
        for image in result.images:
            size = f"{len(image.data) / 1024:.0f} KB"
            click.echo(f"[{image.mime}, {size}: give output=FILE to save it]")
    if isinstance(error, UsageError):
        return 2
    return int(result.is_error)


def _as_object(result: Result, error: StrapError | None) -> dict[str, Any]:
    answer: dict[str, Any] = {"ok": not result.is_error, "text": result.text}
    if result.images:
        answer["images"] = [{"mime": i.mime, "bytes": len(i.data)} for i in result.images]
    if error is not None:
        answer["error"] = {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "retryable": error.retryable,
        }
    return answer


async def _show_progress(message: str, done: float, total: float | None) -> None:
    if sys.stderr.isatty():
        of = f"/{total:g}" if total else ""
        click.echo(f"[{done:g}{of}] {message}", err=True)


@cli.command()
@settings_options
@click.option(
    "--format", "style", type=click.Choice(list(FORMATS)), default="mcp", show_default=True
)
def schema(style: str, **settings: Any) -> None:
    """Print the tool definition for a toolchain."""
    definition = Toolchain(make_router(read_config(settings))).definition(style)
    click.echo(json.dumps(definition, indent=2, ensure_ascii=False))


@cli.command()
@settings_options
def plugins(**settings: Any) -> None:
    """List the plugins: what they add, and what is wrong."""
    from strap.cli.plugin_list import listed

    for line in listed(make_router(read_config(settings))):
        click.echo(line)


@cli.command()
@settings_options
def doctor(**settings: Any) -> None:
    """Tell what is there, what is missing, and what mends it."""
    from strap.cli.doctor import examine

    found = list(examine(lambda: read_config(settings)))
    for line in found:
        click.echo(f"{'ok  ' if line.ok else 'FAIL'} {line.subject}: {line.detail}")
        if line.fix:
            click.echo(f"     → {line.fix}")
    sys.exit(0 if all(line.ok for line in found) else 1)


@cli.command("mcp-config")
@click.argument("client", required=False)
@click.option("--http", metavar="URL", help="Connect to a running server, as at URL.")
@click.option("--token", is_flag=True, help="With --http: send the token of STRAP_TOKEN.")
def mcp_config(client: str | None, http: str | None, token: bool) -> None:
    """Print ready snippets for MCP clients: all, or that of CLIENT."""
    from strap.cli.client_configs import PLACES, http_snippets, snippets

    if token and not http:
        raise UsageError("--token is for --http: over stdio the client starts the server itself.")
    found = http_snippets(http, token=token) if http else snippets()
    if client is not None and client not in found:
        over = " over HTTP" if http and client in PLACES else ""
        valid = ", ".join(sorted(found))
        raise UsageError(f"Unknown client{over}: {client!r} (valid: {valid}).")
    for name, text in found.items():
        if client in (None, name):
            if client:
                click.echo(f"{PLACES[name]}:", err=True)
            click.echo(text if client else f"## {name}. {PLACES[name]}:\n{text}\n")


@cli.command()
@click.option("--keep", is_flag=True, help="Keep the screenshot and say where it is.")
def demo(keep: bool) -> None:
    """Drive the real MCP server through a small local site.

    Every call is shown with its answer, the size of that in tokens, and the time it took.
    """
    from strap.mcp.demo import run

    sys.exit(run(keep=keep))


def _plugin_commands(ctx: click.Context) -> dict[str, click.Command]:
    """The commands that plugins add, without those of a broken plugin; raises `StartupError`."""
    known: dict[str, click.Command] | None = ctx.meta.get(COMMANDS)
    if known is None:
        from strap.cli.plugin_commands import added_commands

        known, problems = added_commands(make_router(load()).plugins, cli.commands)
        for problem in problems:
            click.echo(f"strap: {problem}", err=True)
        ctx.meta[COMMANDS] = known
    return known
