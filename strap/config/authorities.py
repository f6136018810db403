"""A setting that names a file with certificate authorities."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, FilePath


def _holds_certificates(file: Path) -> Path:
    """Refuse at the start what would fail at the first connection."""
    import ssl  # where such a file is set only: it takes some milliseconds

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError:
        raise ValueError("must be a readable file with certificates in PEM") from None
    return file


CertificateFile = Annotated[FilePath, AfterValidator(_holds_certificates)]
"""A setting: the path of a file with one certificate or more, in PEM (RFC 7468)."""
