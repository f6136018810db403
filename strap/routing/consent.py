"""A person's yes: which calls need one, and how it is got. Fail closed."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from strap.api.actions import Action
from strap.api.calls import Call
from strap.api.params import Params
from strap.api.questions import Asker, Question
from strap.api.time_limits import standing_still
from strap.config.secrets import Secrets
from strap.errors import PolicyDenied
from strap.network import Guard, with_scheme
from strap.routing.asking import Asking, Unasked
from strap.routing.catalog import Catalog
from strap.routing.policy import HINT, NOWHERE
from strap.text import counted, short_repr

LIMIT = 120.0
"""Seconds that a person has for an answer; silence is a no."""
TOLD = 10.0
"""Seconds between two reports to a caller that waits: clients give up those that are silent."""
NOBODY = (
    "Ask the user: the operator's setting `confirm` names it. It is asked on the terminal of "
    "`strap call`, over MCP where the client offers elicitation, and for the browser in the live "
    "view, while somebody watches."
)
DECLINED = "Do not repeat it; ask the user what to do instead."
UNTOLD = frozenset((*Params.model_fields, "profile", "target_id", "ref", "selector"))
"""Fields that are told otherwise, or say nothing of what is done."""
MASK = "••••"
audit = logging.getLogger("strap.audit")


class CallConsent:
    """The yes to one call (`Context.consent`)."""

    def __init__(self, action: Action, call: Call, catalog: Catalog, secrets: Secrets) -> None:
        self.report: Callable[[str], Awaitable[None]] = _unheard
        """Tells the caller that it goes on."""
        self._action = action
        self._call = call
        self._catalog = catalog
        self._secrets = secrets
        self.settled = False
        """Whether nothing is left to ask."""
        self.seconds = 0.0
        """How long a person was asked."""
        self._done = action.names_of(call.params)
        """Names of all that the call does; the policy may deny none of them."""
        self._names = self._done[: 1 + len(action.acts_as)]
        self._placed = not action.asks_person or action.address(call.params) is not None
        """Whether it is known what the call is about, if only that it is about no address."""
        self._hosts: set[str] = set()
        """Those that a person has said yes to."""
        self._askers: list[Asker] = []
        """Askers of this call, all asked at the same time."""
        if call.caller.confirm is not None:
            self._askers.append(Asker(confirm=call.caller.confirm))

    @property
    def reaches(self) -> bool:
        """Whether there is somebody who may be asked."""
        return any(asker.there() for asker in self._askers)

    def also(self, asker: Asker) -> None:
        """Ask there as well: the first answer counts."""
        self._askers.append(asker)

    def leave_client(self) -> None:
        """Ask the caller's client no more, as it has its answer."""
        own = self._call.caller.confirm
        self._askers = [asker for asker in self._askers if asker.confirm is not own]

    def guard(self, guard: Guard) -> Guard:
        """Return the guard of the call: it must not be led to where it would need another yes."""
        return guard.also(self._check_led) if self._catalog.policy.confirms_hosts else guard

    @property
    def concerned(self) -> bool:
        """Whether a call of the action may need a yes, or be forbidden, for its address."""
        policy = self._catalog.policy
        return any(map(policy.may_confirm, self._names)) or policy.depends(*self._done)

    def needed(self, *urls: str) -> bool:
        """Whether the call needs a yes where it is about these addresses.

        Raises `PolicyDenied` where it is forbidden there.
        """
        policy = self._catalog.policy
        self._placed |= bool(urls)
        for url in urls:
            refused = url not in NOWHERE and policy.refused(*self._done, url=url)
            if refused:
                raise PolicyDenied(str(refused), hint=HINT)
        return any(policy.confirms(name, urls) for name in self._names)

    def needed_by(self, name: str, *urls: str) -> bool:
        """Whether another action of the resource would need one about these addresses."""
        return self._catalog.policy.confirms(f"{self._action.resource}.{name}", urls)

    def denied_by(self, name: str, *urls: str) -> str:
        """Return why another action of the resource is denied there, "" where it is not."""
        qualified = f"{self._action.resource}.{name}"
        places: list[str | None] = [url for url in urls if url not in NOWHERE]
        refused = [self._catalog.policy.denied(qualified, url) for url in places or [None]]
        return str(next(filter(None, refused), ""))

    def may_need(self, resource: str) -> list[str]:
        """Return the names of the resource's actions that may need a yes, or be denied."""
        policy = self._catalog.policy
        return [
            action.name
            for action in self._catalog.of(resource).values()
            if policy.may_confirm(action.qualified) or policy.may_deny(action.qualified)
        ]

    def settle(self) -> None:
        """Note that all was asked: what follows asks for itself, or needs no yes."""
        self.settled = True

    async def by_fields(self, *urls: str | None) -> None:
        """Ask, if it is needed, by what the call itself says; None is no address."""
        self.settle()
        named = tuple(with_scheme(url) for url in urls if url is not None)
        if self.needed(*named):
            await self.ask(urls=named)

    async def by_steps(self, names: Collection[str]) -> None:
        """Ask for a call that makes others, unless a yes is needed for each of these actions."""
        self.settle()
        self._placed = True
        policy = self._catalog.policy
        check = policy.confirms if self.needed() else policy.may_confirm
        if self.concerned and not all(map(check, names)):
            await self.ask()

    async def ask(
        self, *, target: str = "", urls: tuple[str, ...] = (), masked: Collection[str] = ()
    ) -> None:
        """Ask a person, and return if the answer is yes; raises `PolicyDenied`.

        `masked` fields are told by their length alone.
        """
        self.settle()
        question = Question(
            action=self._action.qualified,
            target=self._secrets.hide(target),
            url=self._secrets.hide(urls[0] if urls else ""),
            fields=self._fields(masked),
        )
        await self.put(question)
        self._hosts.update(map(_host, urls))

    async def put(self, question: Question, *, quiet: bool = False) -> None:
        """Ask a person this, and return if the answer is yes; raises `PolicyDenied`.

        Unless it is `quiet` the caller is told now and then that a person is waited for.
        """
        name, transport = question.action, self._call.caller.transport
        if not self.reaches:
            raise PolicyDenied(
                f"{name} needs a person's yes, and nobody can be asked here.",
                hint=NOBODY,
                code="needs_confirmation",
            )
        if not await self._answer(question, quiet=quiet):
            audit.info("%s %s declined by a person", transport, name)
            raise PolicyDenied(f"A person said no to {name}.", hint=DECLINED, code="declined")
        audit.info("%s %s confirmed by a person", transport, name)

    def check_settled(self) -> None:
        """Raise `PolicyDenied` for an action that was to ask for itself and did not."""
        placed = self._placed or not self._catalog.policy.depends(*self._done)
        if not placed or (self.needed() and not self.settled):
            raise PolicyDenied(
                f"{self._action.qualified} did not ask for the yes that it needs.",
                hint="This is a mistake of its plugin.",
                code="internal",
            )

    async def _answer(self, question: Question, *, quiet: bool) -> bool:
        """Return the first answer that anybody gives; what else is asked is taken back."""
        loop = asyncio.get_running_loop()
        began, end = loop.time(), loop.time() + LIMIT
        asking = Asking(self._askers, question)
        try:
            with standing_still():
                while (left := end - loop.time()) > 0:
                    if await asking.answered(min(TOLD, left)):
                        return asking.answer
                    if not quiet and self._call.caller.transport != "cli":  # which shows it itself
                        await self.report(f"{question.action} waits for a person's yes")
        except Unasked as why:
            message = f"{question.action} needs a person's yes, and nobody could be asked: {why}"
            raise PolicyDenied(message, hint=NOBODY, code="needs_confirmation") from None
        finally:
            self.seconds += loop.time() - began
            await asking.aclose()
        raise PolicyDenied(
            f"Nobody answered within {LIMIT:g} s whether {question.action} may act, so it did not.",
            hint="Ask the user before calling again.",
            code="unanswered",
        )

    def _fields(self, masked: Collection[str]) -> dict[str, str]:
        values = self._call.params.model_dump(mode="json", exclude_unset=True, by_alias=True)
        untold = {*UNTOLD, self._action.destination}
        fields = {k: v for k, v in values.items() if k not in untold and v is not None}
        return {k: self._secrets.hide(_text(v, masked=k in masked)) for k, v in fields.items()}

    def _check_led(self, url: str) -> None:
        if self.needed() or not self.needed(url) or _host(url) in self._hosts:
            return
        raise PolicyDenied(
            f"{self._action.qualified} for {short_repr(url)} needs a person's yes of its own.",
            hint="Make a call with that url itself.",
            code="needs_confirmation",
        )


def _text(value: Any, *, masked: bool) -> str:
    if masked:
        return f"{MASK} ({counted(len(str(value)), 'character')})"
    if isinstance(value, Mapping):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


async def _unheard(message: str) -> None:
    del message
