"""The hooks of the plugin for test cases."""

import os
from typing import TYPE_CHECKING

from strap import hookimpl

if TYPE_CHECKING:
    from click import Group


@hookimpl
def strap_register_commands(cli: "Group") -> None:
    """Add `strap test` and `strap sanity`, where the agent can run."""
    if os.name != "nt":
        from strap_cases.command import test
        from strap_cases.sanity.command import sanity

        cli.add_command(test)
        cli.add_command(sanity)
