"""What the actions of `http` share while the resource is open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strap_http.documents import Documents
from strap_http.settings import HttpSettings

if TYPE_CHECKING:
    from strap_http.cachestore import CacheStore
    from strap_http.extraction.workers import Workers
    from strap_http.jars import Jars
    from strap_http.named_secrets import NamedSecrets
    from strap_http.robots import Robots
    from strap_http.transport import Transport


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
    jars: "Jars | None" = None
