"""The resource `http`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from strap import Environment, Outputs, Resource
from strap_http.settings import HttpSettings

if TYPE_CHECKING:
    from strap_http.state import HttpState


@asynccontextmanager
async def _open(environment: Environment) -> "AsyncIterator[HttpState]":
    from strap_http.assembly import open_state

    config = environment.config
    Outputs(config.outputs).sweep()
    state = open_state(environment.settings, config.home, config.secrets, environment.converters)
    try:
        yield state
    finally:
        await state.readers.workers.aclose()
        await state.client.transport.aclose()


async def _end_session(state: "HttpState", caller_key: str) -> None:
    for cache in (state.documents, state.maps, state.crawls, state.rows):
        cache.forget(caller_key)
    if state.jars is not None:
        state.jars.forget(caller_key)


http = Resource(
    name="http",
    summary="HTTP requests: pages as Markdown, JSON, text, downloads",
    settings=HttpSettings,
    open=_open,
    end_session=_end_session,
)
