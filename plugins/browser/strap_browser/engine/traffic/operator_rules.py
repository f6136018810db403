"""Rules of the settings for requests of all pages: blocked addresses, logins for HTTP."""

import re
from base64 import b64encode
from collections.abc import Sequence

from strap import Secrets
from strap_browser.common.address_filters import read_filter
from strap_browser.common.urls import is_web, origin_of
from strap_browser.engine.traffic.interception import Interceptor, Order, Pattern
from strap_browser.engine.traffic.paused_request import REFUSED, Decision, PausedRequest
from strap_browser.settings.pages import PageSettings


def blocking(patterns: Sequence[str]) -> Interceptor:
    """Return what refuses requests to addresses that a pattern fits."""
    filters = [read_filter(pattern) for pattern in patterns]
    expression = re.compile("|".join(f"(?:{rule.expression})" for rule in filters))

    async def decide(request: PausedRequest) -> Decision:
        return REFUSED if is_web(request.url) and expression.match(request.url) else None

    parts = dict.fromkeys(rule.part for rule in filters)
    held = tuple(Pattern(url=f"*{part}*") for part in parts)
    return Interceptor(decide=decide, patterns=held, order=Order.SETTINGS)


def logging_in(written: Sequence[str], secrets: Secrets) -> Interceptor:
    """Return what adds a user name and a password to requests: `user:{{name}}`.

    Each is for the origins of its secret, and for no request that names a page of another one as
    where it is from. Raises `UsageError` for a secret that is not there.
    """
    by_origin = dict[str, str]()
    for name in written:
        secrets.check(name)
        by_origin |= dict.fromkeys(secrets.origins(name), name)

    async def decide(request: PausedRequest) -> Decision:
        origin = origin_of(request.url)
        named = request.header("origin") or request.header("referer")
        is_own = request.resource_type == "Document" or origin_of(named) in ("", origin)
        if is_own and origin in by_origin and not request.header("authorization"):
            login = await secrets.filled(by_origin[origin], origin)
            request.adds["Authorization"] = f"Basic {b64encode(login.encode()).decode()}"
        return None

    patterns = tuple(Pattern(url=f"{origin}/*") for origin in by_origin)
    return Interceptor(decide=decide, patterns=patterns, order=Order.SETTINGS)


def interceptors_of(settings: PageSettings, secrets: Secrets) -> tuple[Interceptor, ...]:
    """Return what the settings decide; raises `UsageError` for a secret that is not there."""
    blocks = (blocking(settings.block),) if settings.block else ()
    logins = (logging_in(settings.basic_auth, secrets),) if settings.basic_auth else ()
    return (*blocks, *logins)
