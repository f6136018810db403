"""The secrets that a task names: filled into fields for the agent, kept from its model."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from strap import Secrets

SHORTEST, LONGEST = 8, 100
"""Characters of a secret that are taken for it where a text is cut; browser-use cuts at 100."""
READY = """function (clear) {
  const editable = this.isContentEditable;
  if (!editable && !("value" in this && this.select)) return { why: "is no field for text" };
  if (this.type !== "password") this.style.setProperty("-webkit-text-security", "disc");
  this.focus();
  if (this.getRootNode().activeElement !== this) return { why: "does not take the focus" };
  if (editable) getSelection().selectAllChildren(this);
  else this.select();
  if (!clear) getSelection().collapseToEnd();
  return { url: location.href };
}"""
"""Prepares a field, which shows dots from then on; returns the address of the frame it is in.

No page can say another address than its own: `location` and `href` cannot be redefined.
"""


def register_secrets(tools: Any, given: Mapping[str, Any], task: str) -> Callable[[str], str]:
    """Let `tools` fill in those of the secrets `given` that `task` names.

    Returns what hides all of them in a text.
    """
    known = Secrets.from_json(given)
    usable = known.among(task)
    if usable:
        _fill_in(tools, usable)
    beginnings = _beginnings(given)
    if not beginnings:
        return known.hide
    pattern = re.compile("|".join(map(re.escape, sorted(beginnings, key=len, reverse=True))))

    def hide(text: str) -> str:
        return pattern.sub(lambda found: f"{{{{{beginnings[found[0]]}}}}}", known.hide(text))

    return hide


def _beginnings(given: Mapping[str, Any]) -> dict[str, str]:
    """Return what is left of secrets where a title or an attribute is cut, with their names."""
    found: dict[str, str] = {}
    for name, one in given.items():
        value = one["value"]
        shortest = min(LONGEST, max(SHORTEST, len(value) // 2))
        found |= {value[:end]: name for end in range(shortest, len(value))}
    return found


def _fill_in(tools: Any, secrets: Secrets) -> None:
    """Let the action `input` take `{{name}}` for a secret, in fields of the sites it is for."""
    from browser_use import ActionResult

    action = tools.registry.registry.actions["input"]
    as_it_is = action.function

    async def fill(*, params: Any, browser_session: Any, **context: Any) -> Any:
        if not secrets.named(params.text):
            return await as_it_is(params=params, browser_session=browser_session, **context)
        node = await browser_session.get_element_by_index(params.index)
        if node is None:
            raise ValueError(f"There is no element {params.index} any more.")
        session = await browser_session.cdp_client_for_node(node)
        field = await _ready(session, node.backend_node_id, clear=params.clear)
        if "why" in field:
            raise ValueError(f"Element {params.index} {field['why']}.")
        text = secrets.fill(params.text, field["url"])
        await session.cdp_client.send.Input.insertText({"text": text}, session.session_id)
        said = f"Filled in {params.text} in element {params.index}."
        return ActionResult(extracted_content=said, long_term_memory=said)

    action.function = fill


async def _ready(session: Any, node: int, *, clear: bool) -> dict[str, str]:
    send = session.cdp_client.send
    found = await send.DOM.resolveNode({"backendNodeId": node}, session.session_id)
    called = await send.Runtime.callFunctionOn(
        {
            "objectId": found["object"]["objectId"],
            "functionDeclaration": READY,
            "arguments": [{"value": clear}],
            "returnByValue": True,
        },
        session.session_id,
    )
    field: dict[str, str] = called["result"].get("value") or {"why": "cannot be filled"}
    return field


def redacted(message: Any, hide: Callable[[str], str]) -> Any:
    """Return a copy of a message to a model without secrets in its texts."""
    content = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": hide(content)})
    parts = [
        part.model_copy(update={"text": hide(part.text)}) if part.type == "text" else part
        for part in content or ()
    ]
    return message.model_copy(update={"content": parts})
