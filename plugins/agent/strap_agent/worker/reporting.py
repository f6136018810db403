"""Reports of the worker to strap while a run goes on, and at its end."""

import base64
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from strap_agent.worker.channel import Channel
from strap_agent.worker.elements import boxes_of, elements_of, shown_elements, shown_size
from strap_agent.worker.gate import FAILED, Gate

LONGEST = 2_000
"""Characters of a text that is told of a step: what it goes on with is a page's or a provider's."""
SMALL = 100_000
"""Bytes of a picture that is kept as it came: drawing it anew would take longer than it spares."""
LONGEST_SIDE, QUALITY = 1_568, 80
"""Pixels, as of pictures in answers; above it, models scale down themselves. JPEG's quality, at
which small print can still be read."""
FATAL = frozenset({401, 402, 403, 404})
"""HTTP statuses of a provider after which asking again is of no use."""
KINDS = (
    (re.compile(r"^(Step \d+|Initial actions) timed out"), "step_timeout"),
    (re.compile(r"^LLM call timed out|Request timed out"), "provider"),
    (re.compile(r"^Invalid model output format"), "schema"),
    (
        re.compile(
            r"CDP client not initialized|websocket|browser (has been )?closed", re.IGNORECASE
        ),
        "browser",
    ),
)
SHOWN = re.compile(r"<(browser_state|read_state|webpage_content)>(.*?)</\1>", re.DOTALL)
"""Tags around the text of pages in browser-use's messages, and around what was read there."""
Failure = tuple[str, int | None, str]
"""Kind, HTTP status and text of a failed call of the model."""


class Reporter:
    """The hooks of one run."""

    def __init__(self, channel: Channel, gate: Gate) -> None:
        self._channel = channel
        self._gate = gate
        self._model_failure: Failure | None = None
        self._began = False
        self._shown: Mapping[int, Any] = {}
        """The elements that the agent was last asked about."""
        self._size: tuple[int, int] | None = None
        self.agent: Any = None
        self.notes: list[str] = []
        """Notes of strap for the model since it was last asked."""

    def asking(self) -> str:
        """Return what to add to what the model is asked; report that it is asked."""
        self._channel.send("model_asked")
        self._report_first_page()
        if self.agent is not None:
            self._shown = shown_elements(self.agent.browser_session)
            self._size = shown_size(self.agent.browser_session)
        self._gate.asking()
        notes, self.notes = self.notes, []
        return "\n".join(dict.fromkeys(notes))

    def _report_first_page(self) -> None:
        """Report what the agent sees when it first asks its model: it may see nothing more."""
        if self._began or self.agent is None:
            return
        self._began = True
        session = self.agent.browser_session
        # Not public, and not worth a run.
        seen: Any = getattr(session, "_cached_browser_state_summary", None)
        with suppress(AttributeError, OSError, ValueError):
            picture = compressed(base64.b64decode(seen.screenshot or "", validate=True))
            self._channel.send(
                "seen",
                url=seen.url,
                title=seen.title,
                target=session.agent_focus_target_id,
                screenshot=base64.b64encode(picture).decode(),
            )

    def shows(self, messages: Iterable[Any]) -> None:
        """Report what of pages is in what the model is asked."""
        if self.agent is not None:
            prompt = "\n".join(str(message.text) for message in messages)
            text = "\n".join(match[2] for match in SHOWN.finditer(prompt))
            self._gate.shows(self.agent.browser_session, text)

    def model_answered(self, usage: Any) -> None:
        """Report an answer of the model, with the tokens that it took where they are known."""
        tokens = usage and {
            "input_tokens": usage.prompt_tokens,
            "cached_tokens": usage.prompt_cached_tokens or 0,
            "output_tokens": usage.completion_tokens,
        }
        self._channel.send("model_answered", tokens=tokens)

    def model_failed(self, kind: str, status: int | None, text: str) -> None:
        """Report a failed call of the model; ends the run where repeating is of no use."""
        self._model_failure = kind, status, text[:LONGEST]
        self._channel.send("model_failed", kind=kind, status=status, text=text[:LONGEST])
        agent = self.agent
        if status in FATAL and agent is not None and _nobody_takes_over(agent):
            agent.state.stopped = True

    def withheld(self, actions: list[str]) -> None:
        """Report actions of browser-use that strap does not know, and the agent does not have."""
        if actions:
            self._channel.send("withheld", actions=actions)

    def page_made(self, target: str) -> None:
        """Report a page that the agent made."""
        self._channel.send("page_made", target=target)

    async def step_ended(self, agent: Any) -> None:
        """Report a step, also one that failed or timed out, but none that was interrupted."""
        if self._gate.take_back(agent):
            self._channel.send("interrupted")
            return
        number = agent.state.n_steps - 1
        item = _item(agent, number)
        output = agent.state.last_model_output if item is None else item.model_output
        failure, self._model_failure = self._model_failure, None
        self._channel.send(
            "step",
            number=number,
            url=item.state.url if item else None,
            title=item.state.title if item else None,
            target=agent.browser_session.agent_focus_target_id,
            goal=_goal(output),
            actions=_actions(output),
            elements=elements_of(item, self._shown),
            boxes=boxes_of(item, self._shown, self._size),
            results=[_result(result, failure) for result in agent.state.last_result or []],
            screenshot=_screenshot(item),
        )
        if agent.history.is_done() and agent.settings.use_judge:
            self._channel.send("judging", **ending(agent))

    async def done(self, _: Any) -> None:
        """Report the end of a run that finished with `done`, judged if it is to be."""
        self._channel.send("finished", **ending(self.agent))


def ending(agent: Any) -> dict[str, Any]:
    """Return what is known at the end of a run."""
    history = agent.history
    done = bool(history.is_done())
    last = history.errors()[-1] if history.history else None
    return {
        "done": done,
        "success": history.is_successful() if done else None,
        "text": history.final_result() if done else None,
        "judgement": judgement(history),
        "out_of_steps": last == "Failed to complete task in maximum steps",
        "steps": agent.state.n_steps - 1,
    }


def judgement(history: Any) -> Any:
    """Return the judge's verdict as plain values, whichever form this version gives it."""
    with suppress(AttributeError, IndexError):
        verdict = history.judgement()
        if verdict is not None and not isinstance(verdict, dict):
            verdict = verdict.model_dump()
        return verdict
    return None


def _nobody_takes_over(agent: Any) -> bool:
    return agent._fallback_llm is None or agent._using_fallback_llm  # noqa: SLF001 - not public


def _item(agent: Any, number: int) -> Any:
    for item in reversed(agent.history.history):
        if item.metadata is not None and item.metadata.step_number == number:
            return item
    return None


def _goal(output: Any) -> str:
    state = getattr(output, "current_state", None)
    return str(getattr(state, "next_goal", None) or "")[:LONGEST]


def _actions(output: Any) -> list[dict[str, Any]]:
    actions = getattr(output, "action", None) or []
    return [action.model_dump(mode="json", exclude_none=True) for action in actions]


def _result(result: Any, failure: Failure | None) -> dict[str, Any]:
    if not result.error:
        text = (result.extracted_content or result.long_term_memory or "")[:LONGEST]
        if (result.metadata or {}).get(FAILED):
            return {"error": text, "kind": "action", "status": None}
        return {"text": text}
    kind, status, text = failure or (classify(result.error), None, result.error[:LONGEST])
    return {"error": text, "kind": kind, "status": status}


def classify(error: str) -> str:
    """Return what kind of failure a text of browser-use tells of."""
    return next((kind for pattern, kind in KINDS if pattern.search(error)), "action")


def _screenshot(item: Any) -> str | None:
    path = item.state.screenshot_path if item is not None else None
    with suppress(OSError):
        return base64.b64encode(compressed(Path(path).read_bytes())).decode() if path else None
    return None


def compressed(picture: bytes) -> bytes:
    """Return a large picture as JPEG, no longer than what models take; a small one as it is."""
    if len(picture) <= SMALL:
        return picture
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(picture)) as image:
        small = image.convert("RGB")
    small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    out = BytesIO()
    small.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()
