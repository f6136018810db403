"""The information flow of one call (`Context.flow`), decided before it is sent. Fail closed."""

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from strap.api.actions import Action
from strap.api.calls import Call, Consent
from strap.api.questions import Question
from strap.config.secrets import Secrets
from strap.errors import PolicyDenied, StrapError
from strap.network import Guard, with_scheme
from strap.network.sites import Site, is_private_network, site_of
from strap.routing.flow.rules import NOWHERE
from strap.routing.flow.session import Doubt, FlowSession

ADDRESSED = ("url", "urls", "method", "headers", "body", "task")
"""Fields that an action with an address sends there; what else it has is for strap itself."""
INNER = frozenset(("timeout", "max_tokens", "session", "profile", "target_id", "ref", "selector"))
"""Fields of which a page learns nothing."""
CODE = "flow_denied"
NOBODY = ("needs_confirmation",)
"""Codes of the error for want of somebody to ask."""
audit = logging.getLogger("strap.audit")
log = logging.getLogger(__name__)


class CallFlow:
    """Information flow of one call: where it may send data, and what it has read."""

    def __init__(
        self, action: Action, call: Call, session: FlowSession, consent: Consent, secrets: Secrets
    ) -> None:
        self._action = action
        self._call = call
        self._session = session
        self._consent = consent
        self._secrets = secrets
        self._read: dict[Site, bool] = {}
        self._decided: set[Site] = set()

    @property
    def is_on(self) -> bool:
        """Whether the guard follows what is read and sent."""
        return self._session.mode != "off"

    @property
    def concerned(self) -> bool:
        """Whether the session was shown private data, so that what is sent is decided on."""
        return self.is_on and self._session.is_tainted

    @property
    def strict(self) -> bool:
        """Whether only ways that are allowed are open."""
        return self._session.mode == "strict"

    async def by_fields(self) -> None:
        """Decide on the addresses that the call itself names; raises `PolicyDenied`."""
        fields = self._fields()
        address = self._action.address(self._call.params)
        urls = [*([] if address is None else [address]), *fields.get("urls", ())]
        if not (urls and self.concerned):
            return
        parts = {name: _text(fields[name]) for name in ADDRESSED[2:] if fields.get(name)}
        plain = fields.get("method", "GET").upper() == "GET"
        for url in dict.fromkeys(map(with_scheme, urls)):
            bare = plain and not parts.keys() - {"method"}
            if bare and not self.strict and self._session.shown.is_link(url):
                self._decided.add(self._target(url))
                self._note(self._target(url), None, "link")
                continue
            await self._decide(self._target(url), {"url": url, **parts}, (url,))

    async def send(self, *urls: str, more: Mapping[str, str] | None = None) -> bool:
        """Decide whether the fields of the call may go to these addresses; raises `PolicyDenied`.

        `more` is what the model gives beside them, such as the content of files. Returns whether
        there is anything to send, and private data was read.
        """
        fields = {name: _text(value) for name, value in self._fields().items() if name not in INNER}
        parts = {name: text for name, text in (fields | dict(more or {})).items() if text}
        if not (self.concerned and parts):
            return False
        for target in dict.fromkeys(map(self._target, urls)):
            await self._decide(target, parts)
        return True

    async def script(self, pages: Collection[str], named: Collection[str]) -> None:
        """Decide on a script of the model's in private pages, which names these addresses.

        It may read all that they show. Raises `PolicyDenied`.
        """
        if not self.is_on:
            return
        for url in pages:
            self._session.read(self._target(url), "", private=True)
        if self.strict and (sources := self._session.sources(NOWHERE)):
            raise self._refusal(Doubt(source=sources[0], target=NOWHERE))
        for target in dict.fromkeys(map(self._target, named)):
            await self._decide(target, {"script": self._fields().get("text", "")}, opaque=True)

    def is_private(self, url: str) -> bool:
        """Whether private data of the site was shown, or would be."""
        site, session = self._target(url), self._session
        return site in session.credentialed or site in session.shown.sites

    async def choose(self, bits: float, *urls: str) -> None:
        """Count what a choice tells these sites; raises `PolicyDenied` where that is too much."""
        if not (self.concerned and self.strict):
            return
        for target in dict.fromkeys(map(self._target, urls)):
            if not self._session.chooses(target, bits):
                self._note(target, None, "refused", "choices")
                raise PolicyDenied(
                    f"What was chosen at {target[1]} could tell it what was read elsewhere.",
                    hint="Ask the user; the operator allows ways by the setting `flows`.",
                    code=CODE,
                )

    async def requested(
        self, url: str, body: str = "", *, opaque: bool = False, passive: bool = False
    ) -> None:
        """Decide on what a page asks for after the model has put something into it.

        `opaque`: a script of the model's made it, so that what is in it cannot be told. `passive`:
        it is a picture or the like, and no person is asked about it. Raises `PolicyDenied`.
        """
        if self.concerned:
            parts = {"request": url, "sent": body}
            target = self._target(url)
            await self._decide(target, parts, (url,), opaque=opaque, asks=not passive)

    def check_led(self, url: str) -> None:
        """Raise `PolicyDenied` for an address that a server leads to, and data would go along."""
        target = self._target(url)
        if target in self._decided or self._session.mode == "watch":
            return
        with self._closed():
            doubt = self._session.doubt_at_once(target, url)
        if doubt and (doubt.carried or self.strict):
            raise self._refusal(doubt)

    def guard(self, guard: Guard) -> Guard:
        """Return the guard of the call: a redirect leads nowhere that the call may not send to."""
        leads = self.concerned and self._action.address(self._call.params) is not None
        return guard.also(self.check_led) if leads else guard

    def read(self, *urls: str, private: bool = False) -> None:
        """Label what the answer shows with the sites of these addresses."""
        if not self.is_on:
            return
        for url in urls:
            site = site_of(url)
            if site is not None:
                private = private or is_private_network(site)
                self._read[site] = private or self._read.get(site, False)

    def credential(self, url: str) -> None:
        """Note that a site got credentials of the user's: what it shows from now on is private."""
        if self.is_on and (site := site_of(url)):
            self._session.credentialed.add(site)

    def write(self, *urls: str) -> None:
        """Note that these sites hold what the model made: they may show it as their own."""
        if self.concerned:
            self._session.written.update(map(self._target, urls))

    def learn(self, text: str) -> dict[str, str]:
        """Keep what the answer shows; returns its labels by site."""
        made = "\n".join(map(_text, self._fields().values())) if self._read else ""
        for site, private in self._read.items():
            self._session.read(site, text, private=private, made=made, alone=len(self._read) == 1)
        shown = self._session.shown.sites
        return {site[1]: "private" if site in shown else "public" for site in self._read}

    async def _decide(
        self,
        target: Site,
        parts: Mapping[str, str],
        urls: tuple[str, ...] = (),
        *,
        opaque: bool = False,
        asks: bool = True,
    ) -> None:
        with self._closed():
            doubt = await self._session.doubt(target, parts, urls)
        if doubt is None:
            pass
        elif self._session.mode == "watch":
            self._note(target, doubt, "watched")
        elif self.strict or (doubt.source, target) in self._session.refused:
            raise self._refusal(doubt)
        elif not (asks and await self._asked(doubt, parts)):
            if doubt.carried or opaque:
                raise self._refusal(doubt)
            self._note(target, doubt, "passed")
        self._session.note_sent(target, parts, urls)
        self._session.written.add(target)
        self._decided.add(target)

    async def _asked(self, doubt: Doubt, parts: Mapping[str, str]) -> bool:
        """Ask a person; returns whether somebody could be asked. Raises `PolicyDenied`."""
        session, way = self._session, (doubt.source, doubt.target)
        async with session.lock:
            if way in session.allowed:
                return True
            where = ", ".join(name for name, text in parts.items() if text) or "a choice"
            told = f'"…{doubt.carried}…"' if doubt.carried else "nothing of it is recognised"
            wish = f"Send to {doubt.target[1]} what was read at {doubt.source[1]}"
            question = Question(
                action=self._action.qualified,
                fields={
                    wish: self._secrets.hide(f"{told} (in {where}; a yes holds for this session)")
                },
            )
            try:
                await self._consent.put(question)
            except PolicyDenied as error:
                if error.code in NOBODY:
                    return False
                if error.code == "declined":
                    session.refused.add(way)
                self._note(doubt.target, doubt, error.code)
                raise
            session.allowed.add(way)
            self._note(doubt.target, doubt, "allowed")
            return True

    def _refusal(self, doubt: Doubt) -> PolicyDenied:
        self._note(doubt.target, doubt, "refused")
        source, target = doubt.source[1], doubt.target[1]
        carried = self._secrets.hide(f' ("…{doubt.carried}…")') if doubt.carried else ""
        return PolicyDenied(
            f"Not sent to {target}: this session has read private data of {source}{carried}.",
            hint=f"Ask the user; the operator allows it by flows = ['{source} -> {target}'].",
            code=CODE,
        )

    @contextmanager
    def _closed(self) -> Iterator[None]:
        """Deny where the guard itself fails."""
        try:
            yield
        except StrapError:
            raise
        except Exception as error:
            log.exception("The flow guard failed")
            raise PolicyDenied(
                "The flow guard failed, so nothing was sent.",
                hint="The details are in strap's log.",
                code=CODE,
            ) from error

    def _note(self, target: Site, doubt: Doubt | None, decision: str, why: str = "") -> None:
        source = doubt.source[1] if doubt else ", ".join(s[1] for s in self._session.shown.sites)
        why = why or ("recognised" if doubt and doubt.carried else "")
        session = self._call.caller.session
        event: dict[str, Any] = {
            "event": "flow",
            "principal": self._call.caller.principal,
            "session": sha256(session.encode()).hexdigest()[:12] if session else None,
            "action": self._action.qualified,
            "from": source,
            "to": target[1],
            "decision": decision,
            "why": why,
        }
        audit.info(
            "%s %s flow %s -> %s %s %s",
            self._call.caller.transport,
            self._action.qualified,
            source,
            target[1],
            decision,
            why,
            extra={"event": event},
        )

    def _fields(self) -> dict[str, Any]:
        return self._call.params.model_dump(mode="json", exclude_unset=True, by_alias=True)

    @staticmethod
    def _target(url: str) -> Site:
        return site_of(url) or NOWHERE


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {each}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
