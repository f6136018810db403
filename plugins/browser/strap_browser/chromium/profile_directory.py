"""The directory of a managed profile: its data, who runs it, who uses it.

Locks are `flock`s on the directories themselves: nothing is left behind when their holder is
killed, and no lock file exists. `exclusive` is held while a browser is found, launched or ended;
a `Presence` is shared and held for as long as a process is connected.
"""

import asyncio
import fcntl
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import urlsplit

from strap import ActionError, make_private, record, write_atomically
from strap_browser.chromium.preferences import keep_nothing
from strap_browser.chromium.singleton_lock import Singleton, exists
from strap_browser.chromium.spawn import RECORD, PrestartedChromium
from strap_browser.proxy.control import ProxyControl

POLL = 0.02
QUIT_LIMIT = 5.0
ANSWER_LIMIT = 2.0


@record
class RunningRecord:
    """The record of a running browser. The address holds an id that no later run repeats."""

    address: str
    pid: int
    owner: int
    headless: bool
    mode: str = ""
    """The network mode of the process that launched it."""
    terms: str = ""
    """The seal of its network rules (see `Terms`)."""
    gate: ProxyControl | None = None

    @property
    def port(self) -> int:
        """The debugging port on loopback."""
        return urlsplit(self.address).port or 0

    async def answers(self) -> bool:
        """Whether this very browser still listens on its port."""
        return await asyncio.to_thread(self._answers)

    def _answers(self) -> bool:
        from http.client import HTTPConnection, HTTPException

        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_LIMIT)
        try:
            connection.request("GET", "/json/version")
            version = json.loads(connection.getresponse().read(65_536))
            return bool(version["webSocketDebuggerUrl"] == self.address)
        except (OSError, HTTPException, ValueError, KeyError, TypeError):
            return False
        finally:
            connection.close()


class SharedProfileLock:
    """A shared lock that tells other processes: somebody uses this browser."""

    def __init__(self, directory: Path) -> None:
        self._descriptor = os.open(directory, os.O_RDONLY)
        try_lock(self._descriptor, fcntl.LOCK_SH)

    def alone(self) -> bool:
        """Whether no other process is present; call it with the profile locked."""
        try:
            return try_lock(self._descriptor, fcntl.LOCK_EX)
        finally:
            try_lock(self._descriptor, fcntl.LOCK_SH)

    def end(self) -> None:
        """Release the lock."""
        os.close(self._descriptor)


class ProfileDirectory:
    """The files of one profile below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "user-data"
        self.downloads = root / "downloads"
        self.lock = Singleton(self.data)
        """Chromium's own lock."""
        self._record = root / RECORD

    def create(self) -> None:
        """Make the directories; logins live here, so they are for the user alone."""
        make_directories(self.root, self.data, self.downloads)

    @asynccontextmanager
    async def exclusive(self, early: PrestartedChromium | None = None) -> AsyncIterator[None]:
        """Keep other processes from starting or ending the browser meanwhile, as `early` did."""
        self.create()
        held = early.give_lock() if early else -1
        descriptor = held if held >= 0 else os.open(self.root, os.O_RDONLY)
        try:
            while not try_lock(descriptor, fcntl.LOCK_EX):  # noqa: ASYNC110 - the kernel sends no event
                await asyncio.sleep(POLL)
            yield
        finally:
            os.close(descriptor)

    def read(self) -> RunningRecord | None:
        """Return what the record says; the browser need not run any more."""
        try:
            fields = json.loads(self._record.read_text("utf-8"))
            gate = fields.pop("gate", None)
            running = RunningRecord(**fields, gate=ProxyControl(**gate) if gate else None)
            return replace(running, mode=str(running.mode), terms=str(running.terms))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, running: RunningRecord) -> None:
        """Replace the record in one step; raises `ActionError` (code "home")."""
        with writing(self.root):
            write_atomically(self._record, json.dumps(asdict(running)).encode())

    def forget(self, running: RunningRecord) -> None:
        """Remove the record if it is still that of `running`."""
        if self.read() == running:
            self._record.unlink(missing_ok=True)

    async def clear(self) -> None:
        """Make it ready for a browser; call it with the profile locked.

        Removes what a browser that was killed left behind, waits for one that is about to end, and
        kills one that hangs since its strap process was killed. Raises `ActionError`: code
        "profile_in_use" if another one runs there, or "home".
        """
        try:
            await self._wait_for_holder()
        except TimeoutError:
            self._kill_orphan()
            with suppress(TimeoutError):
                await self._wait_for_holder()
        if pid := self.lock.holder():
            raise ActionError(
                f"Another browser (process {pid}) uses the directory {str(self.data)!r}.",
                hint="Close it, or use another profile.",
                code="profile_in_use",
            )
        self.lock.remove()
        self.clear_downloads()
        self.create()
        for partial in self.root.glob("*running.*"):
            partial.unlink(missing_ok=True)
        with writing(self.root):
            keep_nothing(str(self.data))

    def clear_downloads(self) -> None:
        """Remove what was on its way when the browser ended."""
        try:
            self.downloads.rmdir()  # nothing was on its way
        except OSError:
            from shutil import rmtree

            rmtree(self.downloads, ignore_errors=True)
        with suppress(OSError):
            self.downloads.mkdir(mode=0o700)

    async def _wait_for_holder(self) -> None:
        async with asyncio.timeout(QUIT_LIMIT):
            while self.lock.holder():  # noqa: ASYNC110 - it is no child of this process
                await asyncio.sleep(POLL)

    def _kill_orphan(self) -> None:
        """Kill the browser of the record if it is the holder and its strap process is gone."""
        running = self.read()
        if running is None or running.pid != self.lock.holder() or exists(running.owner):
            return
        with suppress(OSError):
            os.killpg(running.pid, signal.SIGKILL)


def make_directories(root: Path, *inner: Path) -> None:
    """Make those of a profile, for the user alone; raises `ActionError` (code "home")."""
    try:
        for path in (root, *inner):
            make_private(path)
    except OSError as error:
        raise ActionError(
            f"The profile directory {str(root)!r} cannot be made: {error.strerror}.",
            hint="Set STRAP_HOME to a directory that may be written.",
            code="home",
        ) from None


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """Have what fails of writing to a profile raise `ActionError` (code "home")."""
    try:
        yield
    except OSError as error:
        raise ActionError(
            f"Cannot write to the profile directory {str(root)!r}: {error.strerror}.",
            hint="Make room there, or set STRAP_HOME to another directory.",
            code="home",
        ) from None


def try_lock(descriptor: int, kind: int) -> bool:
    """Take a lock (`fcntl.flock`) if nobody else has it; return whether it is taken."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks: one process at a time is up to the user
    return True
