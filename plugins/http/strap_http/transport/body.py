"""Reading a body within a budget of bytes, counted after decompression."""

from contextlib import aclosing

import httpx2

from strap import ActionError
from strap_http.message.response import media_type
from strap_http.message.sizes import size
from strap_http.transport.connections import RawResponse
from strap_http.transport.content_codings import Decoder

EVENT_STREAM = "text/event-stream"
MAX_CODINGS = 2
"""Stacked content codings: more serve nothing but to multiply the work."""


class Body:
    """Collects the body of one response; what arrived is there also after an interruption."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self.received = 0
        self.complete = False

    @property
    def content(self) -> bytes:
        """Content that has arrived, decompressed."""
        return b"".join(self._chunks)

    async def read(self, raw: RawResponse, url: str) -> None:
        """Read to the end, or an event stream's budget; raises `ActionError`, `Undecodable`."""
        codings = raw.headers.get_list("content-encoding", split_commas=True)
        if len(codings) > MAX_CODINGS:
            raise _stacked(url, len(codings))
        if _announced(raw.headers) > self._limit:
            raise self._too_large(url, _announced(raw.headers))
        decoder, arrived = Decoder(codings), 0
        async with aclosing(raw.stream()) as chunks:
            async for chunk in chunks:
                arrived += len(chunk)
                for piece in decoder.decode(chunk):
                    self.received += len(piece)
                    if max(self.received, arrived) > self._limit:
                        if media_type(raw.headers) == EVENT_STREAM:
                            return
                        raise self._too_large(url)
                    self._chunks.append(piece)
        decoder.finish()
        self.complete = True

    def _too_large(self, url: str, announced: int = 0) -> ActionError:
        so_large = f"is {size(announced)}, more" if announced else "has more"
        return ActionError(
            f"The body of {url!r} {so_large} than the limit of {size(self._limit)}.",
            hint="Ask for a part with headers={'Range': 'bytes=0-999999'}; "
            "max_bytes in [plugins.http] raises the limit.",
            code="too_large",
        )


def _announced(headers: httpx2.Headers) -> int:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _stacked(url: str, codings: int) -> ActionError:
    return ActionError(
        f"The body of {url!r} is compressed {codings} times over.",
        hint="Try headers={'Accept-Encoding': 'identity'}.",
        code="protocol",
    )
