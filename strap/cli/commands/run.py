"""`strap run`."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from strap.cli.options import read_config, settings_options
from strap.errors import UsageError

_PARAM = re.compile(r"(\w+)=(.*)", re.DOTALL)


@click.command("run")
@settings_options
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A value of {NAME}.")
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.argument("file_name", metavar="FILE", type=click.Path(path_type=Path))
def command(
    file_name: Path, params: Sequence[str], headed: bool, as_json: bool, **settings: Any
) -> None:
    """Play a script, as `strap script` writes it; no model is asked.

    Each call waits up to 5 s for its element, and the first that fails ends it, with exit
    status 1: the line, what was wrong, and what the page showed instead.
    """
    from strap.cli.playing import play_file
    from strap.faults import runner

    environ = {"STRAP_BROWSER__AUTO_LAUNCH": "true", **os.environ}
    environ |= {"STRAP_HEADLESS": "false"} if headed else {}
    config = read_config(settings, outputs=Path.cwd(), environ=environ)
    with runner() as running:
        work = play_file(config, file_name, _values(params), as_json=as_json)
        status = running.run(work)
    sys.exit(status)


def _values(params: Sequence[str]) -> dict[str, str]:
    found = [(param, _PARAM.fullmatch(param)) for param in params]
    if wrong := [param for param, match in found if match is None]:
        raise UsageError(f"--param {wrong[0]!r} is no NAME=VALUE.")
    return {match[1]: match[2] for _, match in found if match is not None}
