"""The information flow of a run: what its agent was shown, and what it gives to pages."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from strap import Asker, Consent, Context, Flow, PolicyDenied, with_scheme
from strap.network.sites import is_plain, is_private_network, site_of
from strap_agent.sites import EVERYWHERE, hosts_in
from strap_agent.workers.pool import Message
from strap_browser.api import (
    LEAST_BITS,
    PLACE_BITS,
    FlowGate,
    Interception,
    is_web,
    origin_of,
)

GIVING = frozenset(("input", "select_dropdown", "send_keys"))
CHOOSING = frozenset(("click", "dropdown_options", "go_back", "scroll"))
"""Actions of which a page learns only what was chosen."""
TEXTS = ("text", "keys")
"""Fields of an action that a page gets."""
Note = Callable[[str, Mapping[str, Any]], None]
READ = "flow: private data was read at"
"""Beginning of the event of a run that private data was read."""
DECIDED = ("allowed", "declined", "needs_confirmation", "unanswered")


def flow_of(
    ctx: Context[Any], url: str, task: str, urls: Sequence[str], *, has_login: bool
) -> "RunFlow | None":
    """Return what decides where a run's data goes, None where it can meet nothing private.

    `urls` are those that the caller names beside `url` and the hosts of the task.
    """
    site = site_of(url)
    has_login |= site is not None and is_private_network(site)
    private = has_login or bool(ctx.config.secrets.named(task)) or ctx.flow.concerned
    if not (ctx.flow.is_on and private):
        return None
    named = [url, *hosts_in(task), *urls]
    flow = RunFlow(ctx.flow, ctx.consent, [name for name in named if name != EVERYWHERE])
    ctx.state.browsers.flow_gates.add(flow.gate)
    return flow


class RunFlow:
    """Decides for one run, by what its caller's session and the run itself were shown."""

    def __init__(self, flow: Flow, consent: Consent, named: Collection[str]) -> None:
        self.has_login: Callable[[str], bool] = lambda _: False
        """Whether a site gets credentials that were there before the run."""
        self.report: Note = lambda *_: None
        """Hears each decision, in words and in its parts."""
        self.waits: Callable[[bool], None] = lambda _: None
        """Told when a person is asked, and when no more."""
        self.also: Callable[[Asker], None] = consent.also
        self.refused = ""
        """The last refusal."""
        self._seen: set[str] = set()
        self.was_asked = False
        """Whether a person was asked about the last action."""
        self.gate = FlowGate(self._refuse)
        self._flow = flow
        flow.lead(named, self._hear)

    @property
    def decides_on(self) -> frozenset[str]:
        """The actions of the agent that it decides on."""
        return GIVING | {"navigate"} | (CHOOSING if self._flow.strict else frozenset())

    def show(self, urls: Sequence[str], text: str) -> None:
        """Keep what the agent was shown at these addresses."""
        urls = [url for url in urls if is_web(url)]
        self._flow.shown({url: self.has_login(url) for url in urls}, text)
        for site in {*map(origin_of, filter(self._flow.is_private, urls))} - self._seen:
            self._seen.add(site)
            self.report(f"{READ} {site}", {"read": site})

    async def refusal(self, message: Message, page: Sequence[str], pages: Interception) -> str:
        """Return why the agent may not do something, empty where it may; raises `CdpError`.

        What the pages of the run send after it is decided on as well.
        """
        self.was_asked = False
        try:
            await self._decide(message, page, pages)
        except PolicyDenied as error:
            self._refuse(str(error))
            return str(error)
        return ""

    async def _decide(self, message: Message, page: Sequence[str], pages: Interception) -> None:
        name, params, about = message["name"], message["params"], message["about"]
        urls = tuple(filter(is_web, about.get("urls", ()))) or tuple(page)
        if name == "navigate":
            urls = (with_scheme(str(params.get("url", ""))),)
            await self._flow.go(urls[0])
            if is_plain(urls[0]):
                return
        elif name in CHOOSING:
            await self._flow.choose(PLACE_BITS if "coordinate_x" in params else LEAST_BITS, *urls)
            return
        elif name not in GIVING or not await self._flow.give(
            urls, {text: str(params.get(text) or "") for text in TEXTS}
        ):
            return
        await self.gate.touch(self._flow, pages, urls)

    def _hear(self, event: Mapping[str, Any]) -> None:
        parts = {key: event[key] for key in ("from", "to", "decision", "why")}
        self.report(f"flow {event['from']} -> {event['to']}: {event['decision']}", parts)
        if event["decision"] == "asked":
            self.was_asked = True
            self.waits(True)
        elif event["decision"] in DECIDED:
            self.waits(False)

    def _refuse(self, why: str) -> None:
        self.refused = why
