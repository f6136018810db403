"""Long runs of the real server: memory, descriptors and processes stay where they are."""

import re
import signal
import sys
from pathlib import Path

import pytest

import strap.mcp
from tests.mcp.conversation import Conversation, call, text_of
from tests.site.server import Reply, serve
from tests.support.processes import command_of, descendants, gone

pytestmark = pytest.mark.soak
SITE = Path(strap.mcp.__file__).with_name("demo_site")
SERVER = (sys.executable, "-m", "strap", "serve", "--network", "local")
MEGABYTE = 1 << 20
BUSY = """<title>Busy</title><input aria-label=Name><p>Waiting</p><script>
for (let i = 0; i < 5; i++) console.log("part", { i }, document.body);
Promise.all([...Array(10)].map((_, i) => fetch(`/part?${i}`).then((answer) => answer.text())))
  .then(() => { document.querySelector("p").textContent = "Done"; });
</script>"""
"""A page that asks for much and says much."""


class Server(Conversation):
    """`strap serve` with shaken hands."""

    def __init__(self, home):
        super().__init__(home, SERVER, STRAP_HEADLESS="true", STRAP_BROWSER__PORT="0")
        self.open()
        self.number = 100

    def web(self, **arguments):
        self.number += 1
        answer = self.ask(call(self.number, **arguments))
        assert answer["id"] == self.number
        assert not answer["result"].get("isError"), text_of(answer)
        return text_of(answer)

    @property
    def folder(self):
        return Path("/proc") / str(self.process.pid)

    def memory(self):
        """Resident bytes of the server's own process."""
        kilobytes = re.search(r"VmRSS:\s+(\d+)", (self.folder / "status").read_text()).group(1)
        return int(kilobytes) * 1024

    def memory_of(self, mark):
        """Bytes of the processes below the server whose command has `mark`."""
        found = [pid for pid in descendants(self.process.pid) if mark in command_of(pid)]
        assert found
        return sum(map(_private, found))

    def descriptors(self):
        return len(list((self.folder / "fd").iterdir()))


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path) as opened:
        yield opened


@pytest.fixture
def site():
    with serve(SITE) as served:
        yield served


def test_two_thousand_fetches_leave_memory_flat(server, site):
    for _ in range(200):
        server.web(resource="http", action="fetch", url=f"{site}/about.html")
    memory, descriptors = server.memory(), server.descriptors()
    for _ in range(2000):
        server.web(resource="http", action="fetch", url=f"{site}/about.html")
    assert server.memory() - memory < 15 * MEGABYTE
    assert server.descriptors() <= descriptors + 4


@pytest.fixture
def busy_site():
    part = Reply(body="part", headers={"Cache-Control": "no-store"})
    with serve({"/": BUSY, "/part": part}) as served:
        yield served


def test_five_hundred_pages_leave_memory_flat(server, busy_site):
    server.web(resource="browser", action="launch")
    table = []
    descriptors = 0
    for number in range(601):
        if number in (100, 350, 600):
            browser = server.memory_of(b"--user-data-dir")
            table.append([round(n / MEGABYTE, 1) for n in (server.memory(), browser)])
        if number == 100:
            descriptors = server.descriptors()
        server.web(resource="browser", action="navigate", url=busy_site)
        server.web(resource="browser", action="wait", text="Done")
        page = server.web(resource="browser", action="snapshot")
        ref = re.search(r'textbox "Name".*?\b((?:f\d+)?e\d+)\b', page).group(1)
        server.web(resource="browser", action="fill", ref=ref, value="Ada")
    print("MB of server and browser after 100, 350 and 600 pages:", *table)  # noqa: T201
    # What is kept of the last thousand requests is there after 350 pages.
    for (_, middle, last), most in zip(zip(*table, strict=True), (8, 60), strict=True):
        assert last - middle < most, table
    # Six connections that the browser keeps to a site, each with one of the proxy that guards it.
    assert server.descriptors() <= descriptors + 12


def test_twenty_launches_leave_no_process(server):
    server.web(resource="browser", action="launch")
    server.web(resource="browser", action="close")
    descriptors = server.descriptors()
    for _ in range(20):
        server.web(resource="browser", action="launch")
        started = descendants(server.process.pid)
        assert started
        server.web(resource="browser", action="close")
        chromium = [pid for pid in started if _is_chromium(pid)]
        assert gone(*chromium)
    assert server.descriptors() <= descriptors + 4


def _is_chromium(pid):
    return b"--user-data-dir" in command_of(pid)


def _private(pid):
    """Bytes that no other process has a share in: other browsers come and go meanwhile."""
    try:
        rollup = (Path("/proc") / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(map(int, re.findall(r"^Private_\w+:\s+(\d+)", rollup, re.MULTILINE))) * 1024


@pytest.mark.parametrize("end", ["eof", signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_ten_endings_leave_nothing(tmp_path, site, end):
    for _ in range(10):
        with Server(tmp_path) as server:
            server.web(resource="browser", action="launch")
            server.web(resource="browser", action="navigate", url=f"{site}/index.html")
            started = descendants(server.process.pid)
            assert len(started) > 3
            if end == "eof":
                server.process.stdin.close()
            else:
                server.process.send_signal(end)
            server.process.wait(10)
            assert gone(*started), "processes left behind"
