"""The state of the `browser` resource: the callers' pages, and the calls about them."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from strap import ActionError, Context, Environment, PolicyDenied, Result, StrapError, UsageError
from strap_browser.engine.traffic.flow_gate import FlowGate
from strap_browser.pages.call_log import CallLog, CallNote
from strap_browser.pages.registry import BrowserRegistry

SHOWING_NONE = frozenset(("status", "launch", "help", "render"))
"""Actions whose answers show nothing of the caller's pages."""
LEAVING = frozenset(("navigate", "new_page", "setup_state", "back", "forward", "reload"))
"""Actions whose answers show the page that they come to, and not the one before."""


class BrowserState(BrowserRegistry):
    """The pages of all callers, and what other plugins add to them."""

    def __init__(self, environment: Environment) -> None:
        guard = environment.guard
        if environment.config.flow == "strict":
            guard = guard.also(self._check_flow)
        super().__init__(replace(environment, guard=guard))
        self.calls = CallLog()
        self.flow_gates = WeakSet[FlowGate]()
        """Those of runs of agents."""
        self.on_lease: list[Callable[[], None]] = []
        """Called when a run of an agent has a page or a browser, before it acts there."""
        self.unseen = {
            *("status", "launch", "close", "list_pages", "batch", "help", "render"),
            *("console", "network", "downloads", "record"),
        }
        """Actions that touch no page of the caller, or only by others; plugins add theirs."""

    def _check_flow(self, url: str) -> None:
        """Raise `PolicyDenied` for a server that the rules of all callers keep pages from.

        The browser's proxy asks it for what no page can be asked for: WebSockets, workers, names.
        """
        refusals = list[PolicyDenied]()
        known = (p.known(key) for p in self.profiles.values() for key in p.callers)
        for gate in (*(pages.conditions.flow for pages in known if pages), *self.flow_gates):
            try:
                gate.check(url)
                return
            except PolicyDenied as refusal:
                refusals.append(refusal)
        if refusals:
            raise refusals[0]

    def leased_to_run(self) -> None:
        """Tell that a run of an agent has a page or a browser."""
        for tell in self.on_lease:
            tell()

    async def around(self, ctx: Context[Any], go_on: Callable[[], Awaitable[Result]]) -> Result:
        """Carry out an action; its answer is labelled."""
        try:
            self._label(ctx, before=True)
            return await self._noted(ctx, go_on)
        finally:
            self._label(ctx)

    def _label(self, ctx: Context[Any], *, before: bool = False) -> None:
        """Label the answer with the sites of the pages that it shows, as they are now."""
        action, params = ctx.call.action, ctx.call.params
        if (
            not ctx.flow.is_on
            or action in SHOWING_NONE
            or (before and action in {*LEAVING, *self.unseen})
        ):
            return
        try:
            pages = self.profile(ctx).known(ctx.caller_key)
        except StrapError:
            return  # the action says so, and shows nothing
        if pages is None:
            return
        named = pages.tabs.get(getattr(params, "target_id", None) or "", pages.current)
        tabs = pages.tabs.values() if action in self.unseen else filter(None, [named])
        for page in (tab.page for tab in tabs):
            for url in (frame.url for frame in page.frames):
                ctx.flow.read(url, private=page.context.has_login(url))

    async def _noted(self, ctx: Context[Any], go_on: Callable[[], Awaitable[Result]]) -> Result:
        """Carry out an action, with a note of it among the calls."""
        if ctx.call.action in self.unseen:
            return await go_on()
        try:
            profile = self.profile(ctx).name
        except UsageError:
            return await go_on()  # which says so
        note = CallNote(call=ctx.call, profile=profile, key=ctx.caller_key)
        try:
            async with self.calls.acting(note):
                with self.approvals.present(note.key, ctx.consent):
                    result = await go_on()
            note.end(result.text, failed=result.is_error)
            self._take_arrived(ctx, profile)
            return result
        except BaseException as error:
            is_plain = isinstance(error, ActionError | PolicyDenied)
            text = str(error) if is_plain else type(error).__name__
            note.end(text, failed=True)
            raise
        finally:
            self.calls.add(note)
            if (known := self.profiles.get(profile)) and (pages := known.known(ctx.caller_key)):
                pages.conditions.record_call(note.what, note.answer, note.at, failed=note.failed)

    def _take_arrived(self, ctx: Context[Any], profile: str) -> None:
        known = self.profiles.get(profile)
        pages = known.known(ctx.caller_key) if known else None
        while pages and pages.arrived:
            ctx.files.append(pages.arrived.popleft())

    def gauges(self) -> dict[str, float]:
        """Return what a server tells of itself; to be called in a thread."""
        weight = self.memory.weigh()
        callers = [p.known(key) for p in self.profiles.values() for key in p.callers]
        return {
            "pages": sum(len(pages.tabs) for pages in callers if pages),
            "browsers": weight.browsers,
            "browser_memory_bytes": weight.size,
            "leases": len(self.leases),
        }

    async def end_session(self, key: str) -> None:
        """Close the pages of a caller that is gone."""
        self.calls.forget(key)
        await super().end_session(key)
