"""Actors in the pages of a place: the agent's calls under way, and runs."""

from collections.abc import Callable, Iterable
from functools import partial

from strap import ActionError
from strap_agent.run import Run
from strap_browser.api import CallLog, CallNote
from strap_live.subjects.run import reach_of
from strap_live.subjects.subject import Reach
from strap_live.subjects.telling import Subject

Parked = Callable[[], None]


class Actors:
    """Those who act in the same pages as a place, at whatever place they are shown."""

    def __init__(
        self,
        subject: Subject,
        calls: CallLog,
        runs: Callable[[], Iterable[Run]],
        reach: Callable[[CallNote], Reach],
    ) -> None:
        """`reach` tells where a call acts."""
        self.subject = subject
        self._calls = calls
        self._runs = runs
        self._reach = reach
        self.ordering = False
        """Whether runs are told to wait or to go on, right now."""
        self._parked: Parked | None = None
        self._busy: set[CallNote | Run] = set()
        """Actors that have to pause first."""
        self._waiting: dict[Run, None] = {}
        """The runs that wait, or are about to; calls wait before they begin."""

    def park(self, parked: Parked) -> bool:
        """Let nothing more begin; return whether nothing is under way, else call `parked` then."""
        self._parked, self._busy = None, set(self._calls_here())
        for run in self._runs_here():
            self._have_wait(run)
        self._parked = parked if self._busy else None
        return not self._busy

    def heed(self) -> None:
        """Have the runs wait as well that have come to the pages since."""
        for run in self._runs_here():
            if run not in self._waiting:
                self._have_wait(run)

    def ended(self, actor: CallNote | Run) -> None:
        """Take note that somebody acts no more."""
        self._busy.discard(actor)
        if self._parked is not None and not self._busy:
            parked, self._parked = self._parked, None
            parked()

    def unpark(self, seconds: float) -> None:
        """Let everybody go on, after so many seconds; calls do that by themselves."""
        self._parked, waiting = None, list(self._waiting)
        self._waiting.clear()
        self.ordering = True
        for run in waiting:
            run.pause.end("hold", self.subject.goes_on(seconds), by=self)
        self.ordering = False

    def break_off(self, error: ActionError) -> None:
        """End what is under way: calls at once; of runs what their pages load."""
        for note in self._calls_here():
            note.break_off(error)
        for run in self._waiting:
            if run in self._busy and run.monitor is not None:
                run.monitor.stop_loading()

    def stop(self, error: ActionError) -> None:
        """End everything at once."""
        self.break_off(error)
        for run in self._runs_here():
            run.stop("cancelled", by_person=True)

    def _have_wait(self, run: Run) -> None:
        self._waiting[run] = None
        self.ordering = True
        if not run.pause.begin("hold", partial(self.ended, run), by=self):
            self._busy.add(run)
        self.ordering = False

    def _calls_here(self) -> list[CallNote]:
        reach = self.subject.reach() if self._calls.under_way else None
        return [note for note in self._calls.under_way if reach and reach.meets(self._reach(note))]

    def _runs_here(self) -> list[Run]:
        reach = self.subject.reach()
        return [run for run in self._runs() if reach.meets(reach_of(run))]
