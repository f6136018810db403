"""One request to one target: sent, and its answer read within the budget."""

from collections.abc import Awaitable, Callable

from strap import VettedURL
from strap_http.message.request import Request
from strap_http.message.response import Response
from strap_http.settings import HttpSettings
from strap_http.transport import errors
from strap_http.transport.body import EVENT_STREAM, Body
from strap_http.transport.connections import Transport
from strap_http.transport.content_codings import Undecodable

Send = Callable[[Request, VettedURL], Awaitable[Response]]
"""`async (request, target) -> response`; raises `ActionError`."""
Heard = Callable[[Response], Awaitable[None]]
"""`async (response)`: told of an answer when its head is there, before its body."""


class Delivery:
    """Sends the requests of one call; `arrived` tells how far the last answer came."""

    def __init__(
        self, transport: Transport, settings: HttpSettings, heard: Heard | None = None
    ) -> None:
        self._transport = transport
        self._heard = heard
        self._limit = settings.max_bytes
        self._answer: Response | None = None
        self._body = Body(self._limit)

    @property
    def answered(self) -> bool:
        """Whether the head of the answer to the last request has come."""
        return self._answer is not None

    @property
    def received(self) -> int:
        """Bytes of the last body that have come, decompressed."""
        return self._body.received

    @property
    def events(self) -> Response | None:
        """The last answer as far as it came, if it is a stream of events: those have no end."""
        if self._answer is None or self._answer.media_type != EVENT_STREAM:
            return None
        return self._with_body(self._answer)

    async def __call__(self, request: Request, target: VettedURL) -> Response:
        """Send one request; the bodies of redirects are not read."""
        self._answer, self._body = None, Body(self._limit)
        try:
            async with self._transport.send(request, target) as raw:
                answer = self._answer = Response(
                    status=raw.status, url=target.url, headers=raw.headers
                )
                if request.method == "HEAD" or answer.location:
                    return answer
                if self._heard is not None:
                    await self._heard(answer)
                await self._body.read(raw, target.url)
        except errors.ERRORS as error:
            if self._transport.proxied(target) and (of_proxy := errors.of_proxy(error, target)):
                raise of_proxy from None
            raise errors.explain(error, target, self._body.received, self.answered) from None
        except Undecodable as error:
            raise errors.not_decodable(target, error) from None
        return self._with_body(answer)

    def _with_body(self, answer: Response) -> Response:
        return Response(
            status=answer.status,
            url=answer.url,
            headers=answer.headers,
            body=self._body.content,
            complete=self._body.complete,
        )
