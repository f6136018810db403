"""Forking workers from a process that has loaded everything and does nothing else.

It has no thread and no event loop, so that its children start clean, within milliseconds, and
share its memory.
"""

import gc
import json
import os
import random
import signal
import socket
import sys
import tempfile
from importlib import import_module
from types import ModuleType

LOADED = (
    "PIL.Image",
    "browser_use",
    "browser_use.agent.service",
    "browser_use.browser.session",
    "browser_use.tools.service",
    "strap_browser.worker.schema_checker",
    "strap_browser.worker.agent_run",
)


ANTHROPIC = "browser_use.llm.anthropic.chat"
"""The module of a class that each agent asks whether its model is of it."""


def preload(modules: list[str]) -> None:
    """Import what every run needs, and `modules`."""
    if ANTHROPIC not in modules:
        # Its library takes as long to import as all the rest: what none is of, need not be there.
        stand_in = ModuleType(ANTHROPIC)
        stand_in.ChatAnthropic = type("ChatAnthropic", (), {})  # type: ignore[attr-defined]
        sys.modules[ANTHROPIC] = stand_in
    for module in (*LOADED, *modules):
        import_module(module)


def serve(control: socket.socket) -> None:
    """Fork a worker for each message: the folder to work in, with the descriptor of its channel.

    The end of the input means that strap is gone.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a worker ended
    gc.collect()
    gc.freeze()
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65_536, 1)
        if not data:
            os._exit(0)
        if os.fork() == 0:
            control.close()
            _work(json.loads(data)["folder"], descriptors[0])
        os.close(descriptors[0])


def _work(folder: str, descriptor: int) -> None:
    """Be a worker; never returns."""
    import asyncio

    from strap_browser.worker.agent_run import serve as serve_run
    from strap_browser.worker.channel import Channel

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    random.seed()
    try:
        asyncio.run(serve_run(Channel(descriptor)))
    finally:
        os._exit(1)
