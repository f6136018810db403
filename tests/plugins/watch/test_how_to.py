"""The how-to of docs/watching.md, word by word; only the address and the two waits differ."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.mcp.conversation import Conversation, call, text_of
from tests.site.server import serve

PAGE = (Path(__file__).parents[3] / "docs" / "watching.md").read_text("utf-8")
LAMP = "<li class=item><a href=/{0}>{0}</a> <b class=price>{1} EUR</b></li>"


def test_word_by_word(tmp_path):
    prices = {"oak": 10, "elm": 12, "ash": 14}

    def lamps(_):
        rows = "".join(LAMP.format(*each) for each in prices.items())
        return f"<!doctype html><title>Lamps</title><ul>{rows}</ul>"

    def run(block):
        commands = re.sub(r"^\$ ", "", block, flags=re.MULTILINE)
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("STRAP_", "XDG_"))}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-e"],
            input=commands.replace("shop.example", site.removeprefix("http://")),
            cwd=tmp_path,
            env=environ | {"HOME": str(tmp_path), "PATH": path, "STRAP_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    home = tmp_path / "data"
    with serve({"/lamps": lamps}) as running:
        site = str(running)
        first, later = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
        said = run(first.replace(" --every", " --settle 0 --every"))
        assert "/lamps: 3 items" in said
        assert "0 changes" in said
        with Conversation(tmp_path, (sys.executable, "-m", "strap", "serve")) as client:
            client.open()
            told = text_of(client.ask(call(resource="http", action="watch", url=f"{site}/lamps")))
        assert "  ok " in told
        prices["elm"] = 9
        [file] = tmp_path.rglob("watch.json")
        file.write_text(json.dumps(json.loads(file.read_text()) | {"next_at": 0}))  # an hour passes
        said = run(later)
    assert said.count("12 EUR → 9 EUR") == 2  # by `run`, and by `show`
    [change] = (tmp_path / "changes.jsonl").read_text().splitlines()
    assert "9 EUR" in change
    assert not list(tmp_path.rglob("watch.json"))
