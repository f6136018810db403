"""Google's results through the API of serper.dev, with a key."""

import asyncio
import json
import ssl
from functools import partial
from typing import Any

import httpx2

from strap import ActionError
from strap_search import failures
from strap_search.engines import MAX_BODY, Engines, Hit, Page, hit
from strap_search.settings import SearchSettings

NAME = "serper"


class Serper:
    """One query to `POST {serper_url}/search`."""

    name = NAME
    index = "google"
    remark = ""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._settings = engines.settings

    async def search(self, query: str, after: Page | None = None) -> Page:
        """See `Engine.search`."""
        number = int(after.following["page"]) if after and after.following else 1
        country, language = self._settings.region.split("-")
        payload = {"q": query, "page": number, "gl": country, "hl": language}
        status, body = await self._post(payload)
        if status != 200:
            raise _failure(status, body)
        hits = _hits(body)
        return Page(hits=hits, following={"page": str(number + 1)} if hits else None)

    async def _post(self, payload: dict[str, Any]) -> tuple[int, bytes]:
        settings = self._settings
        client = await self._engines.kept(NAME, partial(_client, settings))
        key = settings.serper_key.get_secret_value() if settings.serper_key else ""
        url = f"{settings.serper_url.rstrip('/')}/search"
        try:
            async with (
                asyncio.timeout(settings.request_timeout),
                client.stream("POST", url, json=payload, headers={"X-API-KEY": key}) as response,
            ):
                return response.status_code, await _body(response)
        except (TimeoutError, httpx2.TimeoutException):
            raise failures.timed_out(NAME, settings.request_timeout) from None
        except httpx2.ConnectError:
            raise failures.unreachable(NAME, "no connection") from None
        except httpx2.HTTPError:
            raise failures.unreachable(NAME, "the connection broke") from None


def _client(settings: SearchSettings) -> httpx2.AsyncClient:
    verify = ssl.create_default_context(cafile=settings.ca_file) if settings.ca_file else True
    return httpx2.AsyncClient(
        proxy=settings.proxy_url,
        verify=verify,
        timeout=settings.request_timeout,
        trust_env=False,
    )


async def _body(response: httpx2.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BODY:
            raise failures.unreadable(NAME, f"more than {MAX_BODY // 1_000_000} MB")
    return bytes(body)


def _failure(status: int, body: bytes) -> ActionError:
    if status == 429:
        return failures.rate_limited(NAME, status)
    if status == 402 or (status in (400, 403) and b"credits" in body):
        return failures.used_up(NAME, status)
    if status in (401, 403):
        return failures.bad_key(NAME, status)
    return failures.upstream(NAME, status)


def _hits(body: bytes) -> tuple[Hit, ...]:
    try:
        items = json.loads(body).get("organic", [])
        found = [hit(_text(i, "title"), _text(i, "link"), _text(i, "snippet")) for i in items]
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise failures.unreadable(NAME, "something that is not its JSON") from None
    return tuple(one for one in found if one is not None)


def _text(item: dict[str, Any], key: str) -> str:
    return str(item.get(key) or "")
