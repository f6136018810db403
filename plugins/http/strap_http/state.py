"""State that the actions of `http` share while the resource is open."""

from dataclasses import field
from typing import TYPE_CHECKING

from strap import Kept, Rows, record
from strap.documents.converting import Readers
from strap_http.document.document_cache import Documents
from strap_http.pipeline.client import HttpClient
from strap_http.sites.pace import Paces

if TYPE_CHECKING:
    from strap_http.message.cookies import CookieJars
    from strap_http.sites.frontier import Crawl
    from strap_http.sites.mapping import SiteMap


@record
class HttpState:
    """HTTP client, documents that are paged through, and their readers.

    `crawler` sends the requests of crawls, in the turns of `paces`; `maps` and `crawls` are what
    they found, `rows` what was extracted. `jars` are the cookies of callers, None where they are
    turned off.
    """

    client: HttpClient
    crawler: HttpClient
    paces: Paces
    documents: Documents
    readers: Readers
    maps: "Kept[SiteMap]" = field(default_factory=Kept)
    crawls: "Kept[Crawl]" = field(default_factory=Kept)
    rows: "Kept[Rows]" = field(default_factory=Kept)
    jars: "CookieJars | None" = None
