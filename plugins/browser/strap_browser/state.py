"""The state of the `browser` resource: the callers' pages, and the calls about them."""

from collections.abc import Awaitable, Callable
from typing import Any

from strap import ActionError, Context, Environment, PolicyDenied, Result, UsageError
from strap_browser.pages.call_log import CallLog, CallNote
from strap_browser.pages.registry import BrowserRegistry


class BrowserState(BrowserRegistry):
    """The pages of all callers, and what other plugins add to them."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.calls = CallLog()
        self.on_lease: list[Callable[[], None]] = []
        """Called when a run of an agent has a page or a browser, before it acts there."""
        self.unseen = {
            *("status", "launch", "close", "list_pages", "batch", "help", "render"),
            *("console", "network", "downloads", "record"),
        }
        """Actions that touch no page of the caller, or only by others; plugins add theirs."""

    def leased_to_run(self) -> None:
        """Tell that a run of an agent has a page or a browser."""
        for tell in self.on_lease:
            tell()

    async def around(self, ctx: Context[Any], go_on: Callable[[], Awaitable[Result]]) -> Result:
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
            told = isinstance(error, ActionError | PolicyDenied)
            text = str(error) if told else type(error).__name__
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
