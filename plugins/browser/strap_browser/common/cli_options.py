"""Options that several groups of commands have."""

import click

home_option = click.option("--home", metavar="DIR", help="Data directory.")
"""`--home DIR`, as `strap` itself has it."""
