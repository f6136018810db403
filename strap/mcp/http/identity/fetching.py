"""JSON of issuers: by the guard, at the addresses that it checked, bounded in size and time."""

import asyncio
import json
import ssl
from typing import Any
from urllib.parse import urlsplit

import httpx2

from strap.errors import StrapError
from strap.network import Guard, VettedURL
from strap.network.authorities import tls_context

SECONDS = 10.0
MOST_BYTES = 262_144
"""Bytes of an answer: some hundred keys with their certificates."""


class IssuerError(Exception):
    """An issuer cannot be asked, or says nothing of use; the message says why."""


class Fetcher:
    """Asks issuers, over connections that are not kept: it is done some times an hour."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._context: ssl.SSLContext | None = None

    async def json(self, url: str) -> dict[str, Any]:
        """Return the JSON object at `url`; raises `IssuerError`."""
        try:
            async with asyncio.timeout(SECONDS):
                vetted = await self._guard.check(url)
                document = json.loads(await self._body(vetted))
        except TimeoutError:
            raise IssuerError(f"{url} did not answer within {SECONDS:.0f} s") from None
        except StrapError as error:
            raise IssuerError(str(error)) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise IssuerError(f"{url} failed: {type(error).__name__}") from None
        except (ValueError, RecursionError):
            raise IssuerError(f"{url} gave no JSON") from None
        if not isinstance(document, dict):
            raise IssuerError(f"{url} gave no JSON object")
        return document

    async def _body(self, vetted: VettedURL) -> bytes:
        """Read an answer from the first of the addresses that can be connected to."""
        if self._context is None:
            self._context = await asyncio.to_thread(tls_context)
        options: dict[str, Any] = {"verify": self._context, "trust_env": False, "timeout": SECONDS}
        async with httpx2.AsyncClient(**options) as client:
            for address in vetted.addresses[:-1]:
                try:
                    return await self._read(client, vetted, address)
                except httpx2.ConnectError:
                    continue
            return await self._read(client, vetted, vetted.addresses[-1])

    async def _read(self, client: httpx2.AsyncClient, vetted: VettedURL, address: str) -> bytes:
        parts = urlsplit(vetted.url)
        bare = f"[{address}]" if ":" in address else address
        headers = {
            "host": parts.netloc,
            "accept": "application/json",
            "accept-encoding": "identity",
        }
        request = client.build_request(
            "GET",
            parts._replace(netloc=f"{bare}:{vetted.port}").geturl(),
            headers=headers,
            extensions={"sni_hostname": vetted.host},
        )
        response = await client.send(request, stream=True)
        try:
            if response.status_code != 200:
                raise IssuerError(f"{vetted.url} answered {response.status_code}")
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) > MOST_BYTES:
                    raise IssuerError(f"{vetted.url} gave more than {MOST_BYTES:,} bytes")
            return body
        finally:
            await response.aclose()
