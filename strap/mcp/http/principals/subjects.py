"""The principals of access tokens: made when they first call, forgotten when they are idle."""

import asyncio
import logging
import time
from collections.abc import Callable
from hashlib import sha256

import anyio

from strap.mcp.http.identity.access_tokens import Identity
from strap.mcp.http.identity.oauth_settings import OAuthSettings
from strap.mcp.http.principals.principal import Maker, Principal
from strap.mcp.http.serve_settings import Limits
from strap.routing.policy import Policy

log = logging.getLogger("strap.audit")


class Subjects:
    """A principal for each subject of an issuer and what its scopes grant.

    Tokens of one subject with other grants are other principals, with other folders: what a token
    of all scopes has logged in to is out of reach for one that may only read.
    """

    def __init__(self, maker: Maker, settings: OAuthSettings, limits: Limits) -> None:
        self._maker = maker
        self._settings = settings
        self._limits = limits
        self._open: dict[str, Principal] = {}
        self._changing = asyncio.Lock()

    @property
    def open(self) -> list[Principal]:
        """Those who are known now."""
        return [*self._open.values()]

    async def get(self, identity: Identity, granting: tuple[str, ...]) -> Principal | None:
        """Return the principal of a token whose scopes grant so much, None if there is no room."""
        name = _name(identity, granting)
        if (subject := self._open.get(name)) is None:
            async with self._changing:
                subject = self._open.get(name) or await self._add(name, identity, granting)
        if subject is not None:
            subject.idle_since = time.monotonic()
        return subject

    async def watch(self, idle_seconds: float, has_session: Callable[[str], bool]) -> None:
        """Close who has been idle for too long; runs until it is cancelled."""
        while True:
            await anyio.sleep(min(idle_seconds / 4, 30))
            for name, subject in tuple(self._open.items()):
                async with self._changing:
                    idle = time.monotonic() - subject.idle_since > idle_seconds
                    if idle and not (subject.busy or has_session(name)):
                        del self._open[name]
                        await subject.tool.router.aclose()

    async def _add(
        self, name: str, identity: Identity, granting: tuple[str, ...]
    ) -> Principal | None:
        if len(self._open) >= self._settings.principals:
            return None
        policy = Policy(allow=self._settings.patterns(granting))
        # It takes some 50 ms, as at the start of the server.
        made = await asyncio.to_thread(self._maker.own, name, self._limits, policy)
        event = {
            "event": "principal",
            "principal": name,
            "issuer": identity.issuer,
            "subject": identity.subject,
            "scopes": list(granting),
        }
        log.info("%s is %s of %s", name, identity.subject, identity.issuer, extra={"event": event})
        self._open[name] = made
        return made


def _name(identity: Identity, granting: tuple[str, ...]) -> str:
    """A name that tells nothing: subjects may be addresses of people."""
    parts = (identity.issuer, identity.subject, *sorted(granting))
    text = "".join(f"{len(part)}:{part}" for part in parts)  # no two lists are spelt alike
    return f"oauth:{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
