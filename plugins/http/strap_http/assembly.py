"""The shared state, made by the settings."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from strap import Converter, Secrets, Workers
from strap.documents.converting import Readers
from strap_http.document.document_cache import Documents
from strap_http.message.cookies import CookieJars
from strap_http.message.secrets import NamedSecrets
from strap_http.pipeline.cache_store import CacheStore
from strap_http.pipeline.client import HttpClient
from strap_http.pipeline.robots import Robots
from strap_http.settings import HttpSettings
from strap_http.sites.pace import Paces
from strap_http.state import HttpState
from strap_http.transport.connections import Transport

LIBRARIES = ("html_to_markdown", "strap_http.extraction.mainpart", "trafilatura")
"""Modules that reading a page takes, imported before the first page."""


def open_state(
    settings: HttpSettings, home: Path, secrets: Secrets, converters: Iterable[Converter]
) -> HttpState:
    """Return a state below `home`; the caller closes its transport and its workers."""
    cache = CacheStore(home / "cache" / "http", settings.cache_bytes)
    client = HttpClient(
        settings=settings,
        transport=Transport(settings),
        secrets=NamedSecrets(secrets),
        cache=cache if settings.cache_bytes else None,
        robots=Robots(settings.user_agent) if settings.robots else None,
    )
    return HttpState(
        client=client,
        crawler=replace(
            client,
            settings=settings.model_copy(update={"retries": 0}),
            robots=client.robots or Robots(settings.user_agent),
        ),
        paces=Paces(settings.crawl_interval),
        documents=Documents(),
        readers=Readers(Workers(libraries=LIBRARIES), converters),
        jars=CookieJars() if settings.cookies else None,
    )
