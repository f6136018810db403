"""Permission for actions of the agent: by the policy, a person and the flow guard."""

from collections.abc import Sequence

from strap import Asker, Question
from strap_agent.browser_lease import BrowserLease
from strap_agent.monitor.watcher import BrowserMonitor
from strap_agent.person.consent import RunConsent
from strap_agent.person.pause import Pause
from strap_agent.person.run_flow import Note, RunFlow
from strap_agent.workers.pool import Message


class Permission:
    """Decides for one run; the run stands still while a person is asked."""

    def __init__(
        self,
        consent: RunConsent | None,
        flow: RunFlow | None,
        pause: Pause,
        note: Note,
        live: Asker,
    ) -> None:
        """`live` asks whoever watches the run; `note` is told what `flow` decides."""
        self._consent, self._flow = consent, flow
        self._pause = pause
        if (asks := self._consent or self._flow) is not None:
            asks.also(live)
        if self._flow is not None:
            self._flow.report, self._flow.waits = note, self._wait

    def begin(self, lease: BrowserLease) -> None:
        """Take note of the browser of the run."""
        if self._flow is not None:
            self._flow.has_login = lease.has_login
            self._flow.gate.proxied = lease.gate is not None

    async def refusal(self, message: Message, monitor: BrowserMonitor) -> tuple[str, bool]:
        """Return why an action may not begin, empty where it may, and whether a person was asked.

        Raises `Refusal` where nobody can be asked.
        """
        why, question = "", None
        page = await monitor.addresses(message["target"])
        if self._consent is not None and not (why := self._consent.denial(message, page)):
            question = self._consent.question(message, page)
            if question is not None:
                why = await self._put(question, message, page)
        if why or self._flow is None:
            return why, question is not None
        why = await self._flow.refusal(message, page, monitor.interception)
        return why, question is not None or self._flow.was_asked

    async def shown(self, message: Message, monitor: BrowserMonitor) -> None:
        """Take note of what the model is shown of a page: it may have moved on since."""
        if self._flow is not None:
            page = await monitor.addresses(message["target"])
            self._flow.show([message["url"], *page], message["text"])

    async def _put(self, question: Question, message: Message, page: Sequence[str]) -> str:
        """Ask a person; return why not, empty for a yes."""
        assert self._consent is not None
        self._pause.begin("yes")
        try:
            return await self._consent.put(question, message, page)
        finally:
            self._pause.end("yes")

    def _wait(self, on: bool) -> None:
        if on:
            self._pause.begin("yes", by="flow")
        else:
            self._pause.end("yes", by="flow")
