"""The requests to a service that lends browsers."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from strap import ActionError, record
from strap.network.authorities import tls_context
from strap_browser.drivers.remote_address import PORTS, RemoteAddress, is_loopback
from strap_browser.settings.leasing import LeaseRequest, LeaseTable

CREATE_LIMIT = 60.0
"""Seconds for a browser: some services start a machine for it."""
ASK_LIMIT = 10.0
MOST_BYTES = 65_536
"""Bytes of an answer, of which one has some thousand."""
FULL = (429, 503)
"""Statuses of a service that has no browser left."""


@record
class Lease:
    """A browser that was lent; whoever knows the address has the browser."""

    id: str
    address: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Header fields to send when connecting."""


class Service:
    """Asks a service for browsers and gives them back, as a recipe says."""

    def __init__(
        self, at: RemoteAddress, recipe: LeaseTable, *, lease_s: int, allow_hosts: Iterable[str]
    ) -> None:
        self.at = at
        self.recipe = recipe
        lease_s = min(lease_s, recipe.most_s or lease_s)
        self._words = {"ms": lease_s * 1000, "seconds": lease_s}
        self._allowed = frozenset(allow_hosts)

    async def create(self, name: str) -> Lease:
        """Return a browser, called `name` where the service names none; raises `ActionError`."""
        if self.recipe.create is None:
            await self.at.obtain()
            url = urlsplit(self.at.url())
            query = "&".join(filter(None, (url.query, f"timeout={self._words['ms']}")))
            address = SplitResult(url.scheme, url.netloc, url.path, query, "").geturl()
            return Lease(id=name, address=address, headers=self.at.headers())
        answer = await self._ask(self.recipe.create, limit=CREATE_LIMIT)
        lease_id = _value_at(answer, self.recipe.id)
        try:
            return self._lease(lease_id, _value_at(answer, self.recipe.address))
        except (KeyError, ValueError):
            await self.release(lease_id)
            raise self._failed("gave no browser's address") from None
        except ActionError:
            await self.release(lease_id)
            raise

    async def keeps(self, lease_id: str) -> bool:
        """Keep a browser, and tell whether it is there as far as the service says."""
        request = self.recipe.keep_alive
        if request is None:
            return False
        try:
            answer = await self._ask(request, lease_id)
        except ActionError:
            return False
        return not request.state or _value_at(answer, request.state) == request.alive

    async def release(self, lease_id: str) -> bool:
        """Give a browser back, and tell whether it is; one that is not there is."""
        if self.recipe.release is None:
            return True
        try:
            await self._ask(self.recipe.release, lease_id)
        except ActionError as error:
            return error.code == "lease_gone"
        return True

    def _lease(self, lease_id: str, address: str) -> Lease:
        parts = urlsplit(address)
        port = parts.port or PORTS[parts.scheme]
        host = parts.hostname or ""
        if is_loopback(host) and not self.at.is_local:  # a hub that does not know its own name
            host = self.at.host
            bare = f"[{host}]" if ":" in host else host
            parts = parts._replace(netloc=f"{bare}:{port}")
        secure = parts.scheme == "wss" or (parts.scheme == "ws" and self.at.scheme == "http")
        known = host == self.at.host or host in self.recipe.hosts
        if not secure or not (known or f"{host}:{port}" in self._allowed):
            raise self._failed(
                f"lends a browser at {parts.scheme}://{host}:{port}, which is not its own",
                f"allow_hosts = ['{host}:{port}'] would let strap connect there, by wss:// or from"
                " a service at http:// alone.",
            )
        headers = self.at.headers() if host == self.at.host else {}
        parts = parts._replace(query=self._with_key(parts.query))
        return Lease(id=lease_id, address=parts.geturl(), headers=headers)

    def _with_key(self, query: str) -> str:
        """Return the query of an address with the service's key, where it goes there."""
        headers = {name.lower(): value for name, value in self.at.headers().items()}
        present = {name for name, _ in parse_qsl(query)}
        more = {
            name: headers[header.lower()]
            for name, header in self.recipe.query.items()
            if header.lower() in headers and name not in present
        }
        return "&".join(filter(None, (query, urlencode(more))))

    async def _ask(
        self, request: LeaseRequest, lease_id: str = "", *, limit: float = ASK_LIMIT
    ) -> Any:
        import httpx2

        await self.at.obtain()
        words = {**self._words, "id": quote(lease_id, safe="")}
        sent: dict[str, Any] = {}
        if request.body is not None:
            sent["json"] = _filled(request.body, {**self._words, "id": lease_id})
        try:
            async with (
                asyncio.timeout(limit),
                httpx2.AsyncClient(verify=tls_context(), trust_env=False, timeout=limit) as client,
                client.stream(
                    request.method,
                    self._url(str(_filled(request.path, words))),
                    headers=dict(self.at.headers()),
                    **sent,
                ) as answer,
            ):
                self._check(answer.status_code)
                return await _json(answer)
        except (httpx2.HTTPError, TimeoutError) as error:
            raise self._failed(f"did not answer ({type(error).__name__})", retryable=True) from None

    def _url(self, path: str) -> str:
        base = urlsplit(self.at.url())
        path, _, query = path.partition("?")
        query = "&".join(filter(None, (base.query, query)))
        where = base.path.rstrip("/") + path
        return SplitResult(base.scheme, base.netloc, where, query, "").geturl()

    def _check(self, status: int) -> None:
        if status in FULL:
            raise ActionError(
                f"The service at {self.at.shown} has no browser left ({status}).",
                hint="Repeat the call later.",
                code="full",
                retryable=True,
            )
        if status >= 400:
            code = "lease_gone" if status in (404, 410) else "lease"
            raise self._failed(f"answered {status}", code=code, retryable=status >= 500)

    def _failed(
        self, what: str, hint: str = "", *, code: str = "lease", retryable: bool = False
    ) -> ActionError:
        hint = hint or "The operator sets provider, cdp_url and headers of the profile."
        text = f"The service at {self.at.shown} {what}."
        return ActionError(text, hint=hint, code=code, retryable=retryable)


async def _json(answer: Any) -> Any:
    body = b""
    async for part in answer.aiter_bytes():
        body += part
        if len(body) > MOST_BYTES:
            return None
    try:
        return json.loads(body)
    except ValueError:
        return None


def _value_at(value: Any, pointer: str) -> str:
    for step in pointer.split("/")[1:]:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) and len(value) < 4096 else ""


def _filled(value: Any, words: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, words) for item in value]
    if not isinstance(value, str):
        return value
    for name, word in words.items():
        if value == f"{{{name}}}":
            return word
        value = value.replace(f"{{{name}}}", str(word))
    return value
