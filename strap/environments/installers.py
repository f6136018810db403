"""Installers: uv if there is one, else pip; ended with all processes that they started."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from strap.errors import ActionError

LIMIT = 3600.0
"""Seconds that an installer may take."""
ELSEWHERE = ("PIP_PREFIX", "PIP_ROOT", "PIP_TARGET", "PYTHONHOME", "PYTHONPATH", "UV_TARGET")
"""Variables that would make an installer put things elsewhere, or take them from there."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def install(folder: Path, lock: int, packages: Sequence[str], tell: Callable[[str], None]) -> str:
    """Make a virtual environment in `folder` with `packages`; returns the installer's name.

    Indexes, proxies and certificates are as the user has set them for the installer.
    """
    uv = shutil.which("uv")
    python = str(folder / "bin" / "python")
    tell(f"Installing with {'uv' if uv else 'pip'} into {str(folder)!r} …")
    if uv:
        run((uv, "venv", "--quiet", "--python", sys.executable, str(folder)), folder, lock)
        add: tuple[str, ...] = (uv, "pip", "install", "--compile-bytecode", "--python", python)
    else:
        run((sys.executable, "-I", "-m", "venv", str(folder)), folder, lock)
        options = ("--disable-pip-version-check", "--no-input")
        add = (python, "-I", "-m", "pip", "install", *options)
    run((*add, *packages), folder, lock)
    return "uv" if uv else "pip"


def run(
    command: Sequence[str], folder: Path, lock: int, environ: Mapping[str, str] | None = None
) -> None:
    """Run a command in `folder`, with its output on stderr; raises `ActionError`.

    It is in a group of its own, which is ended with all that it started. It holds the folder as
    well: should strap be killed, what it still writes is swept away later.
    """
    if environ is None:
        environ = {k: v for k, v in os.environ.items() if k not in ELSEWHERE} | {"PIP_USER": "0"}
    process = None
    try:
        with _uninterrupted():
            process = subprocess.Popen(  # noqa: S603 - an installer, or the environment's Python
                command,
                cwd=folder,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=[lock],
                start_new_session=True,
            )
        status = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        status = -1
    finally:
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status != 0:
        what = " ".join(command[:4]).replace(str(folder), "…")
        raise ActionError(
            f"{what!r} failed (exit status {status}); above is what it said.",
            hint="Its index and proxy are set as always for pip and uv (PIP_INDEX_URL, pip.conf,"
            " UV_DEFAULT_INDEX, uv.toml).",
            code="environment",
        )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off the signals that end a command.

    A process that was started, but is in no variable yet, nobody could end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = list[int]()
    before = {number: signal.signal(number, lambda n, _: came.append(n)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for signum in came:
            signal.raise_signal(signum)
