"""The model of a run: one of browser-use's classes, or the client's own through strap."""

import asyncio
import json
import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from strap_agent.worker import refusals
from strap_agent.worker.amendments.page_text import plain
from strap_agent.worker.channel import Channel, Message
from strap_agent.worker.reporting import Reporter
from strap_agent.worker.secrets import redacted
from strap_browser.api import strip_fence

FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
"""Seconds, the first doubled with each failure in a row: a provider that is busy gets time,
and a run whose budget is short does not spend it on waiting."""
MISFITS = 3
"""Faults of an answer's form that are told; the rest is a number."""


def build(spec: Message, llm_timeout: float) -> Any:
    """Make the model that `spec` names: class, model, key, address; it never retries by itself."""
    module, _, name = spec["class"].partition(":")
    options = {"model": spec["model"], "api_key": spec["key"]}
    options |= _connection(spec["provider"], spec["url"], llm_timeout)
    model = getattr(import_module(module), name)(**_set_only(options))
    if spec["provider"] == "azure":
        model.client = model.get_client().with_options(timeout=llm_timeout, max_retries=0)
    if spec["provider"] == "bedrock":
        _ask_aside(model, llm_timeout)
    elif hasattr(model, "get_client"):
        _keep_client(model)
    refusals.tell(model)
    return model


def _keep_client(model: Any) -> None:
    """Have `model` ask through one client, and its connections.

    Most make one for each question, which takes as much time as the rest of a step: each reads the
    certificates of all authorities anew.
    """
    client = model.get_client()
    model.get_client = lambda: client


def _ask_aside(model: Any, limit: float) -> None:
    """Let `model` ask in a thread: boto3 blocks, so that no time limit would hold."""
    os.environ["AWS_MAX_ATTEMPTS"] = "1"
    inner = model.ainvoke

    async def ainvoke(*args: Any, **kwargs: Any) -> Any:
        try:
            async with asyncio.timeout(limit):
                return await asyncio.to_thread(lambda: asyncio.run(inner(*args, **kwargs)))
        except TimeoutError:
            raise TimeoutError("Request timed out.") from None

    model.ainvoke = ainvoke


def _connection(provider: str, url: str | None, limit: float) -> dict[str, Any]:
    base = {"base_url": url, "timeout": limit}
    ways: dict[str, dict[str, Any]] = {
        "azure": {"azure_endpoint": url},
        "bedrock": {},
        "browser-use": {**base, "max_retries": 1},  # it counts all tries
        "cerebras": {**base, "client_params": {"max_retries": 0}},
        "deepseek": {**base, "client_params": {"max_retries": 0}},
        "google": {
            "http_options": _set_only({"base_url": url, "timeout": int(limit * 1000)}),
            "max_retries": 1,
        },
        "ollama": {"host": url, "timeout": limit},
    }
    return ways.get(provider, {**base, "max_retries": 0})


def _set_only(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def watch(model: Any, reporter: Reporter, hide: Callable[[str], str]) -> None:
    """Tell `reporter` of each call of `model`; pause before the one that follows a failure.

    What the model is asked passes `hide`.
    """
    inner, failures = model.ainvoke, 0

    async def ainvoke(messages: list[Any], output_format: Any = None, **kwargs: Any) -> Any:
        nonlocal failures
        note = reporter.asking()
        messages = [redacted(message, hide) for message in messages]
        reporter.shows(messages)
        if note:
            messages[-1] = _with_note(messages[-1], hide(note))
        if failures:
            await asyncio.sleep(min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE))
        try:
            completion = await inner(messages, output_format, **kwargs)
        except Exception as error:
            failures += 1
            reporter.model_failed(*_classified(error))
            raise
        failures = 0
        reporter.model_answered(completion.usage)
        return completion

    model.ainvoke = ainvoke


def _with_note(message: Any, note: str) -> Any:
    from browser_use.llm.messages import ContentPartTextParam

    text = f"\n<note>\n{plain(note)}\n</note>"
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": content + text})
    parts = [*(content or ()), ContentPartTextParam(text=text)]
    return message.model_copy(update={"content": parts})


def _classified(error: Exception) -> tuple[str, int | None, str]:
    from pydantic import ValidationError

    if getattr(error, "refused", False):
        return "refusal", None, str(error)
    for wrong in (error, error.__cause__):
        if isinstance(wrong, ValidationError):
            return "schema", None, _misfit(wrong)
    if "validation error" in str(error):
        return "schema", None, str(error).split("\n")[0]
    # browser-use reports everything that is no HTTP answer as 502; so do real gateways.
    return "provider", getattr(error, "status_code", None), str(error) or type(error).__name__


def _misfit(error: Any) -> str:
    problems = [
        f"{'.'.join(map(str, e['loc'])) or 'the whole'}: {e['msg']}"
        for e in error.errors(include_url=False)
    ]
    more = f"; and {len(problems) - MISFITS} more" if len(problems) > MISFITS else ""
    text = "; ".join(problems[:MISFITS]) + more
    return f"The model's answer did not have the form asked for: {text}."


class Rejected(ConnectionError):
    """The person behind the client does not want its model to be asked."""


class ClientModel:
    """The model of whoever called strap, asked through strap (MCP sampling)."""

    provider = "client"
    name = model = model_name = "client"

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._last = 0

    def answered(self, message: Message) -> None:
        """Take what the client said."""
        waiting = self._waiting.pop(message["id"], None)
        if waiting is None or waiting.done():
            return
        if "error" in message:
            kind = Rejected if message.get("rejected") else ConnectionError
            waiting.set_exception(kind(message["error"]))
        else:
            waiting.set_result(message["text"])

    async def ainvoke(self, messages: list[Any], output_format: Any = None, **_: Any) -> Any:
        """Ask; with `output_format` the answer must be JSON of that form."""
        from browser_use.llm.exceptions import ModelProviderError
        from browser_use.llm.views import ChatInvokeCompletion

        system = "\n".join(m.text for m in messages if m.role == "system")
        if output_format is not None:
            schema = json.dumps(output_format.model_json_schema(), separators=(",", ":"))
            system += f"\nAnswer with one JSON object, valid against this JSON Schema:\n{schema}"
        turns = [_turn(m) for m in messages if m.role != "system"]
        try:
            text = await self._ask(system, turns)
        except ConnectionError as error:
            # Who said no is not asked again: this status ends the run.
            status = 403 if isinstance(error, Rejected) else 400
            raise ModelProviderError(str(error), status_code=status) from None
        completion = (
            text if output_format is None else output_format.model_validate_json(strip_fence(text))
        )
        return ChatInvokeCompletion(completion=completion, usage=None)

    async def _ask(self, system: str, turns: list[Message]) -> str:
        self._last += 1
        number = self._last
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._channel.send("sample", id=number, system=system, turns=turns)
        answer: str = await waiting
        return answer


def _turn(message: Any) -> Message:
    content = message.content or ""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else []
    for part in [] if isinstance(content, str) else content:
        if part.type == "text":
            parts.append({"type": "text", "text": part.text})
        elif part.type == "image_url":
            head, _, data = part.image_url.url.partition(";base64,")
            parts.append({"type": "image", "mime": head.removeprefix("data:"), "data": data})
    return {"role": "assistant" if message.role == "assistant" else "user", "parts": parts}
