"""Takes the pictures of docs/cases.md from a real run: `python docs/report_pictures.py [DIR]`."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright

from tests.plugins.cases.running.shop import SCRIPTS
from tests.support.model_server import scripted

ROOT = Path(__file__).parents[1]
SIZES = {"light": (1100, 760), "dark": (1100, 760), "phone": (390, 844)}


def run_cases(folder: Path) -> Path:
    """Run the example's cases with a scripted model; returns the page about them."""
    shutil.copytree(ROOT / "examples" / "shop-cases", folder, dirs_exist_ok=True)
    with scripted(()) as model, start_shop(folder) as shop:
        model.scripts.update(SCRIPTS)
        assert shop.stdout is not None
        port = shop.stdout.readline().strip().rpartition(":")[2]
        for name in ("shop.case.md", "strap.toml"):
            text = (folder / name).read_text("utf-8")
            (folder / name).write_text(re.sub(r"localhost:\d+", f"localhost:{port}", text), "utf-8")
        environ = {
            **os.environ,
            "STRAP_MODEL": "openai/scripted",
            "STRAP_BROWSER__MODEL_URL": model.url,
            "STRAP_BROWSER__MODEL_KEY": "sk-scripted-0123456789",
        }
        command = [sys.executable, "-m", "strap", "test"]
        subprocess.run(command, cwd=folder, env=environ, check=False)  # noqa: S603 - our own
        shop.terminate()
    return folder / ".strap" / "test" / "index.html"


def start_shop(folder: Path) -> subprocess.Popen[str]:
    """Start the example's shop, with its bug."""
    command = [sys.executable, "shop.py", "--port", "0"]
    return subprocess.Popen(  # noqa: S603 - our own
        command, cwd=folder, stdout=subprocess.PIPE, text=True
    )


async def take(report: Path, folder: Path) -> None:
    """Keep what the report looks like, light, dark and on a phone."""
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for name, (width, height) in SIZES.items():
            page = await chromium.new_page(
                viewport={"width": width, "height": height},
                color_scheme="dark" if name == "dark" else "light",
            )
            await page.goto(report.as_uri())
            file = folder / f"report-{name}.png"
            await page.screenshot(path=file)
            Image.open(file).quantize(64).save(file, optimize=True)
            await page.close()
        await chromium.close()


if __name__ == "__main__":
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(take(run_cases(Path(home)), to))
