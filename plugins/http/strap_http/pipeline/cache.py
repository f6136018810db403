"""Answers from the cache on disk, where the server allows it or confirms them."""

import asyncio
import hashlib
import json
import time

import httpx2

from strap import VettedURL, record
from strap_http.message.request import Request
from strap_http.message.response import Response
from strap_http.pipeline.cache_store import CacheStore
from strap_http.pipeline.freshness import Stored, may_look, storable
from strap_http.pipeline.send_once import Send

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
ASK_ANEW = "headers={'Cache-Control': 'no-cache'}"


@record
class Caching:
    """Sends like `send`, and keeps what may be kept for this principal and its credentials."""

    send: Send
    store: CacheStore
    principal: str

    async def __call__(self, request: Request, target: VettedURL) -> Response:
        """Answer from the store, or send `request` and keep the answer; errors are not kept."""
        if not may_look(request):
            response = await self.send(request, target)
            if request.method in UNSAFE and response.status < 400:
                await asyncio.to_thread(self.store.drop, self._place(target))
            return response
        key = f"{self._place(target)}-{_digest(*request.credentials)}"
        stored = await self._stored(key, request, target)
        if stored is None:
            return await self._fetched(key, request, target)
        now = time.time()
        if stored.fresh(request, now):
            age = f"{stored.age(now):.0f} s old"
            return stored.response.noted(f"From the cache, {age}; {ASK_ANEW} asks the server.")
        return await self._revalidated(key, stored, request, target)

    async def _revalidated(
        self, key: str, stored: Stored, request: Request, target: VettedURL
    ) -> Response:
        sent = time.time()
        answer = await self.send(stored.conditional(request), target)
        if answer.status != 304:
            await self._keep(key, storable(request, answer, sent, time.time()))
            return answer
        confirmed = stored.confirmed(answer, sent, time.time())
        if confirmed is None:
            return await self._fetched(key, request, target)
        await self._keep(key, confirmed)
        response = confirmed.response.noted("Not modified: from the cache.")
        return Response(
            status=response.status,
            url=response.url,
            headers=response.headers,
            body=response.body,
            notes=(*answer.notes, *response.notes),
        )

    async def _fetched(self, key: str, request: Request, target: VettedURL) -> Response:
        sent = time.time()
        response = await self.send(request, target)
        await self._keep(key, storable(request, response, sent, time.time()))
        return response

    async def _keep(self, key: str, stored: Stored | None) -> None:
        if stored is not None:
            await asyncio.to_thread(lambda: self.store.write(key, _packed(stored)))
        elif self.store.has(key):
            await asyncio.to_thread(self.store.drop, key)

    async def _stored(self, key: str, request: Request, target: VettedURL) -> Stored | None:
        if not self.store.has(key):
            return None
        entry = await asyncio.to_thread(self.store.read, key)
        stored = None if entry is None else _unpacked(entry, target.url)
        return stored if stored is not None and stored.answers(request) else None

    def _place(self, target: VettedURL) -> str:
        """The beginning of the keys of all that is kept of a URL for this principal."""
        return _digest(self.principal, target.url)


def _digest(*parts: str) -> str:
    text = json.dumps(parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _packed(stored: Stored) -> bytes:
    raw = stored.response.headers.raw
    head = {
        "status": stored.response.status,
        "headers": [[k.decode("latin-1"), v.decode("latin-1")] for k, v in raw],
        "asked": stored.sent,
        "came": stored.came,
        "variant": dict(stored.variant),
    }
    return json.dumps(head).encode() + b"\n" + stored.response.body


def _unpacked(entry: bytes, url: str) -> Stored | None:
    line, _, body = entry.partition(b"\n")
    try:
        head = json.loads(line)
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in head["headers"]]
        response = Response(
            status=int(head["status"]), url=url, headers=httpx2.Headers(raw), body=body
        )
        return Stored(
            response=response,
            sent=float(head["asked"]),
            came=float(head["came"]),
            variant=dict(head["variant"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
