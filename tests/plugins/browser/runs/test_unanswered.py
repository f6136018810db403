"""Runs whose first page never answers: there is a picture all the same."""

import socket
import threading
from typing import NamedTuple

import pytest

from tests.support.model_server import done

pytestmark = pytest.mark.anyio
SILENT, HEAD, BEGUN = b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", b"\r\n<title>Begun"
"""What comes of an answer before there is no more."""


class Stuck(NamedTuple):
    """Where such a server is, and whether its page begins."""

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
