"""Make the pictures of reports: `python docs/make_pictures.py [NAME]`, with Chromium alone.

`sanity-light.png` is what `strap sanity` says of an honest agent and of one that lies.
"""

import asyncio
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from strap import Config, open_router

HERE = Path(__file__).parent / "pictures"
WIDTH, HEIGHT = 1000, 760


def sanity(folder: Path) -> Path:
    """Run four scenarios; returns the folder of the report."""
    models = ("--model", "scripted", "--model", "scripted-liar")
    command = [sys.executable, "-m", "strap", "sanity", "-k", "judge-to", *models, "--out", "out"]
    command += ["--through", "python"]
    subprocess.run(command, cwd=folder, check=False)  # noqa: S603 - our own words
    [bundle] = (folder / "out").iterdir()
    return bundle


REPORTS: Mapping[str, Callable[[Path], Path]] = {"sanity-light": sanity}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of what is asked."""


async def shoot(report: Path, width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """Open `index.html` of a folder in a browser, and return a picture of its top."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=report)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as home:
            config = Config.load(environ={}, home=Path(home), network="local")
            async with open_router(config=config) as router:
                size = {"width": width, "height": height}
                url = f"http://127.0.0.1:{server.server_port}/index.html"
                for fields in (
                    {"action": "launch"},
                    {"action": "navigate", "url": url},
                    {"action": "resize", **size},
                ):
                    await router.call({"resource": "browser", **fields})
                await router.call(
                    {"resource": "browser", "action": "screenshot", "output": "a.png"}
                )
            picture = await asyncio.to_thread((config.outputs / "a.png").read_bytes)
        server.shutdown()
    return picture


def main() -> None:
    """Make those that are named, or all."""
    for name in sys.argv[1:] or REPORTS:
        with tempfile.TemporaryDirectory() as folder:
            picture = asyncio.run(shoot(REPORTS[name](Path(folder))))
            (HERE / f"{name}.png").write_bytes(picture)


if __name__ == "__main__":
    main()
