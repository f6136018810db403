"""A browser that does not start at the first attempt, or not at all."""

import asyncio
import json
import os
import socket
import stat
import sys

import pytest

from strap_browser.chromium import command_line, executables, process
from strap_browser.settings.browser import BrowserSettings
from tests.plugins.browser.lifecycle import pages
from tests.plugins.browser.lifecycle.machine import (
    browser_pid,
    children,
    gone,
    litter,
    tree,
)
from tests.support.processes import of_browsers

pytestmark = pytest.mark.anyio
NETWORK = "utility --utility-sub-type=network.mojom"


@pytest.fixture
def wrapped(tmp_path):
    """Make an executable that runs a line of shell and then the real browser."""

    def make(line):
        script = tmp_path / "browser"
        script.write_text(f'#!/bin/sh\n{line}\nexec {executables.find_executable()} "$@"\n')
        script.chmod(0o755)
        return str(script)

    return make


async def launch(open_web, **settings):
    async with open_web(**settings) as web:
        result = await web(resource="browser", action="launch")
    return result.data["profiles"][0]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it has a sandbox")
async def test_the_network_needs_no_process_of_its_own(open_web, serve_site, tmp_path):
    site = serve_site({"/": "<title>Home</title>"})
    async with open_web() as web:
        await web(resource="browser", action="launch")
        await web(resource="browser", action="navigate", url=site)
        running = [of_browsers(kind, tmp_path) for kind in ("renderer", NETWORK)]
    assert [bool(pids) for pids in running] == [True, False]


async def test_a_preferred_port_in_use_is_passed_over(open_web):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        entry = await launch(open_web, port=port)
    assert entry["running"] is True
    assert not entry["cdp_url"].endswith(f":{port}")


async def test_a_port_taken_in_the_meantime_costs_a_second_attempt(open_web, wrapped, tmp_path):
    refuse = "echo 'Cannot start http server for devtools.' >&2; exec sleep 60"
    script = wrapped(f'case "$*" in *port=0*) ;; *) {refuse} ;; esac')
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert (await launch(open_web, executable=script, port=port))["running"] is True
    await gone(tmp_path)


async def test_without_user_namespaces_the_sandbox_is_off(open_web, wrapped, monkeypatch, caplog):
    monkeypatch.setattr(command_line.os, "geteuid", lambda: 1000)
    refuse = "echo 'FATAL: No usable sandbox!' >&2; exit 1"
    script = wrapped(f'case "$*" in *--no-sandbox*) ;; *) {refuse} ;; esac')
    assert (await launch(open_web, executable=script))["running"] is True
    assert "runs without its sandbox" in caplog.text


async def test_a_sandbox_that_is_asked_for_is_never_turned_off(open_web, wrapped):
    refuse = "echo 'FATAL: No usable sandbox!' >&2; exit 1"
    script = wrapped(f'case "$*" in *--no-sandbox*) ;; *) {refuse} ;; esac')
    async with open_web(executable=script, sandbox=True) as web:
        error = await web.fails(resource="browser", action="launch")
    assert error.message == "The browser ended while it was starting."


async def test_a_browser_that_says_nothing_is_given_up(open_web, wrapped, monkeypatch):
    monkeypatch.setattr(process, "START_LIMIT", 0.3)
    async with open_web(executable=wrapped("exec sleep 61")) as web:
        error = await web.fails(resource="browser", action="launch")
        assert error.message == "The browser did not start within 0.3 s."
        assert not children(os.getpid(), "sleep 61")
        wrapped("")
        monkeypatch.setattr(process, "START_LIMIT", 20.0)
        again = await web(resource="browser", action="launch")
    assert again.data["profiles"][0]["running"] is True


async def test_a_browser_that_ignores_the_end_of_its_pipe_is_killed(open_web, wrapped, tmp_path):
    # The shell stays as the leader of the group and holds the pipe's other end open.
    stubborn = "trap '' TERM INT HUP"
    script = wrapped(f'{stubborn}; "$0.real" "$@" & sleep 60; exit')
    real = tmp_path / "browser.real"
    real.symlink_to(executables.find_executable())
    async with open_web(executable=script) as web:
        await web(resource="browser", action="launch")
    await gone(tmp_path / "home", within=1)


async def test_a_configured_size_and_nothing_left_behind_the_router(open_web, home, serve_site):
    site = serve_site({"/": "<title>Home</title>"})
    async with open_web(pages, viewport=[900, 600]) as web:
        await web(resource="browser", action="launch")
        await web(resource="browser", action="visit", url=site)
        size = await web(resource="browser", action="run", text="[innerWidth, innerHeight].join()")
        pid = browser_pid(home)
        assert tree(home, pid)
    assert size.text == "900,600"
    await gone(home, pid)
    assert litter(home) == []


async def test_what_is_written_is_for_the_user_alone(open_web, home):
    await launch(open_web)
    for path in (home / "profiles" / "nebo", home / "profiles" / "nebo" / "user-data"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


async def test_a_home_that_cannot_be_written_is_named(open_web, home):
    home.write_text("a file")
    async with open_web() as web:
        error = await web.fails(resource="browser", action="launch")
    assert error.code == "home"
    assert "STRAP_HOME" in error.hint


async def test_the_record_of_a_running_browser(open_web, home):
    async with open_web() as web:
        await web(resource="browser", action="launch")
        record = json.loads((home / "profiles" / "nebo" / "running.json").read_text())
        assert record["owner"] == os.getpid()
        assert record["address"].startswith("ws://127.0.0.1:")
        assert record["headless"] is True


@pytest.mark.soak
async def test_a_start_that_is_given_up_at_any_moment_leaves_nothing(tmp_path):
    settings = BrowserSettings(headless=True)
    command = command_line.command_line(
        executables.find_executable(), tmp_path, 0, settings, sandbox=False, gate=None
    )
    for steps in range(12):  # of the event loop
        starting = asyncio.ensure_future(process.Chromium.launch(command))
        for _ in range(steps):
            await asyncio.sleep(0)
        starting.cancel()
        await asyncio.wait({starting})
        assert children(os.getpid(), str(tmp_path)) == []


async def test_pages_launch_the_browser_where_the_operator_has_it_so(open_web, serve_site):
    site = serve_site({"/": "<h1>Hello</h1>"})
    async with open_web(auto_launch=True) as web:
        shown = await web(resource="browser", action="navigate", url=f"{site}/")
        assert "Hello" in shown.text
        await web(resource="browser", action="close")
        await web.fails(resource="browser", action="click", ref="e1")
        refused = await web.fails(resource="browser", action="new_page", url="file:///etc/passwd")
        assert refused.code != "not_running"
        opened = await web(resource="browser", action="new_page", url=f"{site}/")
        assert "Hello" in opened.text


async def test_the_first_error_of_a_session_names_auto_launch(open_web):
    async with open_web() as web:
        first, second = [
            await web.fails(resource="browser", action="navigate", url="http://127.0.0.1:9999/")
            for _ in range(2)
        ]
        other = web.as_caller("another", transport="stdio")
        third = await other.fails(resource="browser", action="new_page")
    assert {first.code, second.code, third.code} == {"not_running"}
    assert "auto_launch = true" in first.hint
    assert "auto_launch" not in second.hint
    assert first.hint.startswith(second.hint)
    assert "auto_launch = true" in third.hint
