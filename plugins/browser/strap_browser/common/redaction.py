"""Secrets that pages send."""

from collections.abc import Iterator

from strap import Secrets
from strap.evidence.redaction import without_secrets
from strap_browser.common.urls import origin_of

__all__ = ["READ", "secrets_sent", "without_secrets"]
READ = 10_000
"""Characters in which secrets are looked for: some pages send hundreds of messages a second."""


def secrets_sent(
    secrets: Secrets, url: str, posted: bytes | None, *, is_navigation: bool
) -> Iterator[str]:
    """Yield sentences about secrets that a request takes to another server, or into the history."""
    if not secrets:
        return
    address, body = url[:READ], (posted or b"")[:READ].decode(errors="replace")
    for name in secrets.held_in(f"{address}\n{body}"):
        if not secrets.is_for(name, url):
            yield f"The page sent the secret {name!r} to {origin_of(url)!r}, which it is not for."
        elif is_navigation and name in secrets.held_in(address):
            yield f"The secret {name!r} is in the address, which the history keeps."
