"""Secrets that calls give by name: filled in for their origins alone, masked on the way out."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import httpx2

from strap import ActionError, PolicyDenied, StrapError, Target, UsageError
from strap_http.requests import Request
from strap_http.responses import Response
from strap_http.settings import NamedSecret

_NAMED = re.compile(r"\{\{\s*([A-Za-z0-9_-]+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class NamedSecrets:
    """The secrets of the configuration by name; `{{name}}` in a header value stands for one."""

    known: Mapping[str, NamedSecret]

    def check(self, request: Request) -> None:
        """Raise `UsageError` for a name that there is no secret of."""
        for name in _names(request):
            if name not in self.known:
                listed = ", ".join(sorted(self.known)) or "none are set"
                raise UsageError(
                    f"There is no secret {name!r}.",
                    hint=f"Known: {listed}; the operator sets them in [plugins.http.secrets.NAME].",
                )

    def filled(self, request: Request, target: Target) -> Request:
        """Return `request` with its secrets; raises `PolicyDenied` where they do not belong."""
        for name in _names(request):
            origins = self.known[name].origins
            if _origin(target) not in origins:
                raise PolicyDenied(
                    f"The secret {name!r} is not for {_origin(target)!r}.",
                    hint=f"It is for {', '.join(origins)}.",
                    code="secret",
                )
        fields = tuple((name, _NAMED.sub(self._value, value)) for name, value in request.fields)
        return replace(request, fields=fields)

    def masked(self, response: Response) -> Response:
        """Return `response` with the names of secrets that it repeats in their place."""
        if not self.known:
            return response
        headers = [(name, self._without(value)) for name, value in response.headers.raw]
        return replace(
            response,
            body=self._without(response.body),
            url=self.hidden(response.url),
            headers=httpx2.Headers(headers),
        )

    def _without(self, data: bytes) -> bytes:
        for name, secret in self._longest_first():
            data = data.replace(secret.encode(), f"{{{{{name}}}}}".encode())
        return data

    def told(self, error: StrapError) -> StrapError:
        """Return `error` without secrets, as the address of a redirect may repeat them."""
        message, hint = self.hidden(error.message), self.hidden(error.hint)
        if (message, hint) == (error.message, error.hint):
            return error
        kind = type(error) if isinstance(error, (UsageError, PolicyDenied)) else ActionError
        return kind(message, hint=hint, code=error.code, retryable=error.retryable)

    def hidden(self, text: str) -> str:
        """Return `text` with names in place of secrets."""
        for name, secret in self._longest_first():
            text = text.replace(secret, f"{{{{{name}}}}}")
        return text

    def _longest_first(self) -> Iterable[tuple[str, str]]:
        values = ((name, one.value.get_secret_value()) for name, one in self.known.items())
        return sorted(values, key=lambda pair: -len(pair[1]))

    def _value(self, match: re.Match[str]) -> str:
        return self.known[match[1]].value.get_secret_value()


def _names(request: Request) -> Iterable[str]:
    for _, value in request.fields:
        yield from _NAMED.findall(value)


def _origin(target: Target) -> str:
    """The origin as settings write it: scheme and host, the port where it is not the usual one."""
    return "/".join(target.url.split("/")[:3])
