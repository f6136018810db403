"""The decisions of one call on what may go where: rules, a person's yes, the audit."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from strap.api.actions import Action
from strap.api.calls import Call, Consent
from strap.api.questions import Question
from strap.config.secrets import Secrets
from strap.errors import PolicyDenied, StrapError
from strap.network.sites import Site
from strap.routing.flow.session import Doubt, FlowSession

CODE = "flow_denied"
NOBODY = ("needs_confirmation",)
"""Codes of the error for want of somebody to ask."""
audit = logging.getLogger("strap.audit")
log = logging.getLogger(__name__)


class Decisions:
    """Decides for one call; each decision has a line in the audit."""

    def __init__(
        self, action: Action, call: Call, session: FlowSession, consent: Consent, secrets: Secrets
    ) -> None:
        self.made: set[Site] = set()
        """Sites that the call may send to."""
        self.heard: Callable[[Mapping[str, Any]], None] = _unheard
        """Is told each decision as well."""
        self._action = action
        self._call = call
        self._session = session
        self._consent = consent
        self._secrets = secrets

    async def decide(
        self,
        target: Site,
        parts: Mapping[str, str],
        urls: tuple[str, ...] = (),
        *,
        opaque: bool = False,
        asks: bool = True,
        tells: bool = True,
    ) -> None:
        """Decide whether `parts` may go to a site; raises `PolicyDenied`.

        `opaque`: what is in them cannot be told. Without `asks` no person is asked. Without
        `tells` they pass untold, unless private text is recognised.
        """
        with self._closed():
            doubt = await self._session.doubt(target, parts, urls)
        if not (tells or (doubt and doubt.carried)):
            return
        if doubt is None:
            pass
        elif self._session.mode == "watch":
            self.note(target, doubt, "watched")
        elif self._session.mode == "strict" or doubt.ways & self._session.refused:
            raise self.refusal(doubt)
        elif not (asks and await self._confirmed(doubt, parts)):
            if doubt.is_split:  # nobody but a thief sends a text in pieces: no more of them
                self._session.refused |= doubt.ways
            if doubt.carried or opaque:
                raise self.refusal(doubt)
            self.note(target, doubt, "passed")
        self._session.note_sent(target, parts, urls)
        self._session.written.add(target)
        self.made.add(target)

    @property
    def can_ask(self) -> bool:
        """Whether there is a person to ask."""
        return self._consent.reaches

    def check_led(self, target: Site, url: str) -> None:
        """Raise `PolicyDenied` for an address that a server leads to, and data would go along."""
        if target in self.made or self._session.mode == "watch" or not self.is_made(url):
            return
        with self._closed():
            doubt = self._session.doubt_at_once(target, url)
        if doubt and (doubt.carried or self._session.mode == "strict"):
            raise self.refusal(doubt)

    def is_made(self, *texts: str) -> bool:
        """Whether to decide on what is sent without the model: strictly, or if it carries its text.

        What a page or a server sends by itself is none of the model's.
        """
        with self._closed():
            return self._session.mode == "strict" or self._session.has_made(*texts)

    def refusal(self, doubt: Doubt) -> PolicyDenied:
        """Return the error for a way that is not open."""
        self.note(doubt.target, doubt, "refused")
        source, target = doubt.sources[0][1], doubt.target[1]
        carried = self._secrets.hide(f' ("…{doubt.carried}…")') if doubt.carried else ""
        return PolicyDenied(
            f"Not sent to {target}: this session has read private data of {source}{carried}.",
            hint=f"Ask the user; the operator allows it by flows = ['{source} -> {target}'].",
            code=CODE,
        )

    def note(self, target: Site, doubt: Doubt | None, decision: str, why: str = "") -> None:
        """Tell a decision: the sites, and whether private text was recognised."""
        source = _names(doubt.sources if doubt else self._session.shown.sites)
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
        transport, name = self._call.caller.transport, self._action.qualified
        line = f"{transport} {name} flow {source} -> {target[1]} {decision} {why}"
        audit.info("%s", line, extra={"event": event})
        self.heard(event)

    async def _confirmed(self, doubt: Doubt, parts: Mapping[str, str]) -> bool:
        """Ask a person about all ways at once; returns whether somebody could be asked.

        Raises `PolicyDenied`.
        """
        session = self._session
        if not self._consent.reaches:
            return False
        async with session.lock:
            if doubt.ways <= session.allowed:
                return True
            where = ", ".join(name for name, text in parts.items() if text) or "a choice"
            carried = f'"…{doubt.carried}…"' if doubt.carried else "nothing of it is recognised"
            wish = f"Send to {doubt.target[1]} what was read at {_names(doubt.sources, ' and ')}"
            question = Question(
                action=self._action.qualified,
                fields={
                    wish: self._secrets.hide(
                        f"{carried} (in {where}; a yes holds for this session)"
                    )
                },
            )
            self.note(doubt.target, doubt, "asked")
            try:
                await self._consent.put(question)
            except PolicyDenied as error:
                if error.code == "declined":
                    session.refused |= doubt.ways
                self.note(doubt.target, doubt, error.code)
                if error.code in NOBODY:
                    return False
                raise
            session.allowed |= doubt.ways
            self.note(doubt.target, doubt, "allowed")
            return True

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


def _names(sites: Iterable[Site], between: str = ", ") -> str:
    return between.join(name for _, name in sites)


def _unheard(event: Mapping[str, Any]) -> None:
    del event
