"""JSON over HTTP to one service, at an address that the network guard lets through."""

import asyncio
import ssl
from collections.abc import Mapping
from functools import partial
from typing import Any

import httpx2

from strap import ActionError, Space, UsageError, VettedURL, record
from strap_search import failures
from strap_search.client.limits import MAX_BODY, retry_after
from strap_search.common.json_answers import read_json
from strap_search.engine import EngineContext
from strap_search.settings import SearchSettings

MAX_ADDRESSES = 4
_FIX_URL = "corrects the URL of its API in the settings"


@record
class Reply:
    """Answer of the service; names of `headers` ignore case, `body` is decompressed."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    space: Space = Space.PUBLIC

    @property
    def json(self) -> dict[str, Any]:
        """The object in the body, an empty one if there is none."""
        try:
            data = read_json(self.body)
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}


class Api:
    """Requests to the service of one engine; `key` is the setting that holds its key.

    Connections are kept for later queries. No request is logged: its URL may hold a key.
    """

    def __init__(self, engine: str, engines: EngineContext, *, key: str = "") -> None:
        self.engine = engine
        self.key = key
        self._engines = engines
        self._seconds = engines.settings.request_timeout

    async def ask(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Send a request and return its answer; raises `ActionError`, `PolicyDenied`."""
        fields = {"Accept": "application/json", "Accept-Encoding": "gzip", **(headers or {})}
        try:
            async with asyncio.timeout(self._seconds):
                target = await self._target(url)
                request = httpx2.Request(
                    method, target.url, params=params, headers=fields, json=json
                )
                return await self._send(request, target)
        except (TimeoutError, httpx2.TimeoutException):
            raise failures.timed_out(self.engine, self._seconds) from None
        except httpx2.HTTPError as error:
            raise self._translated(error) from None

    def failure(self, reply: Reply) -> ActionError:
        """Return the error for an answer other than 200, by what its status means anywhere."""
        status = reply.status
        if status == 429:
            return failures.rate_limited(self.engine, status, retry_after(reply.headers))
        if status in (401, 403) and self.key:
            return failures.bad_key(self.engine, status, self.key)
        if status == 402 and self.key:
            return failures.used_up(self.engine, status, self.key)
        if status in (400, 413, 414, 422):
            return failures.rejected(self.engine, status)
        if 300 <= status < 400:
            return failures.misconfigured(self.engine, "redirects to another address", _FIX_URL)
        return failures.upstream(self.engine, f"HTTP {status}")

    async def _target(self, url: str) -> VettedURL:
        """Have the guard check the address; a proxy looks the name up itself."""
        guard = self._engines.guard
        try:
            if self._engines.settings.proxy_url:
                return guard.check_url(url)
            return await guard.check(url)
        except UsageError:
            raise failures.misconfigured(self.engine, "has no valid address", _FIX_URL) from None
        except ActionError:
            raise failures.unreachable(self.engine, "its name does not resolve") from None

    async def _send(self, request: httpx2.Request, target: VettedURL) -> Reply:
        """Send to the first address that takes it: the name is not looked up again."""
        settings = self._engines.settings
        name = f"{self.engine} {target.scheme}"
        make = partial(_transport, settings, is_secure=target.scheme == "https")
        transport = await self._engines.kept(name, make)
        read = partial(self._read, transport, target.space or Space.PUBLIC)
        *others, last = target.addresses[:MAX_ADDRESSES] or (target.host,)
        seconds = self._seconds / (len(others) + 1)
        for address in others:
            try:
                return await read(_pinned(request, target, address, seconds))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await read(_pinned(request, target, last, seconds))

    async def _read(
        self, transport: httpx2.AsyncHTTPTransport, space: Space, request: httpx2.Request
    ) -> Reply:
        response = await transport.handle_async_request(request)
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BODY:
                    raise failures.unreadable(self.engine, f"more than {MAX_BODY // 1_000_000} MB")
        finally:
            await response.aclose()
        status, headers = response.status_code, response.headers
        return Reply(status=status, headers=headers, body=bytes(body), space=space)

    def _translated(self, error: httpx2.HTTPError) -> ActionError:
        if isinstance(error, httpx2.DecodingError):
            return failures.unreadable(self.engine, "a body that cannot be decompressed")
        if isinstance(error, httpx2.ProxyError):
            return failures.unreachable(self.engine, "the proxy refuses")
        if isinstance(error, httpx2.ConnectError):
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
                cause = cause.__cause__ or cause.__context__
            if cause is not None:
                return failures.untrusted(self.engine, cause.verify_message)
            return failures.unreachable(self.engine, "no connection")
        return failures.unreachable(self.engine, "the connection broke")


def _transport(settings: SearchSettings, *, is_secure: bool) -> httpx2.AsyncHTTPTransport:
    if is_secure and settings.ca_file is None:
        context = httpx2.create_ssl_context(trust_env=False)
    else:  # reading the system's authorities takes some 30 ms
        # Not `create_default_context`, which since Python 3.13 is strict (`VERIFY_X509_STRICT`):
        # authorities of firewalls often lack what RFC 5280 asks, and browsers and curl take them.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if settings.ca_file is not None:
            context.load_verify_locations(settings.ca_file)
    return httpx2.AsyncHTTPTransport(verify=context, proxy=settings.proxy_url, trust_env=False)


def _pinned(
    request: httpx2.Request, target: VettedURL, address: str, seconds: float
) -> httpx2.Request:
    """Return `request` for one address; Host, SNI and certificate stay those of the name."""
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        content=request.content,
        extensions={"sni_hostname": target.host, "timeout": {"connect": seconds}},
    )
