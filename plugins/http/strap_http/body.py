"""Reading a body within a budget of bytes, counted after decompression."""

from contextlib import aclosing

import httpx2

from strap import ActionError
from strap_http.sizes import size

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
        """What has arrived, decompressed."""
        return b"".join(self._chunks)

    async def read(self, response: httpx2.Response, url: str) -> None:
        """Read to the end; raises `ActionError` beyond the budget, except for event streams.

        Those have no end: what fits is kept, and `complete` stays False.
        """
        _refuse_stack(response, url)
        if _announced(response) > self._limit:
            raise self._too_large(url, _announced(response))
        async with aclosing(response.aiter_bytes()) as chunks:
            async for chunk in chunks:
                self.received += len(chunk)
                if max(self.received, response.num_bytes_downloaded) <= self._limit:
                    self._chunks.append(chunk)
                elif media_type(response.headers) == EVENT_STREAM:
                    return
                else:
                    raise self._too_large(url)
        self.complete = True

    def _too_large(self, url: str, announced: int = 0) -> ActionError:
        so_large = f"is {size(announced)}, more" if announced else "has more"
        return ActionError(
            f"The body of {url!r} {so_large} than the limit of {size(self._limit)}.",
            hint="Ask for a part with headers={'Range': 'bytes=0-999999'}; "
            "max_bytes in [plugins.http] raises the limit.",
            code="too_large",
        )


def media_type(headers: httpx2.Headers) -> str:
    """The Content-Type without parameters in lower case, empty if there is none."""
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower()


def _announced(response: httpx2.Response) -> int:
    text = response.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _refuse_stack(response: httpx2.Response, url: str) -> None:
    codings = response.headers.get_list("content-encoding", split_commas=True)
    if len(codings) > MAX_CODINGS:
        raise ActionError(
            f"The body of {url!r} is compressed {len(codings)} times over.", code="protocol"
        )
