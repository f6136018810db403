"""Many fetches of raw JSON at once, through strap with its guard on, and through bare httpx2."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.bench import Bench, Table
from strap import testing

AT_ONCE = 50
SERVER = """
import asyncio, json

ITEMS = [{"id": n, "name": f"name {n}", "ok": True} for n in range(50)]
BODY = json.dumps({"items": ITEMS}).encode()
HEAD = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"

class Answering(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.asked = transport, b""

    def data_received(self, data):
        self.asked += data
        while b"\\r\\n\\r\\n" in self.asked:
            _, _, self.asked = self.asked.partition(b"\\r\\n\\r\\n")
            self.transport.write(HEAD % len(BODY) + BODY)

async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def measure(bench: Bench) -> Table:
    with serving() as url:
        ours, bare = asyncio.run(_measure(url, bench.runs(15, 5)))
    ratios = [a / b for a, b in zip(ours, bare, strict=True)]
    columns = ("", "requests a second, median", "best")
    rows = [
        [who, f"{statistics.median(found):.0f}", f"{max(found):.0f}"]
        for who, found in (("strap http.fetch", ours), ("httpx2 alone", bare))
    ]
    rows.append(["ratio", f"{statistics.median(ratios):.2f}", f"{max(ours) / max(bare):.2f}"])
    note = "Rounds take turns; the median ratio is that of neighbouring rounds."
    title = f"{AT_ONCE} fetches of 2 KB of JSON at once"
    return Table(title=title, columns=columns, rows=rows, notes=[note])


async def _measure(url: str, rounds: int) -> tuple[list[float], list[float]]:
    import httpx2

    ours: list[float] = []
    bare: list[float] = []
    limits = httpx2.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with (
            testing.router(home=Path(folder), network="local") as web,
            httpx2.AsyncClient(trust_env=False, limits=limits) as client,
        ):

            async def through_strap() -> None:
                fields = {"resource": "http", "action": "fetch", "url": url}
                result = await web.router.call(fields)
                assert result.data["status"] == 200

            async def through_httpx2() -> None:
                response = await client.get(url)
                assert response.status_code == 200
                assert response.json()

            for _ in range(2):  # opens the connections
                await _rate(through_strap)
                await _rate(through_httpx2)
            for _ in range(rounds):
                ours.append(await _rate(through_strap))
                bare.append(await _rate(through_httpx2))
    return ours, bare


async def _rate(fetch: Callable[[], Awaitable[None]], times: int = 4) -> float:
    started = time.perf_counter()
    for _ in range(times):
        await asyncio.gather(*(fetch() for _ in range(AT_ONCE)))
    return times * AT_ONCE / (time.perf_counter() - started)


@contextmanager
def serving() -> Iterator[str]:
    """A server in a process of its own: its work is not the clients'."""
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/data.json"
        finally:
            server.kill()
