"""Client that sends the requests of all callers."""

from typing import TYPE_CHECKING

from strap import record
from strap_http.settings import HttpSettings

if TYPE_CHECKING:
    from strap_http.message.secrets import NamedSecrets
    from strap_http.pipeline.cache_store import CacheStore
    from strap_http.pipeline.robots import Robots
    from strap_http.transport.connections import Transport


@record
class HttpClient:
    """Connections, secrets and what was kept; `cache` and `robots` are None where turned off."""

    settings: HttpSettings
    transport: "Transport"
    secrets: "NamedSecrets"
    cache: "CacheStore | None" = None
    robots: "Robots | None" = None
