"""Rendering of long pages: in workers, which are kept warm and never outlive their time."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from strap.workers import frames
from strap.workers.pool import STREAMS_LIMIT, Worker, Workers
from strap_http.document import render
from strap_http.extraction.pages import MANY
from tests.site.server import serve
from tests.support.waiting import eventually, wait_until

pytestmark = pytest.mark.anyio

PARAGRAPHS = "".join(
    f"<p>In the year {year} the river rose by so many feet that the <a href='/b{year}'>bridge</a>"
    f" was closed for {year % 90} days, and the ferries carried everybody across.</p>\n"
    for year in range(1700, 1800)
)
ARTICLE = (
    "<title>The river</title><nav><a href=/>Home</a> <a href=/shop>Shop</a></nav>"
    f"<article><h1>The river</h1>{PARAGRAPHS}<h2>Tolls</h2><table><tr><th>Year<th>Pence"
    "<tr><td>1700<td>4<tr><td>1750<td>9</table><pre><code>toll = 4 * carts</code></pre>"
    f"{PARAGRAPHS.replace('17', '18')}</article><footer>Imprint</footer>"
)
SLOW = "<body>" + "x<br>" * 75_000
# As many tags as a page has that is searched for its main part, and as much text: for seconds.
BUSY = "<body>" + "".join(
    f"<p>{' '.join(f'w{number * place % 99_991}' for place in range(34))}"
    for number in range(MANY // 2 - 50)
)
URL = "https://example.com/"


@pytest.fixture
async def workers():
    opened = Workers()
    yield opened
    await opened.aclose()


@pytest.fixture
def started(monkeypatch):
    """The workers that are started."""
    found = []
    start = Worker.start

    async def recorded(libraries=()):
        found.append(await start(libraries))
        return found[-1]

    monkeypatch.setattr(Worker, "start", recorded)
    return found


async def test_the_main_part_keeps_its_structure(web):
    with serve({"/": ARTICLE}) as site:
        result = await web(resource="http", action="fetch", url=f"{site}/", max_tokens=20_000)
    assert "# The river\n\nIn the year 1700" in result.text
    assert f"[bridge]({site}/b1700)" in result.text
    assert "## Tolls\n\n| Year | Pence |\n| --- | --- |\n| 1700 | 4 |" in result.text
    assert "toll = 4 * carts" in result.text
    assert "In the year 1899" in result.text
    assert "Shop" not in result.text
    assert "Imprint" not in result.text


async def test_a_main_part_that_is_not_most_of_the_page_is_told(web):
    around = " ".join(f"word{number}" for number in range(3_400))
    with serve({"/": ARTICLE.replace("Imprint", around), "/most": ARTICLE}) as site:
        part = await web(resource="http", action="fetch", url=f"{site}/", max_tokens=300)
        most = await web(resource="http", action="fetch", url=f"{site}/most", max_tokens=300)
    assert "of the words; value=page shows the whole page." in part.text
    assert "of the words" not in most.text


async def test_the_whole_page_and_its_source_on_request(web):
    with serve({"/": ARTICLE}) as site:
        call = {"resource": "http", "action": "fetch", "url": f"{site}/", "max_tokens": 20_000}
        page = await web(**call, value="page")
        raw = await web(**call, value="raw")
    assert "Imprint" in page.text
    assert "# The river" in page.text
    assert raw.text.partition("\n\n")[2] == ARTICLE.strip()


async def test_one_worker_serves_page_after_page(workers, started):
    for _ in range(3):
        reading = await render.render(ARTICLE, URL, workers)
        assert not reading.whole
    assert len(started) == 1


async def test_a_small_page_needs_no_worker(workers, started):
    reading = await render.render("<nav>Home</nav><p>Hello", URL, workers)
    assert "Hello" in reading.text
    assert started == []


async def test_a_worker_that_was_killed_is_replaced(workers, started):
    await render.render(ARTICLE, URL, workers)
    os.kill(started[0].pid, signal.SIGKILL)
    for _ in range(2):
        assert "1700" in (await render.render(ARTICLE, URL, workers)).text
    assert 2 <= len(started) <= 3


async def test_a_page_that_takes_too_long_becomes_the_whole_page(workers, started, monkeypatch):
    monkeypatch.setattr(render, "SECONDS", 0.3)
    reading = await render.render(BUSY, URL, workers)
    assert reading.whole
    assert reading.text.startswith("w0")
    assert not started[0].lives


async def test_a_page_that_no_worker_masters_becomes_its_bare_text(workers, started, monkeypatch):
    monkeypatch.setattr(render, "SECONDS", 0.001)
    reading = await render.render(f"<script>a()</script>{SLOW}", URL, workers)
    assert reading.text == " ".join("x" * 75_000)
    assert [worker.lives for worker in started] == [False, False]


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 100_000 + "deep",
        "<p " + " ".join(f"a{n}" for n in range(200_000)) + ">deep",
        "<p " + " ".join(f"a{n}=1" for n in range(900)) + ">" + "<a href=x>y</a>" * 20_000 + "deep",
        "<a href=x>y</a> " * 150_000 + "deep",
        "x<br>" * 500_000 + "deep",
        "<tr><td>" * 40_000 + "deep",
        "<script>" * 60_000 + "</script>deep",
        "<style>" * 60_000 + "</style>deep",
        "data:" * 100_000 + "deep",
    ],
    ids=["div", "attributes", "tags", "links", "br", "cells", "script", "style", "data"],
)
async def test_a_runaway_page_ends_with_its_text(workers, monkeypatch, page):
    monkeypatch.setattr(render, "SECONDS", 1.0)
    async with asyncio.timeout(60):
        reading = await render.render(page, URL, workers)
    assert "deep" in reading.text[-100:]


async def test_other_pages_do_not_wait_for_a_slow_one(workers):
    slow = asyncio.create_task(workers.do(render.job("main", BUSY.encode(), URL, 60)))
    for _ in range(5):
        assert not (await render.render(ARTICLE, URL, workers)).whole
    assert not slow.done()
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow


async def test_a_cancelled_call_ends_its_worker(workers, started):
    call = asyncio.create_task(workers.do(render.job("main", BUSY.encode(), URL, 60)))
    await eventually(lambda: started and computing(started[0].pid) > 0.5)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not started[0].lives


async def test_closing_ends_a_worker_at_its_work(workers, started):
    call = asyncio.create_task(workers.do(render.job("main", BUSY.encode(), URL, 60)))
    await eventually(lambda: started and computing(started[0].pid) > 0.5)
    await workers.aclose()
    assert await call is None
    assert not started[0].lives
    assert await workers.do(render.job("main", b"<p>x", URL, 3)) is None
    assert len(started) == 1


async def test_an_idle_worker_is_ended(started, monkeypatch):
    monkeypatch.setattr("strap.workers.pool.IDLE", 0.2)
    workers = Workers()
    await workers.warm()
    await eventually(lambda: not started[0].lives)
    await workers.aclose()


@pytest.mark.parametrize("ends", ["killed", "ended by itself"])
async def test_an_ended_worker_leaves_no_stream_open(ends):
    """Its result is larger than what is read of it, as when a call is cancelled meanwhile."""
    worker = await Worker.start()
    job = render.job("main", f"<p>{'word ' * 200_000}</p>".encode(), URL, 20)
    head = {"function": job.function, "arguments": job.arguments, "seconds": job.seconds}
    worker._process.stdin.writelines(frames.pack(head, job.payload))
    await eventually(lambda: worker._process.stdout._paused)
    if ends == "ended by itself":
        os.kill(worker.pid, signal.SIGKILL)
        await eventually(lambda: not worker.lives)
    began = time.monotonic()
    worker.kill()
    await worker.ended()
    assert time.monotonic() - began < STREAMS_LIMIT
    await eventually(worker._process._transport.is_closing)  # when its loop has heard of it


async def test_a_warm_worker_takes_the_first_job(workers, started):
    await asyncio.gather(workers.warm(), workers.warm())
    await render.render(ARTICLE, URL, workers)
    await workers.warm()
    assert len(started) == 1


async def test_a_worker_is_kept_however_large_the_server_is(workers, started):
    ballast = b"x" * 200_000_000
    for _ in range(2):
        await render.render(ARTICLE, URL, workers)
    assert len(started) == 1
    assert ballast


async def test_too_much_memory_ends_a_worker(workers, started):
    """Text that grows a hundredfold while it is parsed: the server does not feel it."""
    job = render.job("main", b"<body>" + b"<b>x</b>" * 49_000, URL, 60)
    limited = await Worker.start()
    import resource

    resource.prlimit(limited.pid, resource.RLIMIT_DATA, (40_000_000, 40_000_000))
    assert await limited.do(job) is None
    await limited.ended()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells of a parent's death on Linux")
def test_a_worker_dies_with_a_killed_server():
    """A killed server cannot clean up: the kernel does."""
    server = (
        "import asyncio, sys\n"
        "from strap.workers.pool import Worker\n"
        "from strap_http.document.render import job\n"
        "async def main():\n"
        "    worker = await Worker.start()\n"
        "    print(worker.pid, flush=True)\n"
        "    page = sys.stdin.buffer.read()\n"
        "    await worker.do(job('main', page, '', 600))\n"
        "asyncio.run(main())"
    )
    both = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", server], **both) as process:
        worker = int(process.stdout.readline())
        process.stdin.write(BUSY.encode())
        process.stdin.close()
        wait_until(lambda: computing(worker) > 0.8)
        process.kill()
        process.wait()
    wait_until(lambda: computing(worker) is None)


def computing(pid):
    """Seconds of computing that a process has used; None when there is none (any more)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    except (ProcessLookupError, FileNotFoundError):
        return None
    return None if fields[0] in "ZX" else int(fields[11]) / os.sysconf("SC_CLK_TCK")
