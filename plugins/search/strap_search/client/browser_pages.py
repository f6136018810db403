"""Fetching result pages as a browser would; imports primp, so only engines import this."""

from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

import primp

from strap import ActionError, StrapError
from strap_search import failures
from strap_search.client.limits import MAX_BODY, retry_after
from strap_search.engine import EngineContext

MAX_HOPS = 3


class Pages:
    """Fetches pages of one `domain` as one browser; asynchronous, unlike ddgs, to be cancelled."""

    def __init__(
        self,
        *,
        name: str,
        domain: str,
        engines: EngineContext,
        headers: Mapping[str, str],
    ) -> None:
        settings = engines.settings
        self._guard = engines.guard
        self._name = name
        self._domain = domain
        self._timeout = settings.request_timeout
        self._client = primp.AsyncClient(
            proxy=settings.proxy_url,
            ca_cert_file=str(settings.ca_file) if settings.ca_file else None,
            impersonate="random",
            impersonate_os="random",
            follow_redirects=False,
        )
        self._client.headers_update(headers)

    async def fetch(self, method: str, url: str, fields: Mapping[str, str] | None = None) -> str:
        """Return the text of the page; raises `ActionError` for everything but a plain 200."""
        for _ in range(MAX_HOPS):
            try:
                text, location = await self._request(method, url, fields)
            except primp.PrimpError as error:
                raise self._translated(error) from None
            if location is None:
                return text
            url, method, fields = self._hop(url, location), "GET", None
        raise failures.unreadable(self._name, "one redirect after another")

    async def _request(
        self, method: str, url: str, fields: Mapping[str, str] | None
    ) -> tuple[str, str | None]:
        """Return the text of the page and None, or an empty text and where a redirect leads."""
        response = await self._client.request(
            method,
            url,
            params=fields if method == "GET" else None,
            data=fields if method != "GET" else None,
            timeout=self._timeout,
            stream=True,
        )
        async with response:
            redirected = 300 <= response.status_code < 400
            if not redirected:
                self._check(response)
            text = "" if redirected else await self._text(response)
        return text, response.headers.get("location", "") if redirected else None

    async def _text(self, response: primp.AsyncResponse) -> str:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BODY:
                raise failures.unreadable(self._name, f"more than {MAX_BODY // 1_000_000} MB")
        return body.decode("utf-8", "replace")

    def _check(self, response: primp.AsyncResponse) -> None:
        status = response.status_code
        # 202 is how DuckDuckGo answers after about five queries in a few seconds.
        if status in (202, 429):
            raise failures.rate_limited(self._name, status, retry_after(response.headers))
        if status in (401, 403, 418):
            raise failures.blocked(self._name, f"HTTP {status}")
        if status != 200:
            raise failures.upstream(self._name, f"HTTP {status}")

    def _hop(self, url: str, location: str) -> str:
        try:
            target = self._guard.check_url(urljoin(url, location))
        except (StrapError, ValueError):
            raise failures.unreadable(self._name, "a redirect to nowhere") from None
        if "captcha" in urlsplit(target.url).path:
            raise failures.blocked(self._name, "sent to a captcha")
        if target.scheme != "https" or not f".{target.host}".endswith(f".{self._domain}"):
            raise failures.elsewhere(self._name, target.host)
        return target.url

    def _translated(self, error: primp.PrimpError) -> ActionError:
        if isinstance(error, primp.TimeoutError):
            return failures.timed_out(self._name, self._timeout)
        if isinstance(error, primp.DNSError):
            return failures.unreachable(self._name, "its name does not resolve")
        if "invalid peer certificate" in str(error):
            return failures.untrusted(self._name, str(error))
        if isinstance(error, primp.ConnectError):
            return failures.unreachable(self._name, "no connection")
        return failures.unreachable(self._name, "the connection broke")
