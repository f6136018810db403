"""Record what a person does in pages, as calls.

The page's script hears trusted events. What is typed is told when the field is left; a password
never is.
"""

import asyncio
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from strap import Call, Caller
from strap_browser.actions.elements.click import COUNTS, Click
from strap_browser.actions.elements.fill import Fill
from strap_browser.actions.elements.press import Press
from strap_browser.actions.elements.select import Select
from strap_browser.actions.navigate import Navigate
from strap_browser.cdp.connection import CdpSession
from strap_browser.cdp.errors import CdpError
from strap_browser.common.beside import beside
from strap_browser.common.tasks import started
from strap_browser.interaction.page_state import PageState, page_state_of
from strap_browser.interaction.recording.evidence import add_words
from strap_browser.interaction.recording.outcome import note_outcome, place_of
from strap_browser.page_script.bundle import source
from strap_browser.pages.call_log import NOTE, CallLog, CallNote, Evidence
from strap_browser.snapshot.diff import SnapshotDiff, compare
from strap_browser.snapshot.snapshot import LARGE, Snapshot

if TYPE_CHECKING:
    from strap_browser.pages.tab import Tab

BINDING = "strapPerson"
"""The function in the world of strap's script that tells; no page sees it."""
WHEN_PARSED = """(({{ readyState }}, begin) => readyState === "loading"
  ? addEventListener("DOMContentLoaded", begin, {{ once: true }}) : begin())(document, {begin})"""
KINDS: dict[str, Any] = {"click": Click, "fill": Fill, "select": Select, "press": Press}
UNTOLD = "•"
"""Stands for what was typed, where that is not kept."""
STEP, QUIET, LONGEST = 0.05, 0.4, 5.0
"""Seconds between two looks for events; without any until a page is looked at; at most."""
REMOVE_SCRIPT = "Page.removeScriptToEvaluateOnNewDocument"
LOOK_STEP = 0.7
"""Seconds between two looks at a page in which nothing happens."""
HANDED_BACK = 1.0
"""Seconds for the last events of a person whose pages an agent waits for."""
LED = 5.0
"""Seconds after an event in which a new document counts as what came of it."""
MOST_WAITING = 500


class PersonRecorder:
    """Notes what a person does in some pages until it is closed."""

    def __init__(
        self,
        tabs: "Callable[[], Iterable[Tab]]",
        calls: CallLog,
        *,
        key: str,
        profile: str,
        keeps: bool,
    ) -> None:
        """`keeps` says whether texts that are no secrets are kept."""
        self._tabs, self._calls, self._keeps = tabs, calls, keeps
        self._key, self._profile = key, profile
        self.count = 0
        """How many calls were noted."""
        self._pages: dict[Tab, _PersonPage] = {}
        self._work = started(self._follow())

    async def aclose(self) -> None:
        """Note what is under way, and hear nothing more."""
        await asyncio.gather(*(page.end() for page in self._pages.values()))
        self._work.cancel()
        with suppress(asyncio.CancelledError):
            await self._work
        for page in self._pages.values():
            page.stop()

    def add(self, note: CallNote) -> None:
        """Note a call."""
        self.count += 1
        self._calls.keep(note)

    def new_note(self, tab: "Tab", action: str, params: Any, state: PageState) -> CallNote:
        """Return the note of what a person did in a page."""
        if len(self._pages) > 1:
            params = params.model_copy(update={"target_id": tab.handle})
            params.model_fields_set.add("target_id")
        caller = Caller(transport="python")
        call = Call(resource="browser", action=action, effect="write", params=params, caller=caller)
        note = CallNote(call=call, profile=self._profile, key=self._key)
        note.path, note.seconds = place_of(state), 0.0
        return note

    async def _follow(self) -> None:
        while True:
            for tab in [
                known for known in self._tabs() if known.alive and known not in self._pages
            ]:
                with suppress(CdpError):
                    page = _PersonPage(self, tab, await page_state_of(tab), keeps=self._keeps)
                    self._pages[tab] = page
            await asyncio.sleep(STEP)


class _PersonPage:
    """One page, and how it was before what is done in it next."""

    def __init__(
        self, recorder: PersonRecorder, tab: "Tab", state: PageState, *, keeps: bool
    ) -> None:
        self._recorder, self._tab, self._state, self._keeps = recorder, tab, state, keeps
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue(MOST_WAITING)
        self._scripts: dict[CdpSession, str] = {}
        self._before: Snapshot | None = None
        self._last: CallNote | None = None
        self._is_noting = self._is_ending = False
        self._happened = 0.0
        self._commits = state.activity.commits
        self._work = started(self._follow())

    async def end(self) -> None:
        """Have fields tell what they hold, and wait until all is noted."""
        self._is_ending = True
        with suppress(CdpError, TimeoutError):
            async with asyncio.timeout(LONGEST if self._keeps else HANDED_BACK):
                for session, script in [*self._scripts.items()]:
                    await session.send(REMOVE_SCRIPT, identifier=script)
                    self._scripts[session] = await self._ask(session, "null")
                await asyncio.sleep(STEP)
                while not self._events.empty() or self._is_noting:  # noqa: ASYNC110
                    await asyncio.sleep(STEP)

    def stop(self) -> None:
        """Hear nothing more."""
        self._work.cancel()
        for session, script in self._scripts.items():
            session.off("Runtime.bindingCalled", self._on_event)
            session.send("Runtime.removeBinding", name=BINDING)
            session.send(REMOVE_SCRIPT, identifier=script)

    async def _follow(self) -> None:
        while self._tab.alive:
            with suppress(CdpError):
                await self._attach()
                try:
                    event = await asyncio.wait_for(self._events.get(), LOOK_STEP)
                except TimeoutError:
                    self._note_arrival()
                    self._before = await self._state.peek()
                else:
                    self._is_noting = True
                    await self._note(event)
                finally:
                    self._is_noting = False

    async def _attach(self) -> None:
        for session in {frame.session for frame in self._tab.page.frames} - self._scripts.keys():
            self._scripts[session] = ""
            session.on("Runtime.bindingCalled", self._on_event)
            world = self._tab.page.main_frame.world_name
            await session.send("Runtime.addBinding", name=BINDING, executionContextName=world)
            self._scripts[session] = await self._ask(session, json.dumps(BINDING))

    async def _ask(self, session: CdpSession, name: str) -> str:
        """Tell all documents of a session, and those to come, to whom they are to tell."""
        begin = f"() => {source()}.follow({name}, {json.dumps(self._keeps)})"
        answer = await session.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source=WHEN_PARSED.format(begin=begin),
            worldName=self._tab.page.main_frame.world_name,
            runImmediately=True,
        )
        return str(answer["identifier"])

    def _on_event(self, event: Any) -> None:
        if event.get("name") == BINDING:
            with suppress(ValueError, asyncio.QueueFull):
                self._events.put_nowait(json.loads(event["payload"]) | {"at": monotonic()})

    def _note_arrival(self) -> None:
        """Note that a person went to another address by the browser itself."""
        commits, activity = self._commits, self._state.activity
        self._commits = activity.commits
        if activity.commits == commits or monotonic() - self._happened < LED:
            return
        url = Navigate(url=self._tab.page.url)
        self._recorder.add(self._recorder.new_note(self._tab, "navigate", url, self._state))

    async def _note(self, event: dict[str, Any]) -> None:
        kind, value = str(event["kind"]), event.get("value")
        evidence = self._evidence(event)
        if kind == "fill" and value is None:
            value, evidence.is_secret = UNTOLD, True
        fields = {"key" if kind == "press" else "value": value} if value is not None else {}
        params = KINDS[kind](ref=evidence.raw, **fields)
        note = self._recorder.new_note(self._tab, kind, params, self._state)
        note.evidence[evidence.raw] = evidence
        self._drop_click(note, evidence)
        self._last, self._happened = note, monotonic()
        self._recorder.add(note)
        await self._note_outcome(note, event["at"])

    def _evidence(self, event: dict[str, Any]) -> Evidence:
        """Return the evidence of the nearest element that a snapshot shows."""
        refs, before = event["refs"], self._before
        shown = {item.ref for item in before.surroundings.order} if before else set[str]()
        at = next((at for at, ref in enumerate(refs) if ref in shown), 0)
        evidence = Evidence(raw=refs[at], role=str(event["role"]), name=str(event["name"]))
        marks = event["marks"][at]
        evidence.marks = {name: mark for name, mark in marks.items() if isinstance(mark, str)}
        evidence.is_secret = bool(event["marks"][0].get("secret"))
        if before is not None:
            add_words(evidence, before)
        return evidence

    def _drop_click(self, note: CallNote, evidence: Evidence) -> None:
        """Leave out a click that only gave the field its focus, or began a double or triple one."""
        last, action = self._last, note.call.action
        goes_on = action == "click" and getattr(note.call.params, "value", None) in COUNTS
        if last is None or last.call.action != "click" or evidence.raw not in last.evidence:
            return
        if action in ("fill", "select") or goes_on:
            last.failed = True

    async def _note_outcome(self, note: CallNote, began: float) -> None:
        """Note what came of it, unless something else was done before that was seen."""
        activity = self._state.activity
        mark, commits = activity.mark(), self._commits
        quiet = since = monotonic()
        while monotonic() - quiet < QUIET and monotonic() - since < LONGEST:
            if not self._events.empty() or (self._is_ending and not self._keeps):
                return
            if activity.pending(mark) or activity.leaving:
                quiet = monotonic()
            await asyncio.sleep(STEP)
        before, self._commits = self._before, activity.commits
        self._before = after = await self._state.peek()
        NOTE.set(note)
        is_other = activity.commits != commits
        changes: list[SnapshotDiff] = []
        if self._keeps and before is not None and not is_other:
            compared = partial(compare, before, after)
            changes = await beside(compared, large=after.characters > LARGE)
        note_outcome(
            self._state,
            after if self._keeps else None,
            changes=changes,
            # What changes without an action of strap's counts as restless in `after`.
            restless=before.restless if before is not None else (),
            navigated=is_other,
            began=began,
        )
