"""Choice of the model, and the error where there is none: before anything starts."""

import pytest

from strap import ActionError
from strap.config import load
from strap_agent.cli import diagnose
from strap_agent.models.providers import PROVIDERS
from strap_agent.models.select import choose
from strap_browser.settings.agent import AgentSettings

KEYS = {"OPENAI_API_KEY": "sk-openai-key", "ANTHROPIC_API_KEY": "sk-ant-key"}


def chosen(environ=KEYS, *, sampling=False, **settings):
    return choose(AgentSettings(**settings), sampling=sampling, environ=environ)


def refusal(environ=KEYS, **settings):
    with pytest.raises(ActionError) as caught:
        chosen(environ, **settings)
    assert caught.value.code == "no_model"
    return str(caught.value)


def test_provider_model_key_and_class():
    choice = chosen(model="anthropic/claude-sonnet-4")
    assert choice.spec["class"] == "browser_use.llm.anthropic.chat:ChatAnthropic"
    assert (choice.spec["model"], choice.spec["key"]) == ("claude-sonnet-4", "sk-ant-key")
    assert choice.secrets == ("sk-ant-key",)
    assert choice.modules == ["browser_use.llm.anthropic.chat"]


@pytest.mark.parametrize(
    ("model", "provider"), [("gpt-5-mini", "openai"), ("claude-opus-4", "anthropic")]
)
def test_a_well_known_model_needs_no_provider(model, provider):
    assert chosen(model=model).spec["class"] == PROVIDERS[provider].path


def test_compatible_servers():
    choice = chosen({}, model="openai/qwen", model_url="http://127.0.0.1:1/v1", model_key="x")
    assert choice.spec["url"] == "http://127.0.0.1:1/v1"
    assert chosen({"OLLAMA_HOST": "http://h:1"}, model="ollama/qwen").spec["url"] == "http://h:1"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "opnai/gpt-5"}, "Unknown model provider 'opnai'"),
        ({"model": "llama-3"}, "names no provider"),
        ({"model": "anthropic/gpt-5"}, "Write it as 'openai/gpt-5'"),
        ({"model": "azure/x", "model_key": "k"}, "AZURE_OPENAI_ENDPOINT is not set"),
        ({"model": "google/gemini-3"}, "GOOGLE_API_KEY or GEMINI_API_KEY is not set"),
        ({"model": "browser-use/foo", "model_key": "k"}, "'foo' is not a model of 'browser-use'"),
        ({"model": "browser-use/foo", "model_key": "k", "model_url": "http://a"}, "not a model of"),
        ({"model": "browser-use/gpt-5", "model_key": "k"}, "Write it as 'openai/gpt-5'"),
        ({"model": "bedrock/a.claude"}, "needs AWS_ACCESS_KEY_ID"),
        ({"model": "bedrock/a.claude", "model_key": "k"}, "needs AWS_ACCESS_KEY_ID"),
    ],
)
def test_what_cannot_work_is_said(settings, said):
    assert said in refusal(**settings)


@pytest.mark.parametrize("model", ["bu-2-0", "browser-use/bu-latest", "browser-use/openai/gpt-5"])
def test_what_the_vendors_own_service_has(model):
    choice = chosen(model=model, model_key="k")
    assert choice.spec["class"].endswith(":ChatBrowserUse")
    assert choice.spec["model"] == model.removeprefix("browser-use/")


AWS = {"AWS_ACCESS_KEY_ID": "AKIA-x", "AWS_SECRET_ACCESS_KEY": "aws-secret", "AWS_REGION": "eu-1"}


def test_bedrock_signs_with_variables_that_its_class_reads(monkeypatch):
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: None)
    assert "needs AWS_SECRET_ACCESS_KEY" in refusal({"AWS_ACCESS_KEY_ID": "x"}, model="bedrock/m")
    without = {k: v for k, v in AWS.items() if k != "AWS_REGION"}
    assert "AWS_REGION or AWS_DEFAULT_REGION" in refusal(without, model="bedrock/m")
    assert "install 'boto3'" in refusal(AWS, model="bedrock/m")
    assert "bedrock/<model>" in refusal(AWS)
    assert "bedrock/<model>" not in refusal(without)
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: name)
    choice = chosen(AWS, model="bedrock/m")
    assert choice.spec["key"] is None
    assert set(choice.secrets) == {"AKIA-x", "aws-secret"}
    assert chosen(AWS, model="bedrock/m", model_key="unused").spec["key"] is None


def test_without_a_model_the_ways_to_give_one_are_listed():
    text = refusal()
    for way in ("STRAP_MODEL", "openai/<model>", "anthropic/<model>", "ollama/", "sampling"):
        assert way in text
    assert "sk-" not in text
    assert "Keys are there" not in refusal({})


def test_the_clients_own_model_only_where_none_is_configured():
    assert chosen({}, sampling=True).spec is None
    assert chosen(sampling=True, model="openai/gpt-5").spec is not None


def test_a_fallback_is_used_only_with_its_key():
    choice = chosen(model="openai/gpt-5", fallback_model="anthropic/claude-x")
    assert choice.fallback["model"] == "claude-x"
    assert len(choice.modules) == 2
    choice = chosen(model="openai/gpt-5", fallback_model="groq/llama")
    assert choice.fallback is None
    assert "GROQ_API_KEY is not set" in choice.warnings[0]


@pytest.mark.parametrize(
    ("settings", "ok", "said"),
    [
        ({}, True, "no model configured"),
        ({"model": "openai/x", "model_key": "k"}, True, "model openai/x"),
        ({"model": "opnai/x"}, False, "Unknown model provider 'opnai'"),
    ],
)
def test_the_doctor_tells_of_the_model(tmp_path, settings, ok, said):
    config = load(environ={}, directory=tmp_path, home=tmp_path, plugins={"browser": settings})
    [line] = [d for d in diagnose(config) if d.subject == "browser agent"]
    assert line.ok is ok
    assert said in line.detail
