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
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

LOADED = (
    "PIL.Image",
    "browser_use",
    "browser_use.agent.service",
    "browser_use.browser.session",
    "browser_use.tools.service",
    "strap_agent.worker.schema_checker",
    "strap_agent.worker.agent_run",
)
AHEAD = (
    "anyio._backends._asyncio",
    "browser_use.actor.page",
    "browser_use.agent.system_prompts",
    "browser_use.browser.session_manager",
    "browser_use.browser.video_recorder",
    "browser_use.dom.markdown_extractor",
    "browser_use.screenshots.service",
    "httpcore",
    "httpcore2",
    "websockets.asyncio.client",
)
"""Modules that every run imports, each in 0.1 s; other releases may lack some."""
WHOLE = ("browser_use.browser.watchdogs", "cdp_use.cdp")
"""Packages of which a run imports all."""
FIRST_REQUEST = {
    "anthropic": "anthropic.resources.messages.messages",
    "openai": "openai.resources.chat.chat",
}
"""Modules that the libraries of models import with the first request."""
ANTHROPIC = "browser_use.llm.anthropic.chat"
"""The module of a class that each agent asks whether its model is of it."""


def preload(modules: list[str]) -> None:
    """Import what every run needs, and `modules`; garbage is not looked for until `serve`.

    What is imported stays: to go through it again and again takes a tenth of the time.
    """
    gc.disable()
    if ANTHROPIC not in modules:
        # Its library takes as long to import as all the rest: what none is of, need not be there.
        stand_in = ModuleType(ANTHROPIC)
        stand_in.ChatAnthropic = type("ChatAnthropic", (), {})  # type: ignore[attr-defined]
        sys.modules[ANTHROPIC] = stand_in
    for module in (*LOADED, *modules):
        import_module(module)
    later = [part for library, part in FIRST_REQUEST.items() if library in sys.modules]
    for module in (*AHEAD, *later, *WHOLE):
        with suppress(ImportError):
            _import_whole(module) if module in WHOLE else import_module(module)


def _import_whole(package: str) -> None:
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        import_module(module.name)


def serve(control: socket.socket) -> None:
    """Fork a worker for each message: the folder to work in, with the descriptor of its channel.

    The end of the input means that strap is gone.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a worker ended
    gc.freeze()
    gc.enable()
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65_536, 1)
        if not data:
            os._exit(0)
        if os.fork() == 0:
            control.close()
            _work(json.loads(data)["folder"], descriptors[0])
        os.close(descriptors[0])


def _work(folder: str, descriptor: int) -> None:
    import asyncio

    from strap_agent.worker.agent_run import serve as serve_run
    from strap_agent.worker.channel import Channel

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    random.seed()
    try:
        asyncio.run(serve_run(Channel(descriptor)))
    finally:
        os._exit(1)
