"""Signals that ask a command to end, from its first line on."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals of terminals, supervisors and lost connections; Windows has no SIGHUP."""


class Ending:
    """Signals of this process: they are noted until somebody can answer them."""

    def __init__(self) -> None:
        self.came = 0
        """How many came."""
        self._end: Callable[[], object] | None = None
        self._interrupts = False
        self._owes: Callable[[], bool] = lambda: True

    def note(self, owes: Callable[[], bool] | None = None) -> None:
        """Take note of signals from now on; those that are ignored stay ignored.

        While `owes` says that no answer is owed, they end the process as Ctrl-C does.
        """
        self._owes = owes or self._owes
        for number in _heeded(NAMES):
            signal.signal(number, self._signalled)

    @contextmanager
    def answered_by(self, end: Callable[[], object]) -> Iterator[None]:
        """Call `end` for each signal, at once where one came before."""
        self._end = end
        if self.came:
            end()
        try:
            yield
        finally:
            self._end = None

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Let noted signals raise `KeyboardInterrupt`, where a person or a pipe is waited for."""
        self._interrupts = True
        try:
            if self.came:
                raise KeyboardInterrupt
            yield
        finally:
            self._interrupts = False

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self.came += 1
        if self._interrupts or not self._owes():
            signal.default_int_handler(number, frame)
        if self._end is not None:
            self._end()


ending = Ending()


def end_as_ctrl_c() -> None:
    """Let the other signals end this process as Ctrl-C does: with its clean-ups."""
    for number in _heeded(NAMES[1:]):
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def _heeded(names: tuple[str, ...]) -> Iterator[signal.Signals]:
    numbers = (getattr(signal, name, None) for name in names)
    return (n for n in numbers if n is not None and signal.getsignal(n) is not signal.SIG_IGN)
