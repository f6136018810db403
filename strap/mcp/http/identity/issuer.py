"""The keys of one issuer: where it says they are, kept for a while, fetched anew after a change."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from strap.mcp.http.identity.fetching import Fetcher, IssuerError

KEPT = 600.0
"""Seconds after which keys are fetched again: as long may one live that the issuer took back."""
PAUSE = 10.0
"""Seconds between two fetches, whatever names of keys strangers invent."""
STALE = 3600.0
"""Seconds for which keys are good while the issuer cannot be asked."""
MOST_WAITING = 64
"""Requests that wait for keys at a time; their senders are not known yet."""
DOCUMENTS = ("oauth-authorization-server", "openid-configuration")
"""RFC 8414, 3; OpenID Connect Discovery 1.0, 4."""

log = logging.getLogger(__name__)
Jwk = Mapping[str, Any]


class Issuer:
    """Issuer of tokens, by its identifier: fetches and keeps its keys."""

    def __init__(
        self, name: str, fetcher: Fetcher, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._fetcher = fetcher
        self._clock = clock
        self._keys: tuple[Jwk, ...] = ()
        self._fetched = self._tried = float("-inf")
        self._fetching = asyncio.Lock()
        self._waiting = 0

    async def key(self, name: str | None) -> Jwk | None:
        """Return the public key of this name (`kid`), or the only one where a token names none.

        None is returned for a name that the issuer does not know. Raises `IssuerError`.
        """
        if self._clock() - self._fetched < KEPT and (key := self._find(name)) is not None:
            return key
        if self._waiting >= MOST_WAITING:
            raise IssuerError(f"{MOST_WAITING} requests wait for the keys of {self._name}")
        self._waiting += 1
        try:
            async with self._fetching:
                await self._renew(name)
        finally:
            self._waiting -= 1
        return self._find(name)

    async def _renew(self, name: str | None) -> None:
        now = self._clock()
        old = now - self._fetched >= KEPT or self._find(name) is None
        if old and now - self._tried >= PAUSE:
            self._tried = now
            try:
                self._keys = await self._fetch()
                self._fetched = now
            except IssuerError as error:
                log.warning("The keys of %s cannot be had: %s", self._name, error)
        if now - self._fetched >= STALE:
            raise IssuerError(f"the keys of {self._name} cannot be had")

    def _find(self, name: str | None) -> Jwk | None:
        if name is None:
            return self._keys[0] if len(self._keys) == 1 else None
        return next((key for key in self._keys if key.get("kid") == name), None)

    async def _fetch(self) -> tuple[Jwk, ...]:
        url = await self._where()
        own = urlsplit(self._name)
        if not url.startswith("https://") and urlsplit(url)[:2] != own[:2]:
            raise IssuerError(f"its keys are at {url}, which is not https")
        keys = (await self._fetcher.json(url)).get("keys")
        if not isinstance(keys, list):
            raise IssuerError(f"{url} has no list of keys")
        return tuple(key for key in keys if isinstance(key, dict) and _verifies(key))

    async def _where(self) -> str:
        """Return the `jwks_uri` of the issuer's metadata, which has to be of this issuer."""
        failed: list[str] = []
        for url in _documents(self._name):
            try:
                document = await self._fetcher.json(url)
            except IssuerError as error:
                failed.append(str(error))
                continue
            if document.get("issuer") != self._name:
                failed.append(f"{url} is of another issuer")
            elif isinstance(jwks_uri := document.get("jwks_uri"), str):
                return jwks_uri
            else:
                failed.append(f"{url} names no jwks_uri")
        raise IssuerError("; ".join(failed))


def _documents(name: str) -> tuple[str, ...]:
    parts = urlsplit(name)
    origin, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    inserted = [f"{origin}/.well-known/{document}{path}" for document in DOCUMENTS]
    appended = f"{origin}{path}/.well-known/{DOCUMENTS[1]}"
    return tuple(dict.fromkeys((*inserted, appended)))


def _verifies(key: Jwk) -> bool:
    """Whether it is a public key that is for signatures; one that is shared is nobody's proof."""
    return key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig"
