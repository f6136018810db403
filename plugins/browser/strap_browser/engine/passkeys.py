"""Passkeys of a browser context: one virtual authenticator in each page, all with the same keys."""

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from strap_browser.cdp.connection import CdpSession
from strap_browser.cdp.errors import CdpError

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
"""One like that of a phone or laptop (`WebAuthn.VirtualAuthenticatorOptions`), which says yes."""
MOST = 100
"""Passkeys of a context: pages may make as many as they like."""
Credential = Mapping[str, Any]
"""A passkey with its private key (`WebAuthn.Credential`)."""


class Passkeys:
    """The passkeys of one context, kept the same in the authenticators of its pages."""

    def __init__(self, credentials: Iterable[Credential] = ()) -> None:
        """Raises `KeyError` and `TypeError` for what is no credential."""
        self._credentials = {str(item["credentialId"]): item for item in credentials}
        self._places: WeakKeyDictionary[CdpSession, str] = WeakKeyDictionary()
        """The authenticators by the sessions of their pages."""

    @property
    def credentials(self) -> list[Credential]:
        """All passkeys, as they are saved."""
        return list(self._credentials.values())

    async def join(self, session: CdpSession) -> None:
        """Give a page its authenticator, once; raises `CdpError`."""
        if session in self._places:
            return
        self._places[session] = ""
        for event in ("Added", "Asserted", "Updated"):
            session.on(f"WebAuthn.credential{event}", partial(self._on_changed, session))
        try:
            await session.send("WebAuthn.enable", enableUI=False)
            made = await session.send("WebAuthn.addVirtualAuthenticator", options=AUTHENTICATOR)
            place = self._places[session] = made["authenticatorId"]
            for known in self.credentials:
                await session.send(
                    "WebAuthn.addCredential", authenticatorId=place, credential=known
                )
        except CdpError:
            del self._places[session]
            raise

    async def end(self) -> None:
        """Take the authenticators away."""
        places, self._places = self._places, WeakKeyDictionary()
        ending = [session.send("WebAuthn.disable") for session in places]
        await asyncio.gather(*ending, return_exceptions=True)  # some pages are gone

    def _on_changed(self, source: CdpSession, event: Mapping[str, Any]) -> None:
        """Take a passkey that was made, or used, which raises its counter; tell the other pages.

        Deletions are not followed: the browser tells of those that are made here, too.
        """
        credential = event["credential"]
        name = credential["credentialId"]
        if name not in self._credentials and len(self._credentials) >= MOST:
            return
        self._credentials[name] = credential
        for session, place in list(self._places.items()):  # nobody waits: one may be gone
            if session is not source and place:
                session.send("WebAuthn.removeCredential", authenticatorId=place, credentialId=name)
                session.send("WebAuthn.addCredential", authenticatorId=place, credential=credential)
