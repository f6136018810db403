"""Text of pages in what the model is asked: none of it is a tag there, and hidden text says so.

browser-use puts the page, titles and results between tags of its own, as they are. A page could
close such a tag and write a task of its own behind it.
"""

import dataclasses
import re
from functools import wraps
from typing import Any

from strap_agent.worker.amendments import hidden_text
from strap_agent.worker.amendments.hidden_text import HIDDEN, STYLES, in_words, is_unseen

TAG = re.compile(r"<(?!\s*(?:[\d=.$+-]|$))")
"""Sign that may begin a tag; not `a < 1` and `<=`."""
BEGIN, END = "\ue0f0", "\ue0f1"
"""Around what comes from the children of an element: of an area that Unicode leaves free."""
MARKS = re.compile(f"[{BEGIN}{END}]")
INNER = re.compile(f"{BEGIN}([^{END}]*){END}")
BREAKS = re.compile(r"\s*[\n\r\u2028\u2029\x85]\s*")
ELEMENT, TEXT = 1, 3
"""Types of nodes (DOM standard, 4.4)."""


def plain(text: str) -> str:
    """Return a page's text without tags: what begins one is written as in HTML."""
    return TAG.sub("&lt;", text)


def install() -> None:
    """Have browser-use ask about pages in such texts."""
    from browser_use.agent import service as agent
    from browser_use.agent.message_manager import service as messages
    from browser_use.dom import enhanced_snapshot, markdown_extractor, views
    from browser_use.dom.serializer.serializer import DOMTreeSerializer

    styles = enhanced_snapshot.REQUIRED_COMPUTED_STYLES
    styles.extend(name for name in STYLES if name not in styles)
    hidden_text.install()
    tree: Any = DOMTreeSerializer
    tree.serialize_tree = staticmethod(_line_by_line(tree.serialize_tree))
    state: Any = views.SerializedDOMState
    state.llm_representation = _unmarked(state.llm_representation)
    manager: Any = messages.MessageManager
    name = "_update_agent_history_description"
    setattr(manager, name, _with_plain_results(getattr(manager, name)))
    prompt: Any = messages.AgentMessagePrompt
    prompt.__init__ = _with_plain_state(prompt.__init__)
    extractor: Any = markdown_extractor
    extractor.extract_clean_markdown = _in_plain_words(extractor.extract_clean_markdown)
    judging: Any = agent
    judging.construct_judge_messages = _judged(judging.construct_judge_messages)


def _line_by_line(inner: Any) -> Any:
    @wraps(inner)
    def serialize(node: Any, include_attributes: list[str], depth: int = 0) -> str:
        parts = INNER.split(inner(node, include_attributes, depth))
        if not any(parts):
            return ""
        kind = node.original_node.node_type
        # Even parts are the node's own, odd ones come from its children.
        own = [MARKS.sub("", part) for part in parts[::2]]
        parts[::2] = [plain(part) for part in own]
        if kind == TEXT:
            hidden = HIDDEN if is_unseen(node.original_node) else ""
            indent = "\t" * depth
            parts[0] = indent + hidden + BREAKS.sub(" ", parts[0].strip())
        elif kind == ELEMENT and (at := own[0].find("<")) >= 0:
            line = own[0][at + 1 :].rstrip("\n")
            after = own[0][at + 1 + len(line) :]
            parts[0] = f"{own[0][: at + 1]}{plain(BREAKS.sub(' ', line))}{after}"
        return f"{BEGIN}{''.join(parts)}{END}"

    return serialize


def _unmarked(inner: Any) -> Any:
    @wraps(inner)
    def represented(*args: Any, **options: Any) -> str:
        return MARKS.sub("", inner(*args, **options))

    return represented


def _with_plain_state(inner: Any) -> Any:
    @wraps(inner)
    def begin(self: Any, browser_state_summary: Any, *args: Any, **options: Any) -> None:
        seen = browser_state_summary
        tabs = [
            tab.model_copy(update={"url": _one_line(tab.url), "title": _one_line(tab.title)})
            for tab in seen.tabs
        ]
        shown = dataclasses.replace(
            seen,
            url=_one_line(seen.url),
            title=_one_line(seen.title),
            tabs=tabs,
            recent_events=seen.recent_events and plain(seen.recent_events),
            closed_popup_messages=[_one_line(text) for text in seen.closed_popup_messages],
            state_error=seen.state_error and plain(seen.state_error),
        )
        inner(self, shown, *args, **options)

    return begin


def _one_line(text: str) -> str:
    return plain(BREAKS.sub(" ", text))


def _with_plain_results(inner: Any) -> Any:
    @wraps(inner)
    def update(self: Any, model_output: Any = None, result: Any = None, *rest: Any) -> None:
        inner(self, model_output, result and [_plain_result(item) for item in result], *rest)

    return update


def _plain_result(result: Any) -> Any:
    names = ("extracted_content", "long_term_memory", "error")
    texts = {name: getattr(result, name) for name in names}
    return result.model_copy(update={name: text and plain(text) for name, text in texts.items()})


def _in_plain_words(inner: Any) -> Any:
    @wraps(inner)
    async def extract(*args: Any, **options: Any) -> Any:
        content, *rest = await inner(*args, **options)
        return in_words(plain(content)), *rest

    return extract


def _judged(inner: Any) -> Any:
    @wraps(inner)
    def construct(*, final_result: str, agent_steps: list[str], **rest: Any) -> Any:
        steps = [plain(step) for step in agent_steps]
        return inner(final_result=plain(final_result), agent_steps=steps, **rest)

    return construct
