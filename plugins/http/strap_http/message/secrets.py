"""Secrets that calls give by name: filled in for their origins alone, masked on the way out."""

from dataclasses import dataclass, replace

import httpx2

from strap import Secrets, StrapError, VettedURL
from strap_http.message.request import Request
from strap_http.message.response import Response


@dataclass(frozen=True, slots=True)
class NamedSecrets:
    """The secrets of the configuration; `{{name}}` in a header value stands for one."""

    secrets: Secrets

    def check(self, request: Request) -> None:
        """Raise `UsageError` for a name that there is no secret of."""
        for _, value in request.fields:
            self.secrets.check(value)

    async def filled(self, request: Request, target: VettedURL) -> Request:
        """Return `request` with its secrets; raises `PolicyDenied` and `ActionError`."""
        fill = self.secrets.filled
        fields = [(name, await fill(value, target.url)) for name, value in request.fields]
        return replace(request, fields=tuple(fields))

    def masked(self, response: Response) -> Response:
        """Return `response` with the names of secrets that it repeats in their place."""
        if not self.secrets:
            return response
        hide = self.secrets.hide_bytes
        headers = [(name, hide(value)) for name, value in response.headers.raw]
        return replace(
            response,
            body=hide(response.body),
            url=self.secrets.hide(response.url),
            headers=httpx2.Headers(headers),
        )

    def masked_error(self, error: StrapError) -> StrapError:
        """Return `error` without secrets, as the address of a redirect may repeat them."""
        return self.secrets.told(error)
