"""The hooks of the plugin for test cases."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from strap import Config, Diagnosis, hookimpl

if os.environ.get("SANITY_DATA"):  # in a server that `strap sanity` started
    from strap_cases.sanity.answer_data import strap_wrap_call  # noqa: F401 - a hook

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


@hookimpl
def strap_diagnose(config: Config) -> Iterable[Diagnosis]:
    """Tell whether the libraries of `strap test` are there."""
    from strap_cases.command import TEST

    return [Diagnosis.of_extra(TEST)]
