"""What the actions of `http` share while the resource is open."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from strap_http.document.convert import Readers
from strap_http.document.document_cache import Documents
from strap_http.pipeline.client import HttpClient

if TYPE_CHECKING:
    from strap_http.message.cookies import CookieJars


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpState:
    """What sends requests, the documents that are paged through, and who reads them.

    `jars` are the cookies of callers, None where they are turned off.
    """

    client: HttpClient
    documents: Documents
    readers: Readers
    jars: "CookieJars | None" = None
