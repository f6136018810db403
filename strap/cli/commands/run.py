"""`strap run`."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from strap.cli.options import read_config, settings_options
from strap.errors import UsageError

if TYPE_CHECKING:
    from strap.cli.scripts.healing import Heal

_PARAM = re.compile(r"(\w+)=(.*)", re.DOTALL)


@click.command("run")
@settings_options
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A value of {NAME}.")
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--heal",
    type=click.Choice(["no", "ask", "yes"]),
    default=None,
    help="Find elements that changed by their evidence; [default: ask on a terminal, else no]",
)
@click.option(
    "--yes",
    "agreed",
    multiple=True,
    metavar="PATTERN",
    help="Say yes to these actions, in the patterns of --confirm.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.argument("file_name", metavar="FILE", type=click.Path(path_type=Path))
def command(
    file_name: Path,
    params: Sequence[str],
    headed: bool,
    heal: "Heal | None",
    agreed: Sequence[str],
    as_json: bool,
    **settings: Any,
) -> None:
    """Play a script, as `strap script` writes it; no model is asked.

    Each call waits up to 5 s for its element, and the first that fails ends it, with exit
    status 1: the line, what was wrong, and what the page showed instead, also as FILE.jpeg.

    --heal finds an element that was renamed or moved by the evidence in FILE.json, and closes what
    is in the way. The file is changed only if the whole script then did what it was to do.
    """
    from strap.cli.scripts.playing import play_file
    from strap.faults import runner

    environ = {"STRAP_BROWSER__AUTO_LAUNCH": "true", **os.environ}
    environ |= {"STRAP_HEADLESS": "false"} if headed else {}
    # A script from elsewhere reads and writes files of its own folder alone.
    config = read_config(settings, outputs=file_name.absolute().parent, environ=environ)
    with runner() as running:
        mode = heal or _default_mode(file_name)
        values = _values(params)
        work = play_file(config, file_name, values, as_json=as_json, heal=mode, agreed=agreed)
        status = running.run(work)
    sys.exit(status)


def _default_mode(file_name: Path) -> "Heal":
    """Return `ask` where a person is at the terminal and the script has evidence."""
    is_asked = sys.stdin.isatty() and sys.stderr.isatty() and not os.environ.get("CI")
    has_evidence = file_name.with_name(f"{file_name.name}.json").is_file()
    return "ask" if is_asked and has_evidence else "no"


def _values(params: Sequence[str]) -> dict[str, str]:
    matches = [(param, _PARAM.fullmatch(param)) for param in params]
    if wrong := [param for param, match in matches if match is None]:
        raise UsageError(f"--param {wrong[0]!r} is not NAME=VALUE.")
    return {match[1]: match[2] for _, match in matches if match is not None}
