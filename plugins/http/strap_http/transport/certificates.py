"""Certificate authorities that servers are checked against."""

import ssl
import sys
from pathlib import Path

import httpx2


def ssl_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return a context with the authorities of the system, else Mozilla's, and of `ca_file`."""
    context = httpx2.create_ssl_context(trust_env=False)
    if trusts_nobody(context):
        import certifi

        context.load_verify_locations(certifi.where())
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return context


def trusts_nobody(context: ssl.SSLContext) -> bool:
    """Whether `context`, made of what the system has, knows no authority."""
    if sys.platform in ("darwin", "win32"):  # there the system itself verifies
        return False
    folder = Path(ssl.get_default_verify_paths().openssl_capath)
    return not context.cert_store_stats()["x509_ca"] and not any(folder.glob("????????.[0-9]"))
