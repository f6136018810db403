"""The actions of browser-use that the agent has: those of a closed list."""

from typing import Any

from strap_agent.person.agent_actions import ACTIONS, LEFT_OUT
from strap_agent.worker.amendments.hidden_text import mark

FIND = """function (text) {
  const fold = (found) => found.replace(/\\s+/g, " ").trim().toLowerCase();
  const wanted = fold(text);
  const isIn = (node) => fold(node.textContent).includes(wanted);
  const isDrawn = (element) => element?.checkVisibility({ visibilityProperty: true });
  const show = (element) => (element.scrollIntoView({ block: "center" }), true);
  const roots = [document];
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) roots.push(node.shadowRoot);
      const element = node.parentElement || root.host;
      if (node.nodeType === Node.TEXT_NODE && isDrawn(element) && isIn(node)) return show(element);
    }
  }
  for (const root of roots) {
    const inner = (element) => [...element.children].find((each) => isDrawn(each) && isIn(each));
    let deepest = inner(root.body || root);
    for (let next = deepest; next; next = inner(next)) deepest = next;
    if (deepest) return show(deepest);
  }
  return false;
}"""
"""Scrolls to the first text that is drawn, or to the innermost element whose texts together match.

Text is compared without regard to case and to how much white space there is."""


def keep_known(tools: Any) -> list[str]:
    """Exclude all actions that are not offered; returns the names of those that nobody knows."""
    actions = tools.registry.registry.actions
    others = set(actions).difference(ACTIONS)
    for name in others:
        tools.exclude_action(name)
    # browser-use writes the text into a script.
    actions["find_text"].function = _find_text
    for name in list(mark(tools)):
        tools.exclude_action(name)
        others.add(name)
    return sorted(others - LEFT_OUT)


async def _find_text(*, params: Any, browser_session: Any, **_: Any) -> Any:
    """Scroll to a text: an argument of a function in a world that the page does not reach."""
    from browser_use import ActionResult

    place = await browser_session.get_or_create_cdp_session()
    send, session = place.cdp_client.send, place.session_id
    world = await send.Page.createIsolatedWorld({"frameId": place.target_id}, session)
    called = await send.Runtime.callFunctionOn(
        {
            "functionDeclaration": FIND,
            "arguments": [{"value": params.text}],
            "executionContextId": world["executionContextId"],
            "returnByValue": True,
        },
        session,
    )
    if called["result"].get("value"):
        text = f"Scrolled to text: {params.text}"
    else:
        text = f"Text {params.text!r} is not on the page, or not drawn."
    return ActionResult(extracted_content=text, long_term_memory=text)
