"""Clicks on widgets of libraries: whether what they show or hide is told, and how soon."""

import re
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from benchmarks.bench import Bench, Table, middle, ready
from benchmarks.dialects import Dialect
from benchmarks.peers import Absent, Peer, npm
from benchmarks.site import serve_files
from benchmarks.wire import Failed, Server

REQUIREMENTS = (
    "@mui/material@5.18.0",
    "@shoelace-style/shoelace@2.20.1",
    "a11y-dialog@8.1.5",
    "bootstrap@5.3.8",
    "jquery@3.7.1",
    "jquery-ui@1.14.1",
    "micromodal@0.6.1",
    "react@18.3.1",
    "react-dom@18.3.1",
    "sweetalert2@11.26.3",
)
COLUMNS = ("", "told", "seen next", "at once, ms", "late, ms")
ATTEMPTS = 3
PAUSE = 0.5
"""Seconds between two looks for a button that one contender did not wait for."""
COUNT = "Count"
"""The widget that is none: a text that a click changes, which the others are compared with."""
PLAIN = """<button onclick="n.textContent = 'Counted'">Count</button><p id=n></p>
<button onclick="setTimeout(() => { n.textContent = 'After fifty' }, 50)">Fifty</button>
<button onclick="setTimeout(() => { n.textContent = 'After longer' }, 250)">Longer</button>"""
NATIVE = """<style>dialog { opacity: 0; transition: opacity .2s, display .2s allow-discrete,
overlay .2s allow-discrete } dialog[open] { opacity: 1 }</style><button onclick="d.showModal()">Open
</button><dialog id=d><p>Native body</p><button onclick="d.close()">Shut</button></dialog>"""
BOOTSTRAP = """<link rel=stylesheet href=/bootstrap/dist/css/bootstrap.min.css>
<button data-bs-toggle=modal data-bs-target=#m>Modal</button>
<div class="modal fade" id=m tabindex=-1 aria-label=Question>
<div class=modal-dialog><div class=modal-content><p>Modal body</p>
<button data-bs-dismiss=modal>Shut</button></div></div></div>
<button data-bs-toggle=offcanvas data-bs-target=#o>Canvas</button><div class="offcanvas
offcanvas-start" id=o tabindex=-1 aria-label=Side><p>Canvas body</p></div>
<div class=dropdown><button data-bs-toggle=dropdown>Dropdown</button><ul class=dropdown-menu>
<li><a class=dropdown-item href=#a>Dropped</a></ul></div>
<button data-bs-toggle=collapse data-bs-target=#c>Collapse</button>
<p class=collapse id=c>Unfolded</p>
<script src=/bootstrap/dist/js/bootstrap.bundle.min.js></script>"""
MUI = """<style>button { text-transform: none !important }</style><div id=root></div>
<script src=/react/umd/react.production.min.js></script>
<script src=/react-dom/umd/react-dom.production.min.js></script>
<script src=/@mui/material/umd/material-ui.production.min.js></script><script>
const { Button, Dialog, Menu, MenuItem } = MaterialUI, h = React.createElement;
const App = () => {
  const [open, set] = React.useState(""), shut = () => set("");
  return h("div", null, h(Button, { onClick: () => set("dialog") }, "Dialog"),
    h(Button, { id: "menu", onClick: () => set("menu") }, "Menu"),
    h(Dialog, { open: open === "dialog", onClose: shut }, h("p", null, "Dialog body"),
      h(Button, { onClick: shut }, "Shut")),
    h(Menu, { open: open === "menu", onClose: shut, anchorEl: document.getElementById("menu") },
      h(MenuItem, { onClick: shut }, "Profile")));
};
ReactDOM.createRoot(root).render(h(App));</script>"""
SHOELACE = """<link rel=stylesheet href=/@shoelace-style/shoelace/cdn/themes/light.css>
<script type=module src=/@shoelace-style/shoelace/cdn/shoelace.js></script>
<sl-button onclick="d.show()">Dialog</sl-button><sl-dialog id=d label=Question>Dialog body
<sl-button slot=footer onclick="d.hide()">Shut</sl-button></sl-dialog>"""
JQUERY = """<script src=/jquery/dist/jquery.min.js></script>
<script src=/jquery-ui/dist/jquery-ui.min.js></script>
<button onclick="$('#d').dialog({ show: 'fade', hide: 'fade' })">Dialog</button>
<div id=d title=Question style="display: none">Dialog body
<button onclick="$('#d').dialog('close')">Shut</button></div>"""
SMALL = """<style>.m { display: none } .m.is-open { display: block }
.m[aria-hidden=true] div { animation: out .3s } @keyframes out { to { opacity: 0 } }
#a[aria-hidden=true] { display: none }</style>
<script src=/micromodal/dist/micromodal.min.js></script>
<script src=/a11y-dialog/dist/a11y-dialog.min.js></script>
<script src=/sweetalert2/dist/sweetalert2.all.min.js></script>
<button data-micromodal-trigger=m>Micro</button><div id=m class=m aria-hidden=true><div role=dialog
aria-label=Small>Micro body<button data-micromodal-close>Shut</button></div></div>
<button data-a11y-dialog-show=a>Access</button><div id=a data-a11y-dialog=a aria-hidden=true
aria-label=Open>Access body<button data-a11y-dialog-hide>Hide</button></div>
<button onclick="Swal.fire('Sweet body')">Sweet</button>
<script>MicroModal.init({ awaitCloseAnimation: true })</script>"""
PAGES = {
    "plain": PLAIN,
    "native": NATIVE,
    "bootstrap": BOOTSTRAP,
    "mui": MUI,
    "shoelace": SHOELACE,
    "jquery-ui": JQUERY,
    "small": SMALL,
}


@dataclass(frozen=True, slots=True)
class Widget:
    """A button that shows a text, `at_once` or not, and the button that hides it again."""

    page: str
    opens: str
    text: str
    shuts: str = ""
    at_once: bool = False


WIDGETS = (
    Widget("plain", COUNT, "Counted", at_once=True),
    Widget("plain", "Fifty", "After fifty"),
    Widget("plain", "Longer", "After longer"),
    Widget("native", "Open", "Native body", "Shut"),
    Widget("bootstrap", "Modal", "Modal body", "Shut"),
    Widget("bootstrap", "Canvas", "Canvas body"),
    Widget("bootstrap", "Dropdown", "Dropped", at_once=True),
    Widget("bootstrap", "Collapse", "Unfolded"),
    Widget("mui", "Dialog", "Dialog body", "Shut"),
    Widget("mui", "Menu", "Profile"),
    Widget("shoelace", "Dialog", "Dialog body", "Shut"),
    Widget("jquery-ui", "Dialog", "Dialog body", "Shut"),
    Widget("small", "Micro", "Micro body", "Shut"),
    Widget("small", "Access", "Access body", "Hide", at_once=True),
    Widget("small", "Sweet", "Sweet body"),
)


class Tally:
    """Counts of one contender: clicks told and seen next, of all, and the times (ms)."""

    def __init__(self) -> None:
        self.told = self.seen = self.all = 0
        self.times: dict[bool, list[float]] = {True: [], False: []}
        self.plain: list[float] = []

    def row(self, name: str) -> list[str]:
        return [
            name,
            *(f"{count}/{self.all}" for count in (self.told, self.seen)),
            *(middle(self.times[at_once]) for at_once in (True, False)),
        ]


def measure(bench: Bench) -> Table:
    table = Table(title="Clicks on widgets of libraries", columns=COLUMNS)
    try:
        folder = npm(bench.tools, "widgets", *REQUIREMENTS)
    except Absent as error:
        table.notes.append(f"absent: {error}")
        return table
    pages = {f"/{name}.html": _page(name, body) for name, body in PAGES.items()}
    with serve_files(folder, pages) as site:
        for peer in bench.variants:
            tally = Tally()
            with _failure(table, peer), ready(peer) as server:
                _try(server, peer, WIDGETS[0], site, Tally())  # warms up
                for _ in range(bench.runs(3, 1)):
                    for widget in WIDGETS:
                        _try(server, peer, widget, site, tally)
            table.rows.append(tally.row(peer.name))
            if peer is bench.strap and tally.plain and tally.times[True]:
                added = statistics.median(tally.times[True]) - statistics.median(tally.plain)
                table.notes.append(f"strap added {added:.0f} ms where a widget changes at once.")
    table.notes.append(
        "Told: by the answer to the click. Seen next: told, or in a snapshot right after it, whose "
        "time counts as well."
    )
    return table


def _try(server: Server, peer: Peer, widget: Widget, site: str, tally: Tally) -> None:
    """Open the widget on a fresh page, and shut it where that can be done."""
    dialect = peer.dialect
    assert dialect
    dialect.open(server, f"{site}/{widget.page}.html")
    for name in filter(None, (widget.opens, widget.shuts)):
        answer = server.call(*dialect.click(_button(server, dialect, name)))
        opens, ms = name == widget.opens, answer.ms
        told = _tells(answer.text, widget, opens=opens, peer=peer)
        seen = told
        if not told:
            after = server.call(*dialect.snapshot)
            seen, ms = (widget.text in after.text) == opens, ms + after.ms
        tally.all += 1
        tally.told += told
        tally.seen += seen
        if widget.opens == COUNT:
            tally.plain.append(ms)
        else:
            tally.times[widget.at_once].append(ms)


def _button(server: Server, dialect: Dialect, name: str) -> str:
    """Return the handle of a button, which may take a moment to be there."""
    for _ in range(ATTEMPTS):
        with suppress(Failed):
            return dialect.find(server.call(*dialect.snapshot).text, "button", name)
        time.sleep(PAUSE)
    return dialect.find(server.call(*dialect.snapshot).text, "button", name)


def _tells(answer: str, widget: Widget, *, opens: bool, peer: Peer) -> bool:
    """Whether an answer says that the text came or went: as a change, or with a whole snapshot."""
    if opens:
        return widget.text in answer
    assert peer.dialect
    gone = re.search(r"^- ", answer, re.MULTILINE) if peer.name == "strap" else None
    whole = re.search(peer.dialect.ref("button", widget.opens), answer)
    return bool(gone) or (whole is not None and widget.text not in answer)


@contextmanager
def _failure(table: Table, peer: Peer) -> Iterator[None]:
    """Note what a contender fails with, in place of raising it."""
    try:
        yield
    except (Failed, OSError) as error:
        table.notes.append(f"{peer.name} failed: {error}")


def _page(name: str, body: str) -> str:
    return f'<!doctype html><meta charset="utf-8"><title>{name}</title><body>{body}'
