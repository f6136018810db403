"""Plugins that would end or stop other programs: a server goes on."""

import sys

import httpx2
import pytest

from tests.mcp.conversation import SCRIPT, WAIT, Listening, call, modern, notification, text_of

ACCEPT = {"accept": "application/json, text/event-stream"}
WAYS = ["by itself", "in a task", "in a callback"]
SAY = {"resource": "probe", "action": "say", "words": "still here"}


@pytest.mark.parametrize("way", WAYS)
def test_an_exit_does_not_end_a_stdio_server(early_server, way):
    server = early_server()
    answer = server.ask(call(resource="probe", action="leave", words=way))
    said = "Internal error (SystemExit) in probe.leave of plugin 'probe';"
    assert text_of(answer).startswith(said if way == "by itself" else "left")
    assert text_of(server.ask(call(6, **SAY))) == "still here"
    assert server.finish() == 0
    assert "SystemExit: 3" in server.log()


def ask_over_http(server, **arguments):
    message = modern("tools/call", name="web", arguments=arguments)
    headers = ACCEPT | {
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "web",
    }
    return httpx2.post(server.url, json=message, headers=headers, timeout=WAIT).text


@pytest.mark.parametrize("way", WAYS)
def test_an_exit_does_not_end_an_http_server(tmp_path, way):
    with Listening(tmp_path, (sys.executable, SCRIPT, "--http")) as server:
        ended = ask_over_http(server, resource="probe", action="leave", words=way)
        assert ("Internal error (SystemExit)" if way == "by itself" else "left") in ended
        assert "still here" in ask_over_http(server, **SAY)
        assert server.ends_well()


def test_an_action_that_does_not_end_is_answered_for_over_stdio(early_server):
    server = early_server()
    late = server.ask(call(resource="probe", action="stick", timeout=0.3))
    assert text_of(late).startswith("probe.stick did not finish within")
    assert text_of(server.ask(call(6, **SAY))) == "still here"
    assert server.finish() == 0
    assert "probe.stick goes on although it was cancelled" in server.log()


def test_an_action_that_does_not_end_is_answered_for_over_http(tmp_path):
    with Listening(tmp_path, (sys.executable, SCRIPT, "--http")) as server:
        late = ask_over_http(server, resource="probe", action="stick", timeout=0.3)
        assert "probe.stick did not finish within" in late
        assert "still here" in ask_over_http(server, **SAY)
        assert server.ends_well()


def test_what_blocks_the_loop_of_a_server_is_logged(early_server):
    server = early_server()
    assert text_of(server.ask(call(resource="probe", action="block", number=3))) == "blocked"
    assert server.finish() == 0
    assert "probe.block blocks the event loop: use asyncio.to_thread" in server.log()


def test_a_thread_that_hangs_delays_nobody_and_not_the_end(early_server):
    server = early_server()
    hang = {"resource": "probe", "action": "hang", "number": 60}
    late = text_of(server.ask(call(7, **hang, timeout=0.3)))
    assert late.startswith("probe.hang did not finish within 0.")
    server.send(call(8, **hang))
    server.wait_for("hanging")
    assert text_of(server.ask(call(9, **SAY))) == "still here"
    server.send(notification("notifications/cancelled", {"requestId": 8}))
    assert text_of(server.ask(call(10, **SAY))) == "still here"
    assert server.finish() == 0
