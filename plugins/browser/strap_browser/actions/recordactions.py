"""The actions on what pages leave (downloads, console, network, cookies), and batches."""

from pydantic import Field

from strap import Context, Result, StringList, action
from strap_browser.actions.params import BrowserParams, ProfileParams
from strap_browser.pages.registry import BrowserRegistry
from strap_browser.settings.managed import PROFILE_NAME


class Downloads(ProfileParams):
    """How many to list."""

    limit: int = Field(default=20, ge=1, le=100)
    """Number of downloads, the last ones."""


class Console(BrowserParams):
    """Which messages."""

    limit: int = Field(default=20, ge=1, le=200)
    """Number of messages, the last ones."""
    text: str | None = Field(default=None, max_length=1_000)
    """Only messages that contain this, such as `[error]`."""


class Network(BrowserParams):
    """Which requests."""

    limit: int = Field(default=20, ge=1, le=300)
    """Number of requests, the last ones."""
    text: str | None = Field(default=None, max_length=1_000)
    """Only requests whose line contains this: a part of the URL, a type, a status."""
    ref: str | None = Field(default=None, max_length=40)
    """One request, such as r12: its headers and bodies."""


class Cookies(BrowserParams):
    """Which cookies, and what to do with them."""

    value: str | None = Field(default=None, max_length=5_000)
    """`clear` to delete them, or one to set: `name=value; Path=/; Max-Age=3600`."""
    text: str | None = Field(default=None, max_length=1_000)
    """Part of a name or domain; left out: those of the page's site."""


class Pdf(BrowserParams):
    """Where to save it."""

    output: str = Field(max_length=1_000)
    """Name of the file in the output folder, ending in .pdf."""


class SetupState(ProfileParams):
    """Which state, and where to log in."""

    state_id: str = Field(pattern=PROFILE_NAME)
    """Name of the state."""
    url: str | None = Field(default=None, max_length=20_000)
    """Page to log in at; left out: the state is saved now."""


class Batch(BrowserParams):
    """What to do."""

    steps: StringList = Field(min_length=1, max_length=50)
    """Calls as on the command line, such as `click ref=e5` or `fill ref=e3 value='Ada L.'`."""


@action("browser", effect="read")
async def downloads(params: Downloads, ctx: Context[BrowserRegistry]) -> Result:
    """List what your pages downloaded: name, size and path, or how far it is.

    Downloads are saved by themselves, into `downloads` in the output folder. One that is larger
    than the setting `download_limit` is stopped.
    """
    from strap_browser.actions import records

    return await records.downloads(params.limit, ctx)


@action("browser", effect="read")
async def console(params: Console, ctx: Context[BrowserRegistry]) -> Result:
    """Show the last messages of the page's console, and errors of its scripts.

    Never waits for the page. The last 200 are kept.
    """
    from strap_browser.actions import records

    return await records.console(params.limit, params.text, ctx)


@action("browser", effect="read")
async def network(params: Network, ctx: Context[BrowserRegistry]) -> Result:
    """List the page's requests, or with `ref` show one with headers and bodies.

    A line is ref, method, status, type, URL and time. Never waits for the page. The last 300 are
    kept; credentials are masked.
    """
    from strap_browser.actions import records

    return await records.network(params.limit, params.text, params.ref, ctx)


@action("browser", effect="write")
async def cookies(params: Cookies, ctx: Context[BrowserRegistry]) -> Result:
    """List, set or delete cookies.

    Values are masked where they may be credentials: HttpOnly ones, and those of more than 16
    characters. A cookie is set for the host of the current page.
    """
    from strap_browser.actions import cookies as jar

    return await jar.cookies(params.value, params.text, ctx)


@action("browser", effect="read")
async def pdf(params: Pdf, ctx: Context[BrowserRegistry]) -> Result:
    """Save the page as a PDF."""
    from strap_browser.actions import pdf as printing

    return await printing.pdf(params.output, ctx)


@action("browser", effect="write", timeout=60)
async def setup_state(params: SetupState, ctx: Context[BrowserRegistry]) -> Result:
    """Save cookies and local storage under a name, or put them back and log in.

    Without `url` what the browser holds is saved now. With `url` a state saved earlier is put
    back, the page is opened for a log-in by hand or by actions, and what is there on `close` is
    saved. States are files of Playwright's format, for the user's eyes only, in `states` in the
    data directory.
    """
    from strap_browser.actions import login_state

    return await login_state.setup(params.state_id, params.url, ctx)


@action("browser", effect="write", timeout=300)
async def batch(params: Batch, ctx: Context[BrowserRegistry]) -> Result:
    """Run several calls one after the other, in one call.

    Every step is checked before the first one runs; the first that fails ends the batch, and the
    answer shows the page as it is then. Steps follow the same policy as single calls, and share
    the size of the answer. No `batch` or `eval` inside.
    """
    from strap_browser.actions import batch as batching

    return await batching.batch(params.steps, ctx)


ACTIONS = [downloads, console, network, cookies, pdf, setup_state, batch]
