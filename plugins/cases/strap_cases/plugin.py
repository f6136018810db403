"""The hooks of the plugin for test cases."""

import os
from typing import TYPE_CHECKING

from strap import hookimpl

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap test`, where the agent can run."""
    if os.name != "nt":
        from strap_cases.command import test

        cli.add_command(test)
