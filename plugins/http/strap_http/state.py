"""What the actions of `http` share while the resource is open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strap_http.document.document_cache import Documents
from strap_http.settings import HttpSettings

if TYPE_CHECKING:
    from strap_http.extraction.workers import Workers
    from strap_http.message.cookies import CookieJars
    from strap_http.message.secrets import NamedSecrets
    from strap_http.pipeline.cache_store import CacheStore
    from strap_http.pipeline.robots import Robots
    from strap_http.transport.connections import Transport


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpState:
    """Settings, connections, secrets, the documents that are paged through, and who reads them.

    `cache`, `robots` and `jars` (the cookies of callers) are None where they are turned off.
    """

    settings: HttpSettings
    transport: "Transport"
    documents: Documents
    workers: "Workers"
    secrets: "NamedSecrets"
    cache: "CacheStore | None" = None
    robots: "Robots | None" = None
    jars: "CookieJars | None" = None
