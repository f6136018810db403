"""The `strap` command: what can be answered at once is, before anything heavy is imported."""

import gc
import os
import sys
from typing import TYPE_CHECKING

from strap.mcp.signals import end_as_ctrl_c, ending

if TYPE_CHECKING:
    from strap.mcp.stdio.handshake import Handshake

AT_TERMINAL = (
    "strap: this terminal stands in place of an MCP client; `strap mcp-config` prints how clients "
    "start the server, Ctrl-C ends it."
)
"""Message for a person who starts the server in a terminal, where nothing else would show."""


def main() -> None:
    """Run the command line; Ctrl-C before it is loaded ends it as Ctrl-C in it does.

    Who owes an answer takes note of signals instead: they may end its first call.
    """
    if sys.argv[1:2] == ["call"]:
        ending.note()
    else:
        end_as_ctrl_c()
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit("Aborted!")  # as the command line says it


def _run() -> None:
    # Pydantic would read the metadata of every package for plugins of its own; strap has none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    front = None
    if _serves_stdio(sys.argv[1:]):
        if os.isatty(0):
            sys.stderr.write(f"{AT_TERMINAL}\n")
        from strap.mcp.stdio.handshake import Handshake
        from strap.prepared_answers import load

        front = Handshake(load())
        ending.note(front.owes)
        front.start()
        gc.disable()  # imports make no garbage; enabled again when everything is loaded
    elif sys.argv[1:] in (["--help"], ["-h"]) and _showed_help():
        return
    from strap.lazy_packages import defer_initialisers

    defer_initialisers("importlib.metadata")  # which pydantic imports all the same
    if front is not None and sys.argv[1:] == ["serve"]:
        _serve(front)
        return
    from strap.cli.main import cli

    cli(obj=front, prog_name="strap")


def _serve(front: "Handshake") -> None:
    """Do what `strap serve` does without options, and without importing what reads them."""
    from strap.config import load
    from strap.config.log_setup import configure_logging
    from strap.errors import StrapError
    from strap.mcp.stdio.server import serve

    try:
        config = load()
        configure_logging(config)
        serve(config, front)
    except StrapError as error:
        sys.exit(f"Error: {error}")  # as the command line says it


def _serves_stdio(arguments: list[str]) -> bool:
    others = ("--http", "--help", "-h")
    return arguments[:1] == ["serve"] and not any(
        argument.split("=")[0] in others for argument in arguments
    )


def _showed_help() -> bool:
    """Write the text that is kept, if there is one; where that fails the command line says it."""
    from strap.cli.help_text import prepared_help

    if not (text := prepared_help()):
        return False
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
