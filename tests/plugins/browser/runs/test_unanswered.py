"""Runs whose first page never answers: there is a picture all the same."""

import asyncio
import os
import signal
import socket
import threading
from typing import NamedTuple

import pytest

from tests.support.model_server import done
from tests.support.waiting import eventually

from .lab import browsers, running

pytestmark = pytest.mark.anyio
SILENT, HEAD, BEGUN = b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", b"\r\n<title>Begun"
"""Beginnings of an answer that then stops."""


class Stuck(NamedTuple):
    """Address of such a server, and whether its page begins."""

    url: str
    begun: bool


@pytest.fixture(params=[SILENT, HEAD, HEAD + BEGUN], ids=["silent", "head", "begun"])
def stuck(request):
    """The address of a server that takes requests and stops there."""
    held = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    held.append(listener.accept()[0])
                except OSError:
                    return
                held[-1].sendall(request.param)

        threading.Thread(target=serve, daemon=True).start()
        begun = request.param.endswith(BEGUN)
        yield Stuck(f"http://127.0.0.1:{listener.getsockname()[1]}/", begun)
        listener.shutdown(socket.SHUT_RDWR)
        for each in held:
            each.close()


@pytest.mark.parametrize("budget", [5, pytest.param(20, marks=pytest.mark.soak)])
async def test_there_is_a_picture(lab, stuck, budget):
    answer = await lab.run(done("42"), url=stuck.url, budget_s=budget)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "budget")
    assert answer["page"]["title"] == ("Begun" if stuck.begun else None)
    assert "get_screenshots" in answer["next_actions"][0]


async def test_a_browser_that_dies_before_its_first_picture(lab, stuck):
    call = asyncio.create_task(lab.raw(done("42"), url=stuck.url, budget_s=60))
    await eventually(lambda: lab.runs.active and running(lab).monitor, within=100)
    await eventually(lambda: running(lab).monitor.pages)
    [pid] = browsers()
    os.kill(pid, signal.SIGKILL)
    answer = await lab.checked(await asyncio.wait_for(call, 30), picture=None)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "browser_error")
