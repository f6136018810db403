"""Settings of a call and of the configuration reach the browser and the model."""

import json
import shutil

import jsonschema
import pytest

from tests.support.model_server import act, done

from .lab import SCHEMA, browsers, laboratory

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("agent")]
WAIT = act("wait", seconds=0)


@pytest.fixture
def recorder(tmp_path):
    """A browser that notes how it is started; it has no window, whatever it is told."""
    real = shutil.which("chromium") or shutil.which("google-chrome")
    script = tmp_path / "recorder"
    script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/log\nexec {real} --headless "$@"\n')
    script.chmod(0o755)
    return script


def pictures(body):
    """How many pictures the model was sent."""
    return json.dumps(body["messages"]).count('"image_url": {')


async def test_headless_mode_and_vision(tmp_path, site, recorder, monkeypatch):
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    settings = {"executable": str(recorder), "headless": False, "vision": False}
    settings["fallback_model"] = "groq/llama"
    async with laboratory(tmp_path / "home", site, **settings) as lab:
        answer = await lab.run(done("ok"), mode=None, headless=True)
        assert answer["mode"] == "dev"
        assert answer["dev_excerpts"] is not None
        assert answer["artifacts"]["screenshots"] >= 1
        assert "GROQ_API_KEY is not set" in answer["warnings"][0]
        answer = await lab.run(done("ok"), task="no secrets are set: {{name}}")
        assert answer["mode"] == "compact"
        assert "{{name}}" in str(lab.model.asked[-1])
        assert "dev_excerpts" not in answer
        assert [pictures(body) for body in lab.model.asked] == [0, 0]
    started = (tmp_path / "log").read_text().splitlines()
    assert ["--headless" in line for line in started] == [True, False]


async def test_the_model_sees_a_picture_of_each_step_unless_told_otherwise(lab):
    asked = len(lab.model.asked)
    await lab.run(WAIT, done("ok"))
    assert [pictures(body) for body in lab.model.asked[asked:]] == [1, 1]


@pytest.mark.parametrize(
    "settings",
    [
        {"model": "browser-use/foo"},
        {"model": "anthropic/gpt-5", "model_url": None},
        {"model": "azure/x", "model_url": None},
        {"model": "bedrock/some.model"},
        {"model": None},
    ],
)
async def test_a_model_that_cannot_work_starts_nothing(tmp_path, site, monkeypatch, settings):
    for name in ("AWS_ACCESS_KEY_ID", "AZURE_OPENAI_ENDPOINT", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    async with laboratory(tmp_path, site, **settings) as lab:
        result = await lab.raw(done("ok"))
        jsonschema.validate(result.data, SCHEMA)
        assert (result.data["status"], result.data["stop_reason"]) == ("failed", "provider_error")
        assert (browsers(), lab.runs.active, lab.runs._workers._fork_server) == ([], {}, None)
        [kept] = lab.store.runs()
        assert (kept.session_id, kept.steps) == (result.data["session_id"], 0)
