"""Environments of extras: which are used, which are not, and what is left of those half made."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from strap import ActionError, Extra
from strap.environments import own
from strap.environments.making import remove_environment, requirements
from strap.version import __version__
from strap_agent.workers.variables import variables

ROOT = Path(__file__).resolve().parents[2]
AGENT = Extra(name="agent", modules=("no_such_module",), apart=True)
FOLDER = "0123456789abcdef"


@pytest.fixture
def made(tmp_path):
    """A private folder of environments with that of the agent in it, and a way to change it."""
    root = tmp_path / "environments"
    for folder in (root, root / "agent", root / "agent" / FOLDER):
        folder.mkdir(mode=0o700)
    library = root / "agent" / FOLDER / "lib" / "python3.11" / "site-packages"
    for folder in (library / "boto3", library.parents[2] / "bin"):
        folder.mkdir(parents=True)
    (library / "single.py").touch()
    (root / "agent" / FOLDER / "bin" / "python").touch()

    def stamp(**changed):
        told = {
            "folder": FOLDER,
            "strap": __version__,
            "linked": own.linked(),
            "packages": ["a>=1"],
            "installer": "uv",
            "seconds": 1.0,
        }
        (root / "agent" / own.STAMP).write_text(json.dumps(told | changed))
        return root

    return stamp


def refusal(root):
    with pytest.raises(ActionError) as raised:
        AGENT.own(root)
    assert raised.value.code == "environment"
    return str(raised.value)


def test_one_that_is_fit(made):
    root = made()
    found = AGENT.own(root)
    assert found.python == root / "agent" / FOLDER / "bin" / "python"
    assert found.packages == ("a>=1",)
    assert not AGENT.missing_in(root)
    assert AGENT.finds("boto3", root)
    assert AGENT.finds("single", root)
    assert not AGENT.finds("json", root)


def test_none(tmp_path):
    for root in (None, tmp_path):
        assert AGENT.own(root) is None
        assert AGENT.missing_in(root)
        assert AGENT.finds("json", root)
    assert "pip install 'strap-web[agent]'; or strap agent install" in AGENT.install


def test_one_of_another_strap_is_told_and_counts_as_there(made):
    said = refusal(made(strap="0.0.9"))
    assert "is for strap 0.0.9, and this is " in said
    assert said.endswith("Make it anew: strap agent install")
    assert not AGENT.missing_in(made(strap="0.0.9"))
    assert "is for the strap in '/elsewhere'" in refusal(made(linked="/elsewhere"))


@pytest.mark.parametrize("folder", ["../../x", "/tmp", "", 3, None])
def test_a_stamp_names_a_folder_beside_it(made, folder):
    root = made(folder=folder)
    assert any(word in refusal(root) for word in ("is damaged", "is not whole"))


def test_one_that_is_not_whole(made):
    root = made()
    (root / "agent" / FOLDER / "bin" / "python").unlink()
    assert "its Python is gone" in refusal(root)
    (root / "agent" / own.STAMP).write_text("{")
    assert "is damaged" in refusal(root)


@pytest.mark.parametrize("where", ["", "agent", f"agent/{FOLDER}"])
def test_one_that_others_can_change_is_not_used(made, where):
    root = made()
    (root / where).chmod(0o777)
    said = refusal(root)
    assert f"others can change '{root / where}'" in said or where == "", said
    assert f"chmod go-w '{(root / where).resolve()}'" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder away")
def test_one_of_another_user_is_not_used(made):
    root = made()
    os.chown(root / "agent" / FOLDER, 12345, 12345)
    assert "others can change" in refusal(root)


def test_a_sticky_folder_above_it_is_no_danger(tmp_path):
    above = tmp_path / "sticky"
    inside = above / "inside"
    inside.mkdir(parents=True, mode=0o700)
    above.chmod(0o1777)
    assert own.exposed(inside) is None
    above.chmod(0o777)
    assert own.exposed(inside) == above.resolve()


def test_all_that_the_extra_declares_is_required():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = declared["optional-dependencies"]["agent"]
    found = [re.split(r"[<>=]", line)[0] for line in requirements("agent", {"pydantic"})]
    assert found == ["pydantic", *(re.split(r"[<>=]", line)[0] for line in extra)]


def test_removal_leaves_what_a_process_holds_and_takes_it_later(made):
    root = made()
    with AGENT.own(root).held():
        assert remove_environment(root, "agent") == (True, 1)
        assert AGENT.own(root) is None
    assert remove_environment(root, "agent") == (True, 0)
    assert not root.exists()
    assert remove_environment(root, "agent") == (False, 0)


def test_a_worker_apart_imports_nothing_from_elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert "PYTHONPATH" in variables(tmp_path)
    assert "PYTHONPATH" not in variables(tmp_path, apart=True)


class Installing:
    """`strap agent install` in a process, with an installer `uv` that does what a test says."""

    def __init__(self, folder, script):
        self.home = folder / "home"
        uv = folder / "bin" / "uv"
        uv.parent.mkdir(exist_ok=True)
        uv.write_text(f"#!/bin/sh\n{script}\n")
        uv.chmod(0o755)
        self.environ = {
            "PATH": f"{uv.parent}:/usr/bin:/bin",
            "STRAP_HOME": str(self.home),
            "HOME": str(folder),
        }

    def strap(self, *words):
        command = [sys.executable, "-m", "strap", "agent", *words]
        return subprocess.Popen(
            command, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def left(self):
        return [str(path) for path in self.home.rglob("*") if "cache" not in path.parts]


def test_a_failed_installation_leaves_nothing_and_says_why(tmp_path):
    installing = Installing(tmp_path, "echo no such index >&2; touch half; exit 3")
    with installing.strap("install", "--json") as strap:
        out, said = strap.communicate(timeout=60)
    assert (strap.returncode, out) == (1, "")
    assert "no such index" in said
    assert "failed (exit status 3)" in said
    assert installing.left() == []
    with installing.strap("status", "--json") as strap:
        assert json.loads(strap.communicate(timeout=60)[0])["environment"] in ("shared", None)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_installation_leaves_nothing(tmp_path, number):
    installing = Installing(tmp_path, "touch half; echo $$ > ../../../pid; exec sleep 100")
    with installing.strap("install") as strap:
        pid = started(installing.home / "pid")
        (folder,) = (installing.home / "environments" / "agent").iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (folder / "half").exists()
        strap.send_signal(number)
        strap.communicate(timeout=30)
    assert strap.returncode != 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    (installing.home / "pid").unlink()
    assert installing.left() == []


def test_what_a_killed_installation_left_is_not_used_and_goes_with_the_next(tmp_path):
    installing = Installing(tmp_path, "touch half; echo $$ > ../../../pid; exec sleep 100")
    with installing.strap("install") as strap:
        pid = started(installing.home / "pid")
        strap.kill()
        strap.wait(30)
    assert installing.left()
    assert AGENT.own(installing.home / "environments") is None
    # As long as the installer goes on, its folder stays.
    assert remove_environment(installing.home / "environments", "agent") == (True, 1)
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while remove_environment(installing.home / "environments", "agent")[1]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    (installing.home / "pid").unlink()
    assert installing.left() == []


def test_nothing_is_installed_where_others_could_change_it(tmp_path):
    installing = Installing(tmp_path, "touch ../../../ran")
    installing.home.mkdir()
    installing.home.chmod(0o777)
    with installing.strap("install") as strap:
        said = strap.communicate(timeout=60)[1]
    assert strap.returncode == 1
    assert "No code can be installed below" in said
    assert installing.left() == []


def started(file):
    deadline = time.monotonic() + 30
    while not (file.exists() and file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return int(file.read_text())
