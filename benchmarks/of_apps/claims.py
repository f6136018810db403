"""Whether what strap's answers claim is so: what fields hold, and which texts have come."""

import json
import re
from collections.abc import Mapping
from typing import Any

from benchmarks.wire import Failed, Server

EDITORS = ".monaco-editor, .cm-editor, .CodeMirror"
"""Fields that hold their text elsewhere than in the element that takes the keys."""
HELD = f"e => e.closest('{EDITORS}') ? null : e.value ?? e.innerText"
ALL = """() => {
  const said = [];
  const add = (root) => {
    for (const e of root.querySelectorAll('*')) {
      for (const { value } of e.attributes) said.push(value);
      for (const side of ['::before', '::after']) said.push(getComputedStyle(e, side).content);
      if ('value' in e) said.push(e.value);
      for (const n of e.childNodes) if (n.nodeType === 3) said.push(n.data);
      if (e.shadowRoot) add(e.shadowRoot);
      try { if (e.contentDocument) add(e.contentDocument); } catch {}
    }
  };
  add(document);
  said.push(document.title);
  return said.join('').replace(/\\s+/g, '');
}"""
"""All that is written in a page, without blanks, in the order of its elements."""
NEW = re.compile(r'^\+ +[^"]*?"((?:[^"\\]|\\.)*)"')


def untrue(server: Server, action: str, fields: Mapping[str, Any], answer: str) -> list[str]:
    """Return the claims of an answer that the page contradicts."""
    wrong = []
    if action == "fill" and "ref" in fields and answer.startswith("Filled"):
        held = _evaluated(server, HELD, ref=fields["ref"])
        if isinstance(held, str) and "holds" not in answer and not _same(held, fields["value"]):
            wrong.append(f"Filled {fields['ref']}, but it holds {held[:80]!r}")
    names = [match[1] for line in answer.splitlines() if (match := NEW.match(line))]
    if names:
        written = _evaluated(server, ALL)
        texts = [name.replace('"', '"').rstrip("…") for name in names]
        if isinstance(written, str):
            missing = [text for text in texts if "".join(text.split()) not in written]
            wrong += [f"told as new, but not in the page: {text!r}" for text in missing]
    return wrong


def _same(held: str, wanted: str) -> bool:
    return held.replace("\u200b", "").strip() == wanted.strip()


def _evaluated(server: Server, script: str, **fields: str) -> Any:
    arguments = {"resource": "browser", "action": "evaluate", "text": script, **fields}
    try:
        return json.loads(server.call("web", arguments).text)
    except (Failed, ValueError):
        return None
