"""Every provider's class is built so that it asks once, where it is told to, within the limit."""

import json
import subprocess
import sys
from pathlib import Path

from strap_agent.models.providers import PROVIDERS

SCRIPT = Path(__file__).with_name("providers.py")


def test_every_provider(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, *PROVIDERS],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"HOME": str(tmp_path), "ANONYMIZED_TELEMETRY": "false"},
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert list(found["refuse"]) == list(found["silent"]) == list(PROVIDERS)
    for mode, answers in found.items():
        for name, answer in answers.items():
            with_key = bool(PROVIDERS[name].keys or PROVIDERS[name].variables)
            assert answer["asked"] == [with_key], (mode, name)  # once, with the key if there is one
            assert answer["raised"], name
            assert answer["seconds"] < 15, name
            refused = "429" in answer["raised"] or "slow down" in answer["raised"]
            assert refused == (mode == "refuse"), (name, answer)
