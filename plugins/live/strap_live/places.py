"""Places that can be watched, and calls and events for their timelines."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import count
from typing import Any
from weakref import WeakSet

from strap import Guard
from strap_agent.person.pause import TOLD
from strap_agent.run import Run
from strap_agent.store.records import Event
from strap_browser.api import CallLog, CallNote, LiveSettings, Page, Profile
from strap_live.admission import Grant
from strap_live.control.actors import Actors
from strap_live.control.hold import Hold, Report
from strap_live.history.past_runs import RunHistory, entry_of
from strap_live.pictures.watched_browser import WatchedBrowsers
from strap_live.place import Place
from strap_live.subjects.run import RunSubject
from strap_live.subjects.session import SessionSubject, reach_of
from strap_live.subjects.subject import Reach
from strap_live.timeline import Kind, follow


class Places:
    """The places of this process, made when somebody first asks for them."""

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        runs: Callable[[], Iterable[Run]],
        calls: CallLog,
        settings: LiveSettings,
        rules: Callable[[str], Guard],
        history: RunHistory,
    ) -> None:
        """`rules` returns the guard that says where the caller with a key may `navigate`."""
        self._profiles = profiles
        self._runs = runs
        self._calls = calls
        calls.listener = self
        self._settings = settings
        self._rules = rules
        self._history = history
        self._browsers = WatchedBrowsers()
        self._places: dict[tuple[str, str], Place] = {}
        self._numbers = count(1)
        self._followed: WeakSet[Page] = WeakSet()

    def seen_by(self, grant: Grant) -> list[Place]:
        """Return the places that somebody may see, runs first."""
        self._refresh()
        visible = [place for place in self._places.values() if may_see(grant, place)]
        return sorted(visible, key=lambda place: (place.subject.kind != "run", -place.number))

    def find(self, grant: Grant, place_id: str) -> Place | None:
        """Return the place with this id, if it may be seen."""
        return next((place for place in self.seen_by(grant) if place.id == place_id), None)

    async def passes(self, profile: str, key: str, limit: float, report: Report) -> None:
        """Return as soon as where a caller acts is in nobody's hands; raises `ActionError`."""
        self.end_holds()
        end = time.monotonic() + limit
        while (hold := self._kept_from(profile, key)) is not None:
            await hold.passes(end - time.monotonic(), report)

    def call_began(self, note: CallNote) -> None:
        """A call acts from now on."""
        if place := self._places.get((note.profile, note.key)):
            place.action_began()

    def call_ended(self, note: CallNote) -> None:
        """It acts no more."""
        if place := self._places.get((note.profile, note.key)):
            place.action_ended()
            self._follow(place)
        for other in self._places.values():
            other.actors.ended(note)

    def call_noted(self, note: CallNote) -> None:
        """It is over."""
        if place := self._places.get((note.profile, note.key)):
            _tell(place, note)

    def run_began(self) -> None:
        """A run has its browser: it waits at once where a person has its page in hand."""
        self._refresh()

    def _kept_from(self, profile: str, key: str) -> Hold | None:
        shut = [place for place in self._places.values() if place.hold.state != "agent"]
        reach = self._reach(profile, key) if shut else None
        return next(
            (place.hold for place in shut if reach and place.subject.reach().meets(reach)), None
        )

    def _reach(self, profile: str, key: str) -> Reach:
        known = self._profiles.get(profile)
        return reach_of(known, key) if known else Reach(pages=frozenset())

    def _held_beside(self, place: Place) -> list[Place]:
        held = [other for other in self._places.values() if other.hold.private]
        reach = place.subject.reach() if held else None
        return [
            other
            for other in held
            if other is place or (reach and other.subject.reach().meets(reach))
        ]

    def of_caller(self, profile: str, key: str) -> Place | None:
        """Return the place of a caller's pages."""
        self._refresh()
        return self._places.get((profile, key))

    def let_go(self, keys: Collection[str]) -> None:
        """Let the agent go on where a viewer with one of these keys has control."""
        for place in self._places.values():
            if place.hold.holder in keys:
                place.hold.release()

    async def aclose(self) -> None:
        """Look at nothing any more."""
        self._calls.listener = None
        for place in self._places.values():
            await place.aclose()
        self._places.clear()
        await self._browsers.aclose()

    def _refresh(self) -> None:
        shown = (known for known in self._profiles.values() if "devtools" in known.driver.can)
        for profile in shown:
            for key in profile.callers:
                if (profile.name, key) not in self._places:
                    self._add_caller(profile, key)
        for run in self._runs():
            if ("run", run.session_id) not in self._places:
                self._add_run(run)
        self.end_holds()
        for name, place in list(self._places.items()):
            if place.subject.over and not place.lookers:
                del self._places[name]
                continue
            self._follow(place)
            if place.hold.shut:
                place.actors.heed()

    def _add_caller(self, profile: Profile, key: str) -> None:
        pages = SessionSubject(profile, key, partial(self._rules, key), self._calls)
        if pages.over:
            return
        place = self._add((profile.name, key), pages)
        for note in self._calls.of(key, profile.name):
            _tell(place, note)
        for note in self._calls.under_way:
            if (note.profile, note.key) == (profile.name, key):
                place.action_began()

    def _add_run(self, run: Run) -> None:
        subject = RunSubject(run)
        place = self._add(("run", run.session_id), subject)
        run.recorder.listen(partial(_tell_event, place), partial(_tell_act, place, subject))
        for entry in self._history.so_far(run.session_id):
            _tell_entry(place, entry)

    def end_holds(self) -> None:
        """Let nobody hold what is over, nor control pages whose browser or processes have died."""
        for place in list(self._places.values()):
            session = place.subject.kind == "session"
            lost = session and place.hold.private and not place.subject.pages()
            if place.hold.shut and (place.subject.over or lost):
                place.hold.release()

    def _add(self, name: tuple[str, str], subject: Any) -> Place:
        actors = Actors(
            subject, self._calls, self._runs, lambda note: self._reach(note.profile, note.key)
        )
        place = Place(next(self._numbers), actors, self._browsers, self._settings)
        self._places[name] = place
        place.everywhere = lambda: list(self._places.values())
        place.held_beside = partial(self._held_beside, place)
        place.heed_hold()
        return place

    def _follow(self, place: Place) -> None:
        for page in place.subject.pages():
            if page.tab is not None and page.tab.page not in self._followed:
                self._followed.add(page.tab.page)
                follow(page.tab.page, partial(self._heard, page.tab.page))

    def _heard(self, page: Page, kind: Kind, text: str, *, bad: bool = False) -> None:
        for place in list(self._places.values()):
            for shown in place.subject.pages():
                if shown.tab is not None and shown.tab.page is page:
                    place.timeline.add(kind, text, bad=bad, page=shown.id)


def may_see(grant: Grant, place: Place) -> bool:
    """Whether somebody may see a place: it is theirs, or they are this machine's user."""
    if place.subject.kind == "run" and grant.owner is not None:
        return place.subject.owner == grant.runs
    return grant.sees(place.subject.owner)


def _tell(place: Place, note: CallNote) -> None:
    first = note.answer.strip().partition("\n")[0]
    text = f"{note.what} — {first}" if first else note.what
    place.timeline.add("call", text, at=note.at, bad=note.failed, seconds=note.seconds)


def _tell_act(place: Place, subject: RunSubject, text: str | None, node: int | None) -> None:
    if text is None:
        place.action_ended()
    else:
        subject.aim_at(node)
        place.action_began()
        place.timeline.add("act", text)


def _tell_event(place: Place, event: Event) -> None:
    """Tell what happened in a run, but not again what a person did or is asked here."""
    asking = place.questions.is_watched and event.summary in (TOLD["ask"], TOLD["yes"])
    if event.details.get("by") != "person" or not (asking or place.actors.ordering):
        _tell_entry(place, entry_of(event))


def _tell_entry(place: Place, entry: dict[str, Any]) -> None:
    kind, text = entry.pop("kind"), entry.pop("text")
    place.timeline.add(kind, text, **entry)
