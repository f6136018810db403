"""The information flow of one call (`Context.flow`), decided before it is sent. Fail closed."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from strap.api.actions import Action
from strap.api.calls import Call, Consent
from strap.config.secrets import Secrets
from strap.errors import PolicyDenied
from strap.network import Guard, with_scheme
from strap.network.sites import Site, is_plain, is_private_network, site_of
from strap.routing.flow.decisions import CODE, Decisions
from strap.routing.flow.rules import ANY, EVERYWHERE
from strap.routing.flow.session import Doubt, FlowSession

ADDRESSED = ("url", "urls", "method", "headers", "body")
"""Fields that an action with an address sends there; what else it has is for strap itself."""
INNER = frozenset(("timeout", "max_tokens", "session", "profile", "target_id", "ref", "selector"))
"""Fields of which a page learns nothing."""


class CallFlow:
    """Information flow of one call: where it may send data, and what it has read."""

    def __init__(
        self, action: Action, call: Call, session: FlowSession, consent: Consent, secrets: Secrets
    ) -> None:
        self._action = action
        self._call = call
        self._session = session
        self._decisions = Decisions(action, call, session, consent, secrets)
        self._read: dict[Site, bool] = {}

    @property
    def is_on(self) -> bool:
        """Whether the guard follows what is read and sent."""
        return self._session.mode != "off"

    @property
    def concerned(self) -> bool:
        """Whether the session was shown private data, so that what is sent is decided on."""
        return self.is_on and self._session.is_tainted

    @property
    def _is_run(self) -> bool:
        """Whether an agent acts in the call, about whose actions it decides one by one."""
        return self._action.asks_caller

    @property
    def strict(self) -> bool:
        """Whether only ways that are allowed are open."""
        return self._session.mode == "strict"

    async def by_fields(self) -> None:
        """Decide on the addresses that the call itself names; raises `PolicyDenied`."""
        if not self.is_on:
            return
        fields = self._fields()
        self._session.shown.say("\n".join(_text(v) for k, v in fields.items() if k not in INNER))
        address = self._action.address(self._call.params)
        urls = [] if address is None else [address]
        urls += () if self._is_run else fields.get("urls", ())  # which only limit a run
        if not (urls and self.concerned):
            return
        parts = {name: _text(fields[name]) for name in ADDRESSED[2:] if fields.get(name)}
        for url in dict.fromkeys(map(with_scheme, urls)):
            await self.go(url, parts)

    async def go(self, url: str, parts: Mapping[str, str] | None = None) -> None:
        """Decide on an address that the model gives, and what it sends there.

        A link that was shown is not the model's. Raises `PolicyDenied`.
        """
        parts, target = parts or {}, site_of(url)
        if target is None:
            return
        bare = parts.get("method", "GET").upper() == "GET" and not parts.keys() - {"method"}
        if bare and self.concerned and not self.strict and self._session.shown.is_link(url):
            self._decisions.made.add(target)
            self._decisions.note(target, None, "link")
        elif self.concerned:
            asks = not (bare and is_plain(url))  # which tells no more than a visit does
            await self._decisions.decide(target, {"url": url, **parts}, (url,), asks=asks)

    async def send(self, *urls: str, more: Mapping[str, str] | None = None) -> bool:
        """Decide whether the fields of the call may go to these addresses; raises `PolicyDenied`.

        `more` is what the model gives beside them, such as the content of files. Returns whether
        there is anything to send, and private data was read.
        """
        if not self.concerned:
            return False
        fields = {name: _text(value) for name, value in self._fields().items() if name not in INNER}
        return await self.give(urls, fields | dict(more or {}))

    async def give(self, urls: Collection[str], parts: Mapping[str, str]) -> bool:
        """Decide whether pages at these addresses may have what the model made; as `send`."""
        parts = {name: text for name, text in parts.items() if text}
        if self.is_on and parts:
            self._session.shown.say("\n".join(parts.values()))
        if not (self.concerned and parts):
            return False
        for target in _sites(urls):
            await self._decisions.decide(target, parts)
        return True

    async def script(self, pages: Collection[str], named: Collection[str]) -> None:
        """Decide on a script of the model's in private pages, which names these addresses.

        It may read all that they show. Raises `PolicyDenied`.
        """
        if not self.is_on:
            return
        for site in _sites(pages):
            self._session.read(site, "", private=True)
        if self.strict and (sources := self._session.sources(EVERYWHERE)):
            raise self._decisions.refusal(Doubt(sources=tuple(sources), target=EVERYWHERE))
        parts = {"script": self._fields().get("text", "")}
        asks = self._decisions.can_ask
        for url in named:  # without a person the requests themselves are looked at, sockets cannot
            for target in _sites([url]):
                opaque = asks or url.lower().startswith("ws")
                await self._decisions.decide(target, parts, opaque=opaque)

    def is_private(self, url: str) -> bool:
        """Whether private data of the site was shown, or would be."""
        site, session = site_of(url), self._session
        return site in session.credentialed or site in session.shown.sites

    async def choose(self, bits: float, *urls: str) -> None:
        """Count what a choice tells these sites; raises `PolicyDenied` where that is too much."""
        if not (self.concerned and self.strict):
            return
        for target in _sites(urls):
            if not self._session.chooses(target, bits):
                self._decisions.note(target, None, "refused", "choices")
                raise PolicyDenied(
                    f"What was chosen at {target[1]} could tell it what was read elsewhere.",
                    hint="Ask the user; the operator allows ways by the setting `flows`.",
                    code=CODE,
                )

    async def requested(
        self,
        url: str,
        body: str = "",
        *,
        opaque: bool = False,
        passive: bool = False,
        scripted: bool = False,
    ) -> None:
        """Decide on what a page asks for after the model has put something into it.

        `opaque`: what is in it cannot be told. `passive`: it is a picture or the like, and no
        person is asked about it. `scripted`: a script of the model's may have made it from what
        the page shows. Raises `PolicyDenied`.
        """
        if not self.concerned:
            return
        made = opaque or self._decisions.is_made(url, body)
        parts = {"request": url, "sent": body}
        for target in _sites([url]) if made or scripted else ():
            await self._decisions.decide(
                target, parts, (url,), opaque=opaque, asks=not passive, tells=made
            )

    def check_led(self, url: str) -> None:
        """Raise `PolicyDenied` for an address that a server leads to, and data would go along."""
        for target in _sites([url]):
            self._decisions.check_led(target, url)

    def guard(self, guard: Guard) -> Guard:
        """Return the guard of the call: a redirect leads nowhere that the call may not send to."""
        leads = (
            self.concerned
            and not self._is_run
            and self._action.address(self._call.params) is not None
        )
        return guard.also(self.check_led) if leads else guard

    def read(self, *urls: str, private: bool = False) -> None:
        """Label what the answer shows with the sites of these addresses."""
        if not self.is_on:
            return
        for site in _sites(urls):
            own = private or is_private_network(site)
            self._read[site] = own or self._read.get(site, False)

    def shown(self, sites: Mapping[str, bool], text: str) -> None:
        """Keep what was shown of these addresses meanwhile, each private or not."""
        for url, private in sites.items():
            self.read(url, private=private)
        if self.is_on:
            self._keep({site: self._read[site] for site in _sites(sites)}, text)

    def lead(self, named: Collection[str], heard: Callable[[Mapping[str, Any]], None]) -> None:
        """Decide on for an agent, after the call as well; `heard` is told each decision.

        Addresses that the caller `named` may exchange data if it has read nothing before.
        """
        self._decisions.heard = heard
        if self.is_on and not self._session.has_read:
            self._session.named.update(_sites(named))

    def credential(self, url: str) -> None:
        """Note that a site got credentials of the user's: what it shows from now on is private."""
        if self.is_on and (site := site_of(url)):
            self._session.credentialed.add(site)

    def write(self, *urls: str) -> None:
        """Note that these sites hold what the model made: they may show it as their own."""
        if self.concerned:
            self._session.written.update(_sites(urls))

    def learn(self, text: str) -> dict[str, str]:
        """Keep what the answer shows; returns its labels by site."""
        self._keep(self._read, text, "\n".join(map(_text, self._fields().values())))
        shown = self._session.shown.sites
        return {site[1]: "private" if site in shown else "public" for site in self._read}

    def _keep(self, sites: Mapping[Site, bool], text: str, made: str = "") -> None:
        alone = len(sites) == 1
        for site, private in sites.items():
            self._session.read(site, text, private=private, made=made, alone=alone)

    def _fields(self) -> dict[str, Any]:
        return self._call.params.model_dump(mode="json", exclude_unset=True, by_alias=True)


def _sites(urls: Iterable[str]) -> list[Site]:
    """Return the sites of those addresses that have one, `*` is any."""
    sites = (EVERYWHERE if url == ANY else site_of(url) for url in urls)
    return [*dict.fromkeys(filter(None, sites))]


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {item}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
