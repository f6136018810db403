"""The `strap` command: `strap serve` answers its client before anything heavy is imported."""

import gc
import sys


def main() -> None:
    """Run the command line."""
    front = None
    if _serves_stdio(sys.argv[1:]):
        from strap.mcp.stdio.handshake import Handshake
        from strap.mcp.stdio.handshake_cache import load

        front = Handshake(load())
        front.start()
        gc.disable()  # imports make no garbage; enabled again when everything is loaded
    from strap.cli.main import cli

    cli(obj=front)


def _serves_stdio(arguments: list[str]) -> bool:
    """Whether this is `strap serve` without anything that makes it write to its stdout."""
    others = ("--http", "--help", "-h")
    return arguments[:1] == ["serve"] and not any(
        argument.split("=")[0] in others for argument in arguments
    )


if __name__ == "__main__":
    main()
