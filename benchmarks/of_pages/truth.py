"""Clicks on pages that others wrote: whether what they show then is told, as the page itself knows.

The pages are the examples of W3C's ARIA Authoring Practices Guide, or with `truth:FOLDER` those of
a folder.
"""

import base64
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Table, ready
from benchmarks.dialects import Dialect
from benchmarks.peers import Absent, Peer, repository
from benchmarks.site import serve_files
from benchmarks.wire import Failed, Server

EXAMPLES = ("w3c/aria-practices", "18c1a2fca626f7aeb33270e23ae9b18833e2164d")
COLUMNS = ("", "clicks", "with new texts", "told", "told in part", "seen next", "untrue")
MOST = 3
"""Clicks on a page, each on one that was opened anew."""
PAUSE = 0.3
"""Seconds for which a page that was opened is left alone."""
NOTHING = re.compile(r"\bnothing (else )?(has )?changed", re.IGNORECASE)
PAGE = r"""
const isSeen = (element) => element.checkVisibility({
  opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
const words = (text) => text.replace(/[\s\u00ad\u200b]+/g, " ").trim();
const isDrawn = (text) => {
  const range = document.createRange();
  range.selectNode(text);
  return isSeen(text.parentElement) && [...range.getClientRects()].some(
    ({ width, height, right, bottom }) =>
      width > 1 && height > 1 && right + scrollX > 0 && bottom + scrollY > 0);
};
const texts = () => {
  const found = {};
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const [text, said] = [walk.currentNode, words(walk.currentNode.data)];
    if (!/[\p{L}\p{N}]/u.test(said)) continue;
    const other = "script, style, noscript, template, textarea, option, svg";
    if (!text.parentElement.closest(other) && isDrawn(text)) found[said] = (found[said] || 0) + 1;
  }
  return found;
};
const controls = () => {
  const roles = ["button", "tab", "switch", "checkbox", "radio", "option", "menuitem", "treeitem"];
  const all = [...document.querySelectorAll(["button", ...roles.map((role) => `[role=${role}]`)])]
    .filter((one) => isSeen(one) && one.offsetWidth > 1)
    .filter((one) => !one.matches(":disabled, [aria-disabled=true]"))
    .map((one) => [one.getAttribute("role") || "button",
      words(one.getAttribute("aria-label") || one.textContent)])
    .filter(([role, name]) => name && name.length < 40 && !/["\\]/.test(name));
  return all.filter((one) => all.filter((other) => `${other}` === `${one}`).length === 1);
};
const told = (value) => `<${btoa(unescape(encodeURIComponent(JSON.stringify(value))))}>`;"""
"""Code that the scripts share; an answer stands in `<>`, in Base64, which no page has otherwise."""
CONTROLS = f"(() => {{ {PAGE} return told(controls().slice(0, 40)); }})()"
"""Roles and names of what can be clicked, where nothing else is called so."""
BEFORE = f"""(() => {{ {PAGE}
globalThis.alert = globalThis.confirm = globalThis.prompt = () => null;
globalThis.before = texts(); return told(true); }})()"""
"""Script that notes the drawn texts and disables dialogs."""
AFTER = f"""(() => {{ {PAGE}
if (!globalThis.before) return told(null);
const more = ([text, count]) => count > (before[text] || 0);
const found = Object.entries(texts()).filter(more).map(([text]) => text);
return told(found.slice(0, 20).map((text) => text.slice(0, 60))); }})()"""
"""The texts that are drawn more often than before; null on another page."""


@dataclass
class Tally:
    """Counts of the clicks of one contender."""

    clicks: int = 0
    new: int = 0
    told: int = 0
    begun: int = 0
    seen: int = 0
    untrue: int = 0

    def row(self, name: str) -> list[Any]:
        return [name, self.clicks, self.new, self.told, self.begun, self.seen, self.untrue]


def measure(bench: Bench) -> Table:
    table = Table(title="Clicks on pages of others", columns=COLUMNS)
    try:
        folder = Path(bench.part) if bench.part else repository(*EXAMPLES)
    except Absent as error:
        table.notes.append(f"absent: {error}")
        return table
    pages = sorted(str(path.relative_to(folder)) for path in _pages(folder, whole=bool(bench.part)))
    with serve_files(folder) as site:
        for peer in bench.variants:
            if peer.dialect and peer.dialect.evaluate:
                tally = Tally()
                _try(peer, site, pages[:: bench.runs(1, 8)], tally, table)
                table.rows.append(tally.row(peer.name))
    table.notes.append(
        f"Up to {MOST} clicks on each of {len(pages)} pages. Told: all texts that the page shows "
        "after a click and did not before are in the answer; in part: some, as of a cut list. "
        "Seen next: none, but a snapshot right after it has some. Untrue: the answer says "
        "that nothing changed."
    )
    return table


def _pages(folder: Path, *, whole: bool) -> Iterator[Path]:
    pattern = "**/*.html" if whole else "content/patterns/*/examples/*.html"
    return folder.glob(pattern)


def _try(peer: Peer, site: str, pages: Sequence[str], tally: Tally, table: Table) -> None:
    assert peer.dialect
    with ready(peer) as server:
        for page in pages:
            try:
                for role, name in _chosen(server, peer.dialect, f"{site}/{page}"):
                    _click(server, peer.dialect, f"{site}/{page}", role, name, tally)
            except (Failed, OSError) as error:
                table.notes.append(f"{peer.name}, {page}: …{str(error)[-200:]}")


def _chosen(server: Server, dialect: Dialect, url: str) -> list[tuple[str, str]]:
    """Return controls of the page, from all over it."""
    dialect.open(server, url)
    time.sleep(PAUSE)
    found = _ask(server, dialect, CONTROLS)
    return [(role, name) for role, name in found[:: max(1, len(found) // MOST)][:MOST]]


def _click(server: Server, dialect: Dialect, url: str, role: str, name: str, tally: Tally) -> None:
    dialect.open(server, url)
    time.sleep(PAUSE)
    try:
        ref = dialect.find(server.call(*dialect.snapshot).text, role, name)
    except Failed:
        return  # it calls the control otherwise
    _ask(server, dialect, BEFORE)
    with suppress(Failed):
        answer = server.call(*dialect.click(ref)).text
        new = _ask(server, dialect, AFTER)
        tally.clicks += 1
        if new:
            tally.new += 1
            told, begun = _share(answer, new) == 1, _share(answer, new) > 0
            tally.told += told
            tally.begun += begun and not told
            tally.seen += not begun and _share(server.call(*dialect.snapshot).text, new) > 0
            tally.untrue += bool(NOTHING.search(answer))


def _share(answer: str, texts: Sequence[str]) -> float:
    return sum(_bare(text) in _bare(answer) for text in texts) / len(texts)


def _bare(text: str) -> str:
    return "".join(re.findall(r"\w+", text.lower()))


def _ask(server: Server, dialect: Dialect, script: str) -> Any:
    assert dialect.evaluate
    answer = server.call(*dialect.evaluate(script)).text
    found = re.search(r"<([\w+/=]*)>", answer)
    if not found:
        raise Failed(f"no answer to a script: {answer[:200]}")
    return json.loads(base64.b64decode(found[1]))
