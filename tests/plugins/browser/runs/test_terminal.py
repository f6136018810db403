"""Runs that are begun at a terminal."""

import json
import os
import signal
import subprocess
import sys
import time

import jsonschema

from tests.support.model_server import done, scripted

from .lab import KEY, SCHEMA, processes


def test_ctrl_c_prints_what_became_of_the_run(tmp_path, site):
    def hang(body):
        model.released.wait(60)
        return done("late")

    with scripted((hang,)) as model:
        environ = {k: v for k, v in os.environ.items() if not k.startswith("STRAP_")}
        given = {
            "STRAP_HOME": str(tmp_path / "home"),
            "STRAP_NETWORK": "local",
            "STRAP_HEADLESS": "true",
            "STRAP_MODEL": "openai/scripted",
            "STRAP_BROWSER__MODEL_URL": model.url,
            "STRAP_BROWSER__MODEL_KEY": KEY,
        }
        words = ["browser", "eval", f"url={site}/", "task=look"]
        process = subprocess.Popen(
            [sys.executable, "-m", "strap", "call", *words],
            env=environ | given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        end = time.monotonic() + 60
        while not model.asked and time.monotonic() < end:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=30)
        model.released.set()
    answer = json.loads(said)
    jsonschema.validate(answer, SCHEMA)
    assert (answer["status"], answer["stop_reason"]) == ("failed", "cancelled")
    assert "Aborted" not in complained
    assert "Traceback" not in complained
    assert process.returncode == 1
    assert processes(tmp_path) == set()
