"""The domain Accessibility, as far as the engine uses it: what custom elements say of themselves.

WebDriver BiDi tells nothing of `ElementInternals`. So each is kept in mind as its element gets it,
out of the reach of the page.
"""

from typing import Any

from strap_firefox.commands.scripts import call_own
from strap_firefox.session import FirefoxSession
from strap_firefox.values import by_value

Params = dict[str, Any]
KEEP = """() => {
  const kept = new WeakMap();
  const page = window.wrappedJSObject;
  const { prototype } = page.HTMLElement;
  const made = page.Object();
  made.apply = (attach, element, given) => {
    const internals = Reflect.apply(attach, element, given);
    kept.set(element, internals);
    return internals;
  };
  prototype.attachInternals = new page.Proxy(prototype.attachInternals, made);
  globalThis[Symbol.for("internals")] = kept;
}"""
"""Runs before the scripts of each document, which get at nothing of it but the one function."""
SAID = """(element) => {
  const said = globalThis[Symbol.for("internals")]?.get(element);
  if (!said?.role) return null;
  const states = ["Checked", "Disabled", "Expanded", "Invalid", "Level", "Pressed", "Selected",
    "ValueText"].map((name) => [name.toLowerCase(), said[`aria${name}`]]);
  const text = (elements) => [...(elements || [])].map((one) => one.textContent.trim()).join(" ");
  const labels = () => {
    try { return text(said.labels); } catch { return ""; } // of elements of forms alone
  };
  const name = text(said.ariaLabelledByElements) || said.ariaLabel || labels();
  return { role: said.role, name, value: said.ariaValueNow,
    states: Object.fromEntries(states.filter(([, state]) => state !== null)) };
}"""


async def describe(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Accessibility.getPartialAXTree`, of one element."""
    answer = by_value(await call_own(firefox, params["objectId"], SAID))
    if answer is None:
        return {"nodes": []}
    node: Params = {"role": {"value": answer["role"]}}
    node["properties"] = [
        {"name": name, "value": {"value": state}} for name, state in answer["states"].items()
    ]
    if answer["name"]:
        source = {"type": "attribute", "value": answer["name"]}
        node["name"] = {"value": answer["name"], "sources": [source]}
    if answer["value"] is not None:
        node["value"] = {"value": answer["value"]}
    return {"nodes": [node]}


COMMANDS = {"Accessibility.getPartialAXTree": describe}
