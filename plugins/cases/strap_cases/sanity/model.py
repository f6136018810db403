"""A language model that says what scripts say, behind a real socket: OpenAI's chat completions."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from strap_cases.sanity.script import Playing, Step
from strap_cases.sanity.serving import Reply, Request, serve

KEY = "sk-scripted-0123456789"
"""The key of nothing: providers want one."""
JSON = "application/json"


class ScriptedModel:
    """Plays a script for each site that a run is about, known by its address in the prompt."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self._playing: dict[str, Playing] = {}

    @contextmanager
    def performs(self, base_url: str, steps: Sequence[Step]) -> Iterator[Playing]:
        """Play `steps` for the run about the site at `base_url`."""
        playing = self._playing[base_url] = Playing(steps, base_url)
        try:
            yield playing
        finally:
            del self._playing[base_url]

    def answer(self, request: Request) -> Reply:
        """Answer a request for a completion."""
        prompt = "\n".join(_texts(json.loads(request.body)["messages"]))
        playing = next((p for url, p in list(self._playing.items()) if f"{url}/" in prompt), None)
        if playing is None:
            return _error(400, "There is no script for this run.")
        kind, what = playing.next(prompt)
        if kind == "hang":
            self.closing.wait()
        if kind == "error":
            return _error(int(what), "The script says so.")
        return _completion(str(what), prompt)


@contextmanager
def scripted_model() -> Iterator[tuple[ScriptedModel, str]]:
    """Serve the model until the block is left; yields it and its address."""
    model = ScriptedModel()
    with serve(model.answer, model.closing) as port:
        yield model, f"http://127.0.0.1:{port}/v1"


def _texts(messages: Sequence[Any]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            yield content
        else:
            yield from (part.get("text", "") for part in content or ())


def _completion(text: str, prompt: str) -> Reply:
    sent, came = len(prompt) // 4, len(text) // 4  # as many as models count, roughly
    message = {"role": "assistant", "content": text}
    body = {
        "id": "scripted",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": sent, "completion_tokens": came, "total_tokens": sent + came,
        },
    }  # fmt: skip
    return Reply(body=json.dumps(body), kind=JSON)


def _error(status: int, message: str) -> Reply:
    body = {"error": {"message": message, "type": "scripted", "code": "scripted"}}
    return Reply(body=json.dumps(body), status=status, kind=JSON)
