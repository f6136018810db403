"""Lines of `strap doctor` about `http`: trusted authorities, proxy, cache, extras."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from strap import Diagnosis
from strap_http.converters import DOCUMENTS, PDF
from strap_http.extraction import EXTRACT
from strap_http.message.sizes import size
from strap_http.settings import HttpSettings
from strap_http.transport.certificates import trusts_nobody


def diagnose(settings: HttpSettings, home: Path) -> Iterator[Diagnosis]:
    """Yield a line on connections and one on each extra; nothing is opened and nothing is asked."""
    bare = trusts_nobody(httpx2.create_ssl_context(trust_env=False))
    trusted = "Mozilla's authorities (the system has none)" if bare else "the system's authorities"
    if settings.ca_file is not None:
        trusted += f" and {settings.ca_file}"
    parts = [f"trusts {trusted}"]
    if settings.proxy is not None:
        proxy = urlsplit(settings.proxy.get_secret_value())
        port = f":{proxy.port}" if proxy.port else ""
        parts.append(f"through {proxy.scheme}://{proxy.hostname}{port}, which resolves names")
    folder = home / "cache" / "http"
    cache = f"cache of {size(settings.cache_bytes)} in {folder}"
    parts.append(cache if settings.cache_bytes else "no cache")
    yield Diagnosis(subject="http", ok=True, detail="; ".join(parts))
    for extra in (EXTRACT, PDF, DOCUMENTS):
        yield Diagnosis.of_extra(extra)
