"""A language model of one's own script, behind a real socket: OpenAI's chat completions.

    with scripted([act("click", index=1), done("42")]) as model:
        configure(model_url=model.url)

An entry of the script is what the model says: a `Reply`, or a function of the request's body that
returns one. The last entry is repeated. Entries are given out by run where the task names one.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.site.server import Raw, Reply, Request, Site, serve

Body = dict[str, Any]
Entry = Reply | Raw | Callable[[Body], Any]


@dataclass
class Model:
    """A running model: its address and what it was asked."""

    script: Sequence[Entry]
    url: str = ""
    asked: list[Body] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    """Set it to let go of answers that hang."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _given: dict[str, int] = field(default_factory=dict)
    scripts: dict[str, Sequence[Entry]] = field(default_factory=dict)
    """Scripts for tasks that contain the key."""

    _site: Site | None = None

    @property
    def requests(self) -> list[Request]:
        """Requests that came over the wire."""
        assert self._site is not None
        return self._site.requests

    def forget(self) -> None:
        """Forget the scripts by task, and everything that was asked."""
        with self._lock:
            for kept in (self.scripts, self.asked, self._given):
                kept.clear()
            if self._site is not None:
                self._site.requests.clear()

    def answer(self, request: Request) -> Any:
        body = json.loads(request.body)
        text = json.dumps(body["messages"])
        with self._lock:
            self.asked.append(body)
            key = next((k for k in self.scripts if k in text), "")
            script = self.scripts.get(key, self.script)
            number = self._given.get(key, 0)
            self._given[key] = number + 1
        entry = script[min(number, len(script) - 1)]
        return entry(body) if callable(entry) else entry


@contextmanager
def scripted(script: Sequence[Entry]) -> Iterator[Model]:
    """Serve `script` until the block is left."""
    model = Model(script)
    with serve({"/v1/chat/completions": model.answer}) as site:
        model.url, model._site = f"{site}/v1", site
        try:
            yield model
        finally:
            model.released.set()


def say(content: Any, **choice: Any) -> Reply:
    """A completion whose text is `content`, as JSON unless it is a string."""
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"role": "assistant", "content": text}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message, **choice}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(body))


def act(name: str, /, goal: str = "go on", **fields: Any) -> Reply:
    """One action of the agent."""
    return acts({name: fields}, goal=goal)


def acts(*actions: Any, goal: str = "go on") -> Reply:
    """Several actions in one step."""
    thoughts = {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": goal}
    return say({**thoughts, "action": list(actions)})


def after_a_wait(entry: Entry) -> Callable[[Body], Any]:
    """The one action of `entry` behind another, so that its failure does not fail the step.

    After three steps in a row that fail, an agent ends.
    """

    def both(body: Body) -> Any:
        answer = entry(body) if callable(entry) else entry
        message = json.loads(answer.body)["choices"][0]["message"]
        return acts({"wait": {"seconds": 0}}, *json.loads(message["content"])["action"])

    return both


def done(text: str, *, success: bool = True) -> Reply:
    """The agent's last action."""
    return act("done", goal="finish", text=text, success=success, files_to_display=[])


def error(status: int, message: str = "refused") -> Reply:
    """An error of the provider."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": "x"}})
    return Reply(status=status, headers={"Content-Type": "application/json"}, body=body)
