"""Every provider's class is built so that it asks once, where it is told to, within the limit."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from strap_browser.runs.choosing import PROVIDERS

SCRIPT = Path(__file__).with_name("providers.py")
ASKED = [name for name in PROVIDERS if name != "bedrock"]
"""Bedrock's library is not part of the extra, and signs what it asks."""


@pytest.mark.parametrize("mode", ["refuse", "silent"])
def test_every_provider(tmp_path, mode):
    done = subprocess.run(
        [sys.executable, SCRIPT, mode, *ASKED],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"HOME": str(tmp_path), "ANONYMIZED_TELEMETRY": "false"},
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert list(found) == ASKED
    for name, answer in found.items():
        with_key = bool(PROVIDERS[name].keys)
        assert answer["asked"] == [with_key], name  # once, and with the key where there is one
        assert answer["raised"], name
        assert answer["seconds"] < 15, name
        assert ("429" in answer["raised"] or "slow down" in answer["raised"]) == (mode == "refuse")
