"""The skill for coding agents: small, the same every time, and every command in it works."""

import re
import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner

from strap.cli.main import cli
from strap.cli.skill import FOLDERS, skill
from strap.config import load
from strap.routing.assembly import make_router
from tests.plugins.search.services import searxng
from tests.site.server import Reply, serve

PAGE = Reply(body="<title>Shop</title><h1>Our opening hours</h1><a href='/'>Again</a>")


def made(home, **flags):
    return skill(make_router(load(environ={}, directory=home, home=home, **flags)).catalog)


def test_it_is_small_and_the_same_every_time(tmp_path, o200k):
    text = made(tmp_path)
    assert text == made(tmp_path)
    assert len(o200k.encode(text)) <= 1_500
    head = yaml.safe_load(text.split("---")[1])
    assert head["name"] == "strap"
    assert "drive a real browser" in head["description"]


def test_it_names_only_what_can_be_called(tmp_path):
    text = made(tmp_path, deny=("browser.*",))
    assert "browser" not in text.replace("a real browser", "browser")
    assert "http (most" in text


@pytest.fixture
def strap(tmp_path, runtime):
    environ = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "STRAP_HOME": str(tmp_path / "home"),
        "STRAP_HEADLESS": "true",
        "STRAP_BROWSER__PORT": "0",
        "XDG_RUNTIME_DIR": str(runtime),
    }

    def run(words, **more):
        command = f"{sys.executable} -m {words}"
        return subprocess.run(
            ["/bin/sh", "-c", command],
            env=environ | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    yield run
    run("strap sessions close --all")


def commands(text):
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        yield from (line for line in block.splitlines() if line.startswith("strap "))
    yield from re.findall(r"`(strap call \w+ help [^`]*)`", text)


def test_every_command_runs(strap, tmp_path):
    shown = strap("strap skill")
    assert shown.returncode == 0, shown.stderr
    found = list(commands(shown.stdout))
    assert len(found) >= 12
    with serve({"/": PAGE, "/search": searxng(9)}) as site:
        more = {"STRAP_SEARCH__SEARXNG_URL": str(site), "STRAP_SESSION": "task"}
        for line in found:
            engine = " engine=searxng" if "search query" in line else ""
            done = strap(line.replace("https://example.com/", f"{site}/") + engine, **more)
            assert done.returncode == 0, (line, done.stderr)
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "page.png").exists()


@pytest.mark.parametrize("client", sorted(FOLDERS))
def test_it_is_written_where_a_client_looks(tmp_path, monkeypatch, client):
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": str(tmp_path), "STRAP_HOME": str(tmp_path / "home")}
    done = CliRunner().invoke(cli, ["skill", "install", "--client", client], env=environ)
    file = FOLDERS[client].replace("~", str(tmp_path)) + "/strap/SKILL.md"
    assert done.stdout == f"{file}\n"
    assert (tmp_path / file).exists()


def test_it_is_written_into_another_folder(strap, tmp_path):
    assert strap("strap skill install --to skills").stdout == "skills/strap/SKILL.md\n"
    written = (tmp_path / "skills/strap/SKILL.md").read_text("utf-8")
    assert written == strap("strap skill").stdout
    assert "either --client or --to" in strap("strap skill install").stderr
    (tmp_path / "file").touch()
    assert "cannot be written" in strap("strap skill install --to file").stderr
