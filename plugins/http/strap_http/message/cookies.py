"""Cookies of a caller, kept in memory while its session lasts; or of one call."""

from collections import OrderedDict
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from strap import VettedURL
from strap_http.message.response import Response

MAX_JARS = 256
MAX_COOKIES = 300
MAX_LENGTH = 4_096


class CallerCookies:
    """Keeps the cookies that responses set, and gives out those that belong to a target."""

    def __init__(self) -> None:
        policy = DefaultCookiePolicy(
            strict_domain=True,  # no cookies for all of `co.uk`
            # What names no domain is for its host alone (RFC 6265 5.3, 6).
            strict_ns_domain=DefaultCookiePolicy.DomainStrictNonDomain,
        )
        self._cookies = httpx2.Cookies(CookieJar(policy))

    def __len__(self) -> int:
        return len(self._cookies.jar)

    def field(self, target: VettedURL) -> str | None:
        """The value of the Cookie field for `target`, None if there is none."""
        if not self._cookies:
            return None
        request = httpx2.Request("GET", target.url)
        request.headers.encoding = "utf-8"  # cookies need not be ASCII
        self._cookies.set_cookie_header(request)
        return request.headers.get("cookie")

    def keep(self, target: VettedURL, response: Response) -> None:
        """Take what `response`, an answer of `target`, sets; the jar stays bounded."""
        if "set-cookie" not in response.headers:
            return
        request = httpx2.Request("GET", target.url)
        answer = httpx2.Response(response.status, headers=response.headers, request=request)
        self._cookies.extract_cookies(answer)
        jar = self._cookies.jar
        for number, cookie in enumerate(list(jar)):
            if number >= MAX_COOKIES or len(cookie.name) + len(cookie.value or "") > MAX_LENGTH:
                jar.clear(cookie.domain, cookie.path, cookie.name)


class CookieJars:
    """The jars of callers, those used last."""

    def __init__(self) -> None:
        self._jars: OrderedDict[str, CallerCookies] = OrderedDict()

    def get(self, caller: str) -> CallerCookies:
        """The jar of a caller, a new one if it has none."""
        if caller not in self._jars:
            self.put(caller, CallerCookies())
        self._jars.move_to_end(caller)
        return self._jars[caller]

    def put(self, caller: str, jar: CallerCookies) -> None:
        """Keep `jar` for a caller."""
        self._jars[caller] = jar
        self._jars.move_to_end(caller)
        while len(self._jars) > MAX_JARS:
            self._jars.popitem(last=False)

    def forget(self, caller: str) -> None:
        """Drop the jars of a caller, under all handles that it has used."""
        for key in [k for k in self._jars if k == caller or k.startswith(f"{caller}/")]:
            del self._jars[key]
