"""What the actions of `http` share while the resource is open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strap_http.documents import Documents
from strap_http.settings import HttpSettings

if TYPE_CHECKING:
    from strap_http.cachestore import CacheStore
    from strap_http.transport import Transport


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpState:
    """Settings, connections, the documents that are paged through, and the cache if it is on."""

    settings: HttpSettings
    transport: "Transport"
    documents: Documents
    cache: "CacheStore | None"
