"""How each server names the same few things: open, look, click, fill, run, picture, read."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.wire import Answer, Failed, Server

Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The calls of one server; `ref` finds an element's handle in the text of a snapshot."""

    navigate: Callable[[str], Call]
    snapshot: Call
    click: Callable[[str], Call]
    fill: Callable[[str, str], Call]
    read: Callable[[str], Call]
    """The text of the element with this id; its answer contains it."""
    screenshot: Call
    ref: Callable[[str, str], str]
    """A pattern for an element's role and name, with its handle as the one group."""
    evaluate: Callable[[str], Call] | None = None
    opening: tuple[Call, ...] = field(default=())
    """Calls that a server needs before the first page."""

    def open(self, server: Server, url: str) -> Answer:
        for call in self.opening:
            server.call(*call)
        return server.call(*self.navigate(url))

    def find(self, snapshot: str, role: str, name: str) -> str:
        """Return the handle of an element; raises `Failed` where the snapshot shows none."""
        found = re.search(self.ref(role, re.escape(name)), snapshot)
        if found is None:
            raise Failed(f"no {role} {name!r} in the snapshot: {snapshot[:300]}")
        return found.group(1)


def _web(action: str, **fields: Any) -> Call:
    return "web", {"resource": "browser", "action": action, **fields}


def _script(id_: str) -> str:
    return f"document.getElementById({id_!r}).textContent"


STRAP = Dialect(
    opening=(_web("launch"),),
    navigate=lambda url: _web("navigate", url=url),
    snapshot=_web("snapshot"),
    click=lambda ref: _web("click", ref=ref),
    fill=lambda ref, value: _web("fill", ref=ref, value=value),
    evaluate=lambda script: _web("evaluate", text=script),
    read=lambda id_: _web("evaluate", text=_script(id_)),
    screenshot=_web("screenshot"),
    ref=lambda role, name: rf'{role} "{name}"[^\n]*?\b((?:f\d+)?e\d+)\b',
)
PLAYWRIGHT = Dialect(
    navigate=lambda url: ("browser_navigate", {"url": url}),
    snapshot=("browser_snapshot", {}),
    click=lambda ref: ("browser_click", {"target": ref}),
    fill=lambda ref, value: ("browser_type", {"target": ref, "text": value}),
    evaluate=lambda script: ("browser_evaluate", {"function": f"() => {script}"}),
    read=lambda id_: ("browser_evaluate", {"function": f"() => {_script(id_)}"}),
    screenshot=("browser_take_screenshot", {"scale": "css"}),
    ref=lambda role, name: rf'{role} "{name}"[^\n]*?\[ref=(\w+)\]',
)
DEVTOOLS = Dialect(
    navigate=lambda url: ("navigate_page", {"pageId": 1, "type": "url", "url": url}),
    snapshot=("take_snapshot", {"pageId": 1}),
    click=lambda ref: ("click", {"pageId": 1, "uid": ref}),
    fill=lambda ref, value: ("fill", {"pageId": 1, "uid": ref, "value": value}),
    evaluate=lambda script: ("evaluate_script", {"pageId": 1, "function": f"() => {script}"}),
    read=lambda id_: ("evaluate_script", {"pageId": 1, "function": f"() => {_script(id_)}"}),
    screenshot=("take_screenshot", {"pageId": 1}),
    ref=lambda role, name: rf'uid=(\S+) {role} "{name}"',
)
AGENT_BROWSER = Dialect(
    navigate=lambda url: ("agent_browser_open", {"url": url}),
    snapshot=("agent_browser_snapshot", {}),
    click=lambda ref: ("agent_browser_click", {"selector": f"@{ref}"}),
    fill=lambda ref, value: ("agent_browser_fill", {"selector": f"@{ref}", "text": value}),
    evaluate=lambda script: ("agent_browser_eval", {"script": script}),
    read=lambda id_: ("agent_browser_eval", {"script": _script(id_)}),
    screenshot=("agent_browser_screenshot", {}),
    ref=lambda role, name: rf'{role} "{name}"[^\n]*?\bref=(\w+)',
)
BROWSER_USE = Dialect(
    navigate=lambda url: ("browser_navigate", {"url": url}),
    snapshot=("browser_get_state", {}),
    click=lambda ref: ("browser_click", {"index": int(ref)}),
    fill=lambda ref, value: ("browser_type", {"index": int(ref), "text": value}),
    read=lambda id_: ("browser_get_html", {"selector": f"#{id_}"}),
    screenshot=("browser_screenshot", {}),
    # It gives inputs no name; the page's first one is the one that is meant.
    ref=lambda role, name: (
        r'"index": (\d+),\s*"tag": "input"'
        if role == "textbox"
        else rf'"index": (\d+),[^}}]*?"text": "{name}"'
    ),
)
