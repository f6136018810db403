"""A program that does jobs, one after the other, within limits on computing and memory.

Standard input brings frames of a job, standard output takes those of its result. The process ends
at the end of its input, with the process that started it, and when a job goes beyond a limit.
"""

import os
import sys
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from select import select
from typing import Any

from strap.workers import frames

MEMORY = 240 * 1_048_576
"""Bytes of data that a worker may have."""
GROWN = 140 * 1_024
"""KiB of memory at its peak after which a worker is replaced: it would not give them back."""
TOLD = 4_000
"""Characters at the end of a traceback that are told."""
_PR_SET_PDEATHSIG = 1  # prctl(2)


def main(parent: int, libraries: Iterable[str]) -> None:
    """Serve the process `parent` until the end of the input; import `libraries` before work."""
    results, jobs = _streams()
    _limit(parent)
    for name in libraries:
        if select([jobs], [], [], 0)[0]:
            break  # somebody waits: import what the job needs, when it needs it
        with suppress(ImportError):  # of an extra
            import_module(name)
    while frame := frames.read(jobs):
        head, payload = frame
        _allow(head["seconds"])
        answer = _done(head, payload)
        _allow(0)
        text = answer.pop("text").encode("utf-8", "replace")
        for piece in frames.pack({**answer, "grown": _peak() > GROWN}, text):
            results.write(piece)
        results.flush()


def _streams() -> tuple[Any, Any]:
    """Standard output and input, for frames alone: what a library prints goes nowhere."""
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return results, sys.stdin.buffer


def _limit(parent: int) -> None:
    import ctypes
    import resource
    import signal

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit()  # it died before it could be watched
    for kind, most in (
        (resource.RLIMIT_DATA, MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _allow(seconds: float) -> None:
    """Let the kernel end this process after so much computing (setitimer(2)); 0 for no limit."""
    import signal

    signal.setitimer(signal.ITIMER_PROF, seconds)


def _peak() -> int:
    """The most memory that this process has had, in KiB; 0 where the system does not tell.

    Not getrusage(2): on Linux that counts what the parent had before it started this process.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


def _done(job: dict[str, Any], payload: bytes) -> dict[str, Any]:
    """Call the function of a job; in `fault` is what it raised.

    What means too much memory or depth ends the process, as going beyond any limit does.
    """
    module, _, name = job["function"].partition(":")
    try:
        answer = getattr(import_module(module), name)(payload, **job["arguments"])
        return {**asdict(answer), "fault": ""}
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - whatever it is, who asked has to know
        return {"text": "", "fault": traceback.format_exc()[-TOLD:]}


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
