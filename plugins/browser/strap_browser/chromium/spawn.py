"""A managed browser, started while everything else is imported; so this module imports little.

It is started as `starting` has declared it, which takes for granted what is so nearly always:
nobody else starts or uses the profile. Where it is not so, nothing is started here.
"""

import _socket  # what `socket` adds takes longer to import than a browser to be started
import fcntl
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from strap_browser.chromium.preferences import ask_nobody, keep_nothing

if TYPE_CHECKING:
    from socket import socket

COMMANDS, REPLIES = 3, 4
"""The file descriptors that Chromium reads and writes with `--remote-debugging-pipe`."""
PORT = "--remote-debugging-port="
PROXY = "--proxy-server=socks5://127.0.0.1:"
"""The switch of a guarded browser; with port 0 it stands for one whose port is not known yet."""
RECORD = "running.json"
BACKLOG = 100
PLAIN = {"resource", "action", "profile"}
"""The fields of a call that starts a browser as it is configured."""


class PrestartedChromium:
    """A browser on its way, with all that it was given; whoever takes it takes over the parts."""

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], data: str, port: int
    ) -> None:
        """`environ` is added to the environment; `data` is the user data directory.

        `port` is the debugging port in `command`; any free one is taken where it is in use.
        """
        self.port = port if is_free(port) else 0
        self.command = [
            PORT + str(self.port) if word == PORT + str(port) else word for word in command
        ]
        self.environ = dict(environ)
        self.lock = -1
        """The descriptor that holds the lock of the profile."""
        self.listener = -1
        """The descriptor where the proxy of a guarded browser is to accept its connections."""
        self.errors = -1
        """The descriptor to read its error output from."""
        self.pid = 0
        self.ends = (-1, -1)
        """Our ends of its pipe: for commands, and for replies."""
        self._data = data

    def start(self) -> bool:
        """Start it; false if something is in the way. Raises `OSError`."""
        root = os.path.dirname(self._data)
        self.lock = os.open(root, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        used = (os.path.join(root, RECORD), os.path.join(self._data, "SingletonLock"))
        if any(map(os.path.lexists, used)) or not os.path.isdir(self._data):
            return False
        keep_nothing(self._data)
        ask_nobody(self._data, headless="--headless" in self.command)
        if PROXY + "0" in self.command:
            self.listener, port = _listen()
            self.command[self.command.index(PROXY + "0")] = f"{PROXY}{port}"
        self.errors, writing = os.pipe()
        try:
            self.pid, self.ends = spawn(self.command, {**os.environ, **self.environ}, writing)
        finally:
            os.close(writing)
        return True

    def give_lock(self) -> int:
        """Return the descriptor that holds the lock of the profile, for the caller to close."""
        descriptor, self.lock = self.lock, -1
        return descriptor

    def give_listener(self) -> "socket | None":
        """Return where the proxy is to accept connections, for the caller to close."""
        from socket import socket

        descriptor, self.listener = self.listener, -1
        return socket(fileno=descriptor) if descriptor >= 0 else None

    def give_process(self) -> tuple[int, tuple[int, int]]:
        """Return the browser's id and our ends of its pipe, for the caller to end it."""
        process = self.pid, self.ends
        self.pid, self.ends = 0, (-1, -1)
        return process

    def give_errors(self) -> int:
        """Return the descriptor to read its error output from, for the caller to close."""
        descriptor, self.errors = self.errors, -1
        return descriptor

    def abandon(self) -> None:
        """End the browser at once, and give back everything else that nobody has taken."""
        pid, ends = self.give_process()
        if pid:
            self._kill(pid)
        if listener := self.give_listener():
            listener.close()
        for descriptor in (*ends, self.give_errors(), self.give_lock()):
            if descriptor >= 0:
                os.close(descriptor)

    def _kill(self, pid: int) -> None:
        from pathlib import Path

        from strap_browser.chromium.singleton_lock import Singleton

        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        Singleton(Path(self._data)).remove(pid)


def start_browser(
    fields: Mapping[str, Any],
    command: Sequence[str],
    environ: Mapping[str, str],
    data: str,
    profile: str,
    port: int,
) -> PrestartedChromium | None:
    """Start the browser of `profile`, if the call means that one as it is configured.

    `port` is its debugging port in `command`, which may hold `PROXY` with port 0. Raises `OSError`.
    """
    if fields.keys() - PLAIN or fields.get("profile", profile) != profile:
        return None
    browser, started = PrestartedChromium(command, environ, data, port), False
    try:
        started = browser.start()
    finally:
        if not started:
            browser.abandon()
    return browser if started else None


def is_free(port: int) -> bool:
    """Whether a server could listen on this port of loopback; 0 stands for any."""
    with closing(_socket.socket()) as probe:
        try:
            _bind(probe, port)
        except OSError:
            return False
    return True


def _listen() -> tuple[int, int]:
    with closing(_socket.socket()) as server:
        _bind(server, 0)
        server.listen(BACKLOG)
        port: int = server.getsockname()[1]
        return server.detach(), port


def _bind(listener: _socket.socket, port: int) -> None:
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))


def spawn(
    command: list[str], environ: Mapping[str, str], errors: int
) -> tuple[int, tuple[int, int]]:
    """Start `command` in a session of its own; return its id and our ends of the pipe.

    So it takes no time from this process where the system deals that out by sessions, as Linux
    does: it has a dozen threads that are busy while it starts.

    `posix_spawn` places the descriptors without running Python in a forked child, which is not
    safe beside threads. They are moved up first, so that none is overwritten before it is used.
    """
    commands, to_child = os.pipe()
    from_child, replies = os.pipe()
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in (commands, replies, errors)]
    try:
        pid = os.posix_spawn(
            command[0],
            command,
            environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                *zip([os.POSIX_SPAWN_DUP2] * 3, high, (COMMANDS, REPLIES, 2), strict=True),
            ],
            setsid=True,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
        )
    except BaseException:
        os.close(to_child)
        os.close(from_child)
        raise
    finally:
        for descriptor in (commands, replies, *high):
            os.close(descriptor)
    return pid, (to_child, from_child)
