"""Gate at which the agent waits while a person has its browser in hand.

browser-use asks `interrupts` after it has read the page, after the model's answer and before every
action; `step_begins` is called outside of the time that a step has. A step that was interrupted is
none: what its model said was about a page that may be another one by now.
"""

import asyncio
from typing import Any

from strap_agent.person.agent_actions import refusal
from strap_agent.worker.channel import Channel
from strap_agent.worker.consent import Consent
from strap_agent.worker.elements import aimed_at

REST = "The actions of this step that have no result were not carried out."
FAILED = "failed"
"""In the metadata of a result: nothing was done, though browser-use tells no error."""
ASK = (
    "Ask the person who watches to do what you cannot: to log in, to solve a captcha, to decide."
    " They do it in this browser, and you go on afterwards. Use it before you would stop for a"
    " login or a captcha."
)
READING = ("dropdown_options", "extract", "find_elements", "find_text", "search_page")
"""Actions whose results are a page's own words."""
ASKED = "Asked the person: {reason}"


class Gate:
    """Open while the agent may act; tells strap when nothing of the agent is under way."""

    def __init__(self, channel: Channel, consent: Consent) -> None:
        self._channel = channel
        self._consent = consent
        self._open = asyncio.Event()
        self._open.set()
        self._calm = True
        """Whether the agent does nothing with the page: it waits here, or for its model."""
        self._acting = 0
        self._number = 0
        """That of the last order to wait."""
        self._in_step = self._stale = self._interrupted = False
        """`_stale`: what the step is about may have changed since it began."""
        self._counted = 0, 0
        """Steps and items of the history before the step that goes on."""
        self._did: list[Any] = []
        self._notes: list[str] = []
        self._watched = False
        self.tells_pages = False
        """Whether strap wants the text of pages that the model is shown."""
        self._tools: Any = None

    def pause(self, number: int) -> None:
        """Let no further action begin."""
        self._number = number
        self._open.clear()
        self._stale = True
        if self._in_step:
            self._consent.withdraw()
        self._settle()

    def resume(self, note: str) -> None:
        """Let the agent go on, told what happened meanwhile."""
        self._notes.append(note)
        self._open.set()

    def asking(self) -> None:
        """Take note that the model is asked; for a page's text it is within an action."""
        if not self._acting:
            self._calm = True
            self._settle()

    async def passes(self) -> None:
        """Return when the agent may go on."""
        self._calm = True
        self._settle()
        await self._open.wait()
        self._calm = False

    async def step_begins(self, agent: Any) -> None:
        """Wait until the next step may begin, which looks at the page.

        Where a person does not agree to that, strap ends the run.
        """
        await self.passes()
        if self._consent.is_needed:
            await self._consent.refusal("look", {}, agent.browser_session)
            await self.passes()
        notes, self._notes = self._notes, []
        if notes:
            agent.state.last_result = [*(agent.state.last_result or ()), *map(_result, notes)]
        self._counted = agent.state.n_steps, len(agent.history.history)
        self._did = []
        self._in_step, self._stale, self._interrupted = True, False, False

    async def interrupts(self) -> bool:
        """Tell whether the step is to be left: a person has the page, or had it meanwhile."""
        stop = self._in_step and self._stale
        self._interrupted |= stop
        return stop

    def take_back(self, agent: Any) -> bool:
        """Uncount a step that was interrupted; returns whether it was."""
        self._in_step = False
        if not self._interrupted:
            return False
        number, items = self._counted
        agent.state.n_steps = number
        del agent.history.history[items:]
        if agent.state.last_result is None:  # its model was asked: tell what came of it
            agent.state.last_result = [*self._did, _result(REST)]
        return True

    def watch(self, tools: Any) -> None:
        """Hear of every action of `tools`, and let none begin that is not to."""
        inner = tools.act

        async def act(action: Any, **context: Any) -> Any:
            actions = action.model_dump(exclude_unset=True).items()
            name, params = next((item for item in actions if item[1] is not None), ("", {}))
            if why := refusal(name, params):
                return _error(why)
            if await self.interrupts():
                raise InterruptedError
            if why := await self._consent.refusal(name, params, context["browser_session"]):
                return _error(why)
            if await self.interrupts():
                raise InterruptedError
            await self._open.wait()  # before the first step nothing is interrupted
            self._calm = False
            self._acting += 1
            element, node = aimed_at(action, context["browser_session"])
            self._channel.send("acting", action={name: params}, element=element, node=node)
            try:
                result = await _honest(inner, name, params, action=action, **context)
                self._did.append(result)
                if name in READING:
                    self.shows(context["browser_session"], result.extracted_content or "")
                return result
            finally:
                self._acting -= 1
                self._channel.send("acted")

        tools.act = act
        self._tools = tools
        if self._watched:
            self._offer(tools)

    def shows(self, session: Any, text: str) -> None:
        """Tell strap what the model is shown of a page."""
        if self.tells_pages:
            seen = getattr(session, "_cached_browser_state_summary", None)  # not public
            where = {"url": getattr(seen, "url", ""), "target": session.agent_focus_target_id}
            self._channel.send("shown", text=text, **where)

    def watched(self) -> None:
        """Let the agent ask a person, from its next step on."""
        self._watched = True
        if self._tools is not None:
            self._offer(self._tools)

    def _offer(self, tools: Any) -> None:
        from browser_use import ActionResult

        if "ask_person" in tools.registry.registry.actions:
            return

        @tools.action(ASK, terminates_sequence=True)  # type: ignore[untyped-decorator]
        async def ask_person(reason: str) -> ActionResult:
            # It waits before the next step, where no time limit runs.
            self._open.clear()
            self._channel.send("ask_person", reason=reason)
            return ActionResult(extracted_content=ASKED.format(reason=reason))

    def _settle(self) -> None:
        if (self._calm or self._consent.waits) and not self._open.is_set():
            self._channel.send("parked", number=self._number)


async def _honest(inner: Any, name: str, params: Any, **context: Any) -> Any:
    """Carry out an action; mark its result where nothing was done and browser-use tells no error.

    As an error it would end the run at the third in a row.
    """
    index = params.get("index")
    gone = index and await context["browser_session"].get_element_by_index(index) is None
    result = await inner(**context)
    if gone or (name == "select_dropdown" and result.include_extracted_content_only_once):
        result.metadata = {**(result.metadata or {}), FAILED: True}
    return result


def _error(text: str) -> Any:
    from browser_use import ActionResult

    return ActionResult(error=text)


def _result(text: str) -> Any:
    from browser_use import ActionResult

    return ActionResult(extracted_content=text, long_term_memory=text)
