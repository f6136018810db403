"""The resource `http` and its action `fetch`."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from strap import Context, Environment, Outputs, Params, Resource, Result, StringMap, action
from strap_http.settings import HttpSettings
from strap_http.state import HttpState

TIMEOUT = 30.0


def _as_json(value: Any) -> Any:
    """Take an object or array for a body: that is how some models write JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


@asynccontextmanager
async def _open(environment: Environment) -> AsyncIterator[HttpState]:
    from strap_http.assembly import open_state

    Outputs(environment.config.outputs).sweep()
    state = open_state(environment.settings, environment.config.home, environment.config.secrets)
    try:
        yield state
    finally:
        await state.workers.aclose()
        await state.transport.aclose()


async def _end_session(state: HttpState, caller_key: str) -> None:
    state.documents.forget(caller_key)
    if state.jars is not None:
        state.jars.forget(caller_key)


http = Resource(
    name="http",
    summary="HTTP requests: pages as Markdown, JSON, text, downloads",
    settings=HttpSettings,
    open=_open,
    end_session=_end_session,
)


class Fetch(Params):
    """The parameters of `http.fetch`."""

    url: str
    """Absolute http or https URL."""
    method: str = "GET"
    """GET, POST, PUT, DELETE, PATCH, HEAD or OPTIONS."""
    headers: StringMap = Field(default_factory=dict, max_length=64)
    """Header fields to send; `{{name}}` stands for a secret of the configuration."""
    body: Annotated[str | None, BeforeValidator(_as_json)] = None
    """Content to send; a JSON object or array is sent as application/json."""
    output: str | None = Field(default=None, min_length=1, max_length=1_024)
    """File in the output folder that takes the body as it came."""
    start: int = Field(default=0, ge=0)
    """Character of the document to begin at, as the previous answer named it."""
    text: str | None = Field(default=None, min_length=1, max_length=1_024)
    """Words to find in the document: the passages that have them are shown."""
    value: Literal["page", "raw"] | None = None
    """The whole page in place of its main part, or its source."""


@action(http, effect="write", timeout=TIMEOUT)
async def fetch(params: Fetch, ctx: Context[HttpState]) -> Result:
    """Request a URL: the main part of a page as Markdown, JSON and text as they are.

    The first line of the answer is the status, type, final URL and size. Redirects are followed.
    With value=page a page comes with all around its main part, with value=raw as its source.
    A status of 400 or more is an answer like any other. A long document comes in parts: the end
    of each names the `start` of the next. With `text` it answers with the passages that have those
    words, each with the `start` to read on from. With `output` the body is saved unchanged.
    """
    from strap_http.fetch import run

    return await run(params, ctx, seconds=params.timeout or TIMEOUT)
