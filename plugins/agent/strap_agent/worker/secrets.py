"""The secrets that a task names: filled into fields for the agent, kept from its model."""

import asyncio
import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from strap import Secrets, record
from strap.config.invisible_characters import BareText
from strap.config.secrets import Secret
from strap_agent.worker.channel import Channel, Message
from strap_browser.api import script_module

SHORTEST, LONGEST = 8, 100
"""Characters of a secret that are taken for it where a text is cut; browser-use cuts at 100."""
ENTER = """function (text, origins, clear, count = 1, box = 0) {
  const targets = TARGETS;
  const boxes = (BOXES).boxesFrom(this, count);
  const field = boxes[box];
  if (!field) return { why: "has fewer fields after it than before" };
  const isHere = () => field.isConnected && field.ownerDocument === document;
  const told = { origin, boxes: boxes.length, here: isHere() };
  const posts = () => targets.foreignTarget(field, origins);
  const may = () => isHere() && origins.includes(origin) && !posts();
  if (text === null || !may()) return text === null ? told : { ...told, posts: posts() };
  const editable = field.isContentEditable;
  if (!editable && !("value" in field && field.select)) return { why: "is not a field for text" };
  if (field.type !== "password") field.style.setProperty("-webkit-text-security", "disc");
  field.focus();
  const hasFocus = field.getRootNode().activeElement === field;
  if (!hasFocus && editable) return { why: "does not take the focus" };
  if (editable) getSelection().selectAllChildren(field);
  else field.select();
  if (!clear) getSelection().collapseToEnd();
  if (!may()) return told;
  if ((!hasFocus || !document.execCommand("insertText", false, text)) && !editable) {
    field.value = clear ? text : field.value + text;
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (!posts() || editable) return {};
  field.value = "";
  return { posts: posts() };
}""".replace("TARGETS", script_module("forms/targets.js")).replace(
    "BOXES", script_module("forms/boxes.js")
)
"""Enters a text into the field, in one step with the check of its document's origin.

It runs in a world that the page's scripts do not reach. Without a text it tells the origin,
whether the field is `here`, in the document of this world, and in how many `boxes` a text of
`count` characters goes, one in each: then it is called for each `box`. Fields show dots from then
on.
"""
NO_ORIGIN = "a sandboxed document, which has no origin"


class Obtaining:
    """Asks strap for values that are obtained when they are used: codes, and those of vaults."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[Message]] = {}
        self.learn: Callable[[str, str], None] = lambda name, origin: None
        """Takes the name of what a person answered, and the origin that it is for."""

    def answered(self, message: Message) -> None:
        """Take a value, or why there is none."""
        waiting = self._open.pop(message["number"], None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def source(self, name: str) -> "ObtainedSecret":
        """Return where the value of a name is from."""
        return ObtainedSecret(obtaining=self, name=name)

    async def read(self, name: str, origin: str) -> str:
        """Return a value for an origin; raises `ValueError`, which the agent reads."""
        number = next(self._numbers)
        self._open[number] = waiting = asyncio.get_running_loop().create_future()
        self._channel.send("secret", number=number, name=name, origin=origin)
        answer = await waiting
        if answer["why"]:
            raise ValueError(answer["why"])
        return str(answer["value"])


@record
class ObtainedSecret:
    """One name, as strap obtains it."""

    obtaining: Obtaining
    name: str

    async def read(self, origin: str) -> str:
        """Return the value for an origin; raises `ValueError`."""
        return await self.obtaining.read(self.name, origin)


def register_secrets(
    tools: Any, secrets: Mapping[str, Any], task: str, obtaining: Obtaining
) -> Callable[[str], str]:
    """Let `tools` fill in those of `secrets` that `task` names.

    Returns what hides all of them in a text.
    """
    known = Secrets.from_json(secrets, obtaining.source)
    usable = known.among(task)
    if usable:
        _fill_in(tools, usable)

    def learn(name: str, origin: str) -> None:
        if not usable:
            _fill_in(tools, usable)
        usable.learn(name, Secret(origins=(origin,), source=obtaining.source(name)))

    obtaining.learn = learn
    beginnings = _beginnings(secrets)
    if not beginnings:
        return known.hide
    pattern = re.compile("|".join(map(re.escape, sorted(beginnings, key=len, reverse=True))))

    def hide(text: str) -> str:
        bare = BareText(known.hide(text))
        matches = pattern.finditer(bare.text)
        return bare.replaced(
            (*match.span(), f"{{{{{beginnings[match[0]]}}}}}") for match in matches
        )

    return hide


def _beginnings(secrets: Mapping[str, Any]) -> dict[str, str]:
    """Return what is left of secrets where a title or an attribute is cut, with their names."""
    beginnings: dict[str, str] = {}
    for name, secret in secrets.items():
        value = secret.get("value", "")
        shortest = min(LONGEST, max(SHORTEST, len(value) // 2))
        beginnings |= {value[:end]: name for end in range(shortest, len(value))}
    return beginnings


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
        place, origin = await _field_of(session, node.backend_node_id)
        text = await secrets.filled(params.text, NO_ORIGIN if origin == "null" else origin)
        origins = secrets.origins(params.text)
        boxes = (await _called(session, place, None, origins, False, len(text)))["boxes"]
        parts = [text] if boxes == 1 else list(text)
        for box, part in enumerate(parts):
            done = await _called(session, place, part, origins, params.clear, boxes, box)
            if done:
                break
        if "why" in done:
            raise ValueError(f"Element {params.index} {done['why']}.")
        if done.get("posts"):
            raise ValueError(f"The form of this field sends the secret to {done['posts']!r}.")
        if done:
            raise ValueError(f"Element {params.index} is in another document now.")
        message = f"Filled in {params.text} in element {params.index}."
        return ActionResult(extracted_content=message, long_term_memory=message)

    action.function = fill


async def _field_of(session: Any, node: int) -> tuple[str, str]:
    """Return the element, in a world of strap's own in its document, and the document's origin."""
    send, session_id = session.cdp_client.send, session.session_id
    frames = [(await send.Page.getFrameTree(None, session_id))["frameTree"]]
    for tree in frames:
        frames += tree.get("childFrames", ())
        params = {"frameId": tree["frame"]["id"], "worldName": "secrets"}
        world = (await send.Page.createIsolatedWorld(params, session_id))["executionContextId"]
        params = {"backendNodeId": node, "executionContextId": world}
        object_id = (await send.DOM.resolveNode(params, session_id))["object"].get("objectId")
        value = await _called(session, object_id) if object_id else {}
        if object_id and value.get("here"):
            return object_id, value["origin"]
    raise ValueError("The element is not on the page any more.")


async def _called(session: Any, place: str, *arguments: Any) -> dict[str, Any]:
    text, origins, *more = arguments or (None, ())
    called = await session.cdp_client.send.Runtime.callFunctionOn(
        {
            "objectId": place,
            "functionDeclaration": ENTER,
            "arguments": [{"value": argument} for argument in (text, list(origins), *more)],
            "returnByValue": True,
        },
        session.session_id,
    )
    value: dict[str, Any] = called["result"].get("value") or {}
    return value


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
