"""Text of the last `strap --help`, for the next time: plugins need not be asked again.

Stdlib only, and little of it: with a text at hand neither click nor a plugin is loaded.
"""

import os
from contextlib import suppress

from strap.prepared_answers import load, store

HELP = (["--help"], ["-h"])
"""The arguments that ask for it."""
WIDEST, NARROWEST = 78, 50
"""Characters of a line of click's help."""


def columns() -> int:
    """How many characters of a line the help may take, as click computes it."""
    try:
        width = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        try:
            width = os.get_terminal_size(1).columns
        except OSError:
            width = 80
    return max(min(width - 2, WIDEST), NARROWEST)


def prepared_help() -> str:
    """Return the text that fits this terminal, "" if there is none."""
    prepared = load()
    fits = isinstance(prepared, dict) and prepared.get("columns") == columns()
    return str(prepared["help"]) if fits else ""


def keep(text: str) -> None:
    """Keep the text, where the cache can be written."""
    with suppress(OSError):
        store({"columns": columns(), "help": text})
