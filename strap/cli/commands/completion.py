"""`strap completion`."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from strap.errors import UsageError

SHELLS = ("bash", "fish", "zsh")
VARIABLE = "_STRAP_COMPLETE"
"""Variable by which click completes the words of a program called `strap`."""


HELP = """Print what makes a shell complete words of strap.

\b
bash:  echo 'eval "$(strap completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(strap completion zsh)"' >> ~/.zshrc
fish:  strap completion fish > ~/.config/fish/completions/strap.fish
"""
"""The first of its lines is the character by which click leaves lines as they are."""


@click.command("completion", help=HELP)
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(shell: str | None) -> None:
    """Print it."""
    shell = shell or _own_shell()
    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root()
    click.echo(kind(root.command, {}, "strap", VARIABLE).source())


def _own_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(f"Name the shell: {', '.join(SHELLS)}.")
    return name
