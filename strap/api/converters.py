"""Declaring how `http.fetch` shows files of further kinds: `Converter`."""

from strap.api.extras import Extra
from strap.records import record

MAX_SECONDS = 60.0
"""More than a caller waits for."""


@record
class Converter:
    """Shows files of some media types as Markdown; `what` names such a file, as in "PDF file".

    `function` is the `package.module:name` of a `def name(content: bytes, media_type: str) -> str`
    that returns Markdown, and raises `ValueError` for a file that it cannot read, with the rest of
    a sentence, as in "needs a password". It is imported and run in a process apart, which has 240
    MB of memory and ends after `seconds` of computing over one file. `suffixes`, as in ".xyz", are
    of names of files that servers send without saying what they are. `extra` is what it needs.
    With `addressed` the function takes the address of the file as its third argument, "" where it
    has none: those in it may be relative to that.
    """

    what: str
    media_types: tuple[str, ...]
    function: str
    suffixes: tuple[str, ...] = ()
    seconds: float = 3.0
    extra: Extra | None = None
    addressed: bool = False
