"""Runs that are begun at a terminal, and ended by signals: one object, whatever comes."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import jsonschema
import pytest

from strap.cli.kept.client import end_session
from tests.support.model_server import done, scripted
from tests.support.waiting import wait_until

from .lab import KEY, SCHEMA, processes


@contextmanager
def calling(home, url, *options, **variables):
    """Yield a model that never answers, and the process of a call that begins a run."""

    def hang(body):
        model.released.wait(60)
        return done("late")

    with scripted((hang,)) as model:
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        given = {
            "STRAP_HOME": str(home / "home"),
            "STRAP_NETWORK": "local",
            "STRAP_HEADLESS": "true",
            "STRAP_MODEL": "openai/scripted",
            "STRAP_BROWSER__MODEL_URL": model.url,
            "STRAP_BROWSER__MODEL_KEY": KEY,
            **variables,
        }
        words = [*options, "browser", "eval", f"url={url}", "task=look"]
        process = subprocess.Popen(
            [sys.executable, "-m", "strap", "call", *words],
            env=environ | given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        with process:
            yield model, process
            model.released.set()


def ended(process, home, *, left=False):
    """The object that an ended call has printed; nothing else, and nothing is `left`."""
    said, complained = process.communicate(timeout=30)
    answer = json.loads(said)
    jsonschema.validate(answer, SCHEMA)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "cancelled")
    assert "Aborted" not in complained
    assert "Traceback" not in complained
    assert process.returncode == 1
    if not left:
        wait_until(lambda: processes(home) == set())
        assert list((home / "home" / "work").glob("*")) == []
    return answer


@pytest.mark.parametrize(
    "way",
    [
        ("SIGINT",),
        ("SIGTERM", "SIGINT"),
        *(pytest.param((way,), marks=pytest.mark.soak) for way in ("SIGTERM", "SIGHUP")),
    ],
)
def test_a_signal_prints_what_became_of_the_run(tmp_path, site, way):
    with calling(tmp_path, f"{site}/") as (model, process):
        wait_until(lambda: model.asked, 60)
        for name in way:
            process.send_signal(getattr(signal, name))
        answer = ended(process, tmp_path)
    assert answer["page"] == {"url": f"{site}/", "title": "Shop"}
    assert answer["artifacts"]["screenshots"] >= 1


@pytest.mark.parametrize("at", ["imports", "browser"])
def test_a_signal_before_there_is_a_page_is_answered_too(tmp_path, site, at):
    with calling(tmp_path, f"{site}/") as (model, process):
        if at == "imports":
            maps = Path(f"/proc/{process.pid}/maps")
            wait_until(lambda: "pydantic_core" in maps.read_text())
        else:
            wait_until(lambda: len(processes(tmp_path)) > 1)
        process.send_signal(signal.SIGTERM)
        ended(process, tmp_path)
        assert not model.asked


@pytest.mark.parametrize("way", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.soak)])
def test_a_signal_ends_the_run_of_a_kept_session_alone(tmp_path, site, way):
    with TemporaryDirectory(dir="/tmp") as short:  # sockets have short paths
        with calling(tmp_path, f"{site}/", "--keep", XDG_RUNTIME_DIR=short) as (model, process):
            wait_until(lambda: model.asked, 60)
            process.send_signal(getattr(signal, way))
            answer = ended(process, tmp_path, left=True)
            assert answer["artifacts"]["screenshots"] >= 1
        for path in Path(short).rglob("*.sock"):
            end_session(path)
    wait_until(lambda: processes(tmp_path) == set())
