"""Source of a document: the page, or the Markdown version that its site offers."""

import asyncio
from typing import Protocol

from strap import StrapError
from strap_http.document.alternates import MARKDOWN, Alternates, alternates, is_markdown
from strap_http.message.request import Request
from strap_http.message.response import Response

SECONDS = 5.0
"""How long an alternate is waited for: the page itself is there."""
_LEAST = 0.5
"""Seconds that must be left to ask for it at all."""


class Send(Protocol):
    """Sends a request of this call; raises `StrapError`."""

    async def __call__(self, request: Request, *, seconds: float) -> Response:
        """Return what came back within `seconds`."""


async def read(request: Request, *, send: Send, seconds: float) -> Response:
    """Return the answer to `request`, or the Markdown that it names; a note says which it is."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    response = await send(request.preferring_markdown(), seconds=seconds)
    if response.media_type in MARKDOWN and "accept" in response.headers.get("vary", "").lower():
        return response.noted("The site's own Markdown; value=page asks for its HTML.")
    named = alternates(response) if request.method == "GET" else Alternates()
    if named.index:
        response = response.noted(f"The site has an index in Markdown: {named.index}")
    left = min(deadline - clock(), SECONDS)
    if not named.markdown or left < _LEAST:
        return response
    try:
        answer = await send(request.preferring_markdown().at(named.markdown), seconds=left)
    except StrapError:
        return response
    note = f"The Markdown that {response.url} names; value=page shows that page."
    return answer.noted(note) if is_markdown(answer) else response
