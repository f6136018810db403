"""Declaring what strap's own resources work with: `Converter`, `BrowserDriver`, `Executor`."""

from collections.abc import Awaitable, Callable
from typing import Any

from strap.api.extras import Extra
from strap.records import record

MAX_SECONDS = 60.0
"""More than a caller waits for."""

LOCAL = "local"
"""The engine that needs no plugin: everything in one process."""


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


@record
class BrowserDriver:
    """A way to have a browser, for profiles with `driver = NAME` in `[plugins.browser.profiles]`.

    `make` is the `package.module:name` of a function that takes a `strap_browser.api.DriverOrder`
    and returns a `strap_browser.api.Driver`; it is imported when a profile has this driver.
    The table `options` of a profile has its settings. The driver checks them.
    """

    name: str
    make: str


@record
class Executor:
    """Runs the items of batches: `strap batch run --engine NAME`.

    `open` is an `async (config, options) -> engine`, called once for each batch. `options` is the
    table `[batch]`; `strap.batch.engine.Engine` says what an engine has to have. `extra` is what
    the executor needs: where it is missing `open` is not called, and the error says how to install
    it.
    """

    name: str
    open: Callable[[Any, Any], Awaitable[Any]]
    extra: Extra | None = None
