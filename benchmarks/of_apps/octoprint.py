"""OctoPrint: a wizard, panels, a virtual printer; judged by its API."""

import copy
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.of_apps.application import Application, Task
from benchmarks.peers import pip
from benchmarks.wire import Failed

KEY = "benchmark0123456789benchmark0123"
PASSWORD = "bench-spade-7"
CUBE = b"G28\nM104 S60\n" + b"G1 X10 Y10 F600\nG1 X20 Y20 F600\n" * 2_000
SWITCH = 30.0
"""Seconds within which the virtual printer must follow a command."""
SEED: Mapping[str, Any] = {
    "accessControl": {
        "autologinLocal": True,
        "autologinAs": "bench",
        "autologinHeadsupAcknowledged": True,
        "localNetworks": ["127.0.0.0/8"],
    },
    "api": {"key": KEY},
    "plugins": {
        "virtual_printer": {"enabled": True},
        # These reach out of the machine.
        "_disabled": [
            *("announcements", "discovery", "errortracking", "pluginmanager", "softwareupdate"),
            "tracking",
        ],
    },
    "server": {
        "firstRun": False,
        "onlineCheck": {"enabled": False},
        "pluginBlacklist": {"enabled": False},
        "seenWizards": {"corewizard": 4},
    },
    "serial": {"autoconnect": False},
}


class OctoPrint(Application):
    name = "OctoPrint"
    version = "1.11.8"
    theme = "black, another name"
    entry = "navigate url={base}/\nwait text='Temperature'"
    uploads: ClassVar[Mapping[str, bytes]] = {"cube.gcode": CUBE}

    seed = SEED

    def restyle(self) -> None:
        self.seed = {**SEED, "appearance": {"name": "Workshop", "color": "black"}}
        self.restart(self.seed)

    def install(self) -> None:
        self.place = pip("octoprint", f"octoprint=={self.version}")

    def boot(self) -> None:
        self.do(*self.command("user", "add", "bench", "--password", PASSWORD, "--admin"))
        self.begin(self.seed)

    def begin(self, config: Mapping[str, Any]) -> None:
        """Start the server with that configuration."""
        (self.data / "config.yaml").write_text(json.dumps(config))
        here = ("--host", "127.0.0.1", "--port", str(self.port))
        self.spawn(*self.command("serve", "--iknowwhatimdoing", *here), PATH="/usr/bin:/bin")

    def answers(self) -> bool:
        return "api" in self.ask("version")

    def reset(self) -> None:
        if self.config().get("server", {}).get("pluginBlacklist", {}).get("enabled") is not False:
            self.restart(self.seed)
        self.follow("job", {"command": "cancel"}, "Operational", "Closed")
        self.follow("connection", {"command": "disconnect"}, "Closed")
        for file in self.ask("files").get("files", ()):
            self.ask(f"files/local/{file['path']}", method="DELETE")
        self.ask("printerprofiles/_default", {"profile": {"model": MODEL}}, "PATCH")

    def restart(self, config: Mapping[str, Any]) -> None:
        self.stop()
        self.begin(config)
        self.wait()

    def follow(self, what: str, data: Any, *states: str) -> None:
        """Send the printer a command, and wait until it is in one of the states."""
        if self.state() not in states:
            self.ask(what, data)
        deadline = time.monotonic() + SWITCH
        while self.state() not in states:
            if time.monotonic() > deadline:
                raise Failed(f"OctoPrint stays {self.state()} after {data}")
            time.sleep(0.2)

    def state(self) -> str:
        return str(self.ask("connection").get("current", {}).get("state"))

    def config(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("settings")
        return found

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def command(self, *words: str) -> tuple[Path | str, ...]:
        return (self.place / "bin" / "python", "-m", "octoprint", "--basedir", self.data, *words)

    def ask(self, what: str, data: Any = None, method: str = "") -> Any:
        return json.loads(self.fetch(f"/api/{what}", data, method, X_Api_Key=KEY) or b"{}")


MODEL = "Generic RepRap Printer"


def _unseen(app: OctoPrint) -> None:
    """Begin with the wizard."""
    config = copy.deepcopy(dict(app.seed))
    del config["server"]["pluginBlacklist"], config["server"]["seenWizards"]
    app.restart(config)


def _connected(app: OctoPrint) -> None:
    app.follow("connection", {"command": "connect", "port": "VIRTUAL"}, "Operational")


def _is(app: OctoPrint, *states: str) -> str:
    state = app.state()
    return "" if state in states else f"the printer is {state}"


def _decided(app: OctoPrint) -> str:
    enabled = app.config()["server"]["pluginBlacklist"]["enabled"]
    ignored = app.ask("setup/wizard")["corewizard"]["ignored"]
    return "" if (enabled, ignored) == (False, True) else f"enabled {enabled}, seen {ignored}"


def _prints(app: OctoPrint) -> str:
    file = app.ask("job").get("job", {}).get("file", {}).get("name")
    return _is(app, "Printing") or ("" if file == "cube.gcode" else f"prints {file}")


def _warmed(app: OctoPrint) -> str:
    target = app.ask("printer").get("temperature", {}).get("tool0", {}).get("target")
    return "" if target == 60 else f"the target is {target}"


def _renamed(app: OctoPrint) -> str:
    profile = app.ask("printerprofiles")["profiles"]["_default"]
    fits = (profile["name"], profile["model"]) == ("Default", "Mill")
    return "" if fits else f"profile {profile['name']}, model {profile['model']}"


OctoPrint.tasks = (
    Task(
        name="pass the wizard",
        prepare=_unseen,
        judge=_decided,
        plan="""
            click ref='link "Disable Plugin Blacklist Processing"'
            click ref='button "Finish"'
        """,
    ),
    Task(
        name="connect the virtual printer",
        judge=lambda app: _is(app, "Operational"),
        plan="""
            select ref='combobox "Serial Port"' value=VIRTUAL
            click ref='button "Connect"'
            wait text=Operational
        """,
    ),
    Task(
        name="upload a file and print it",
        prepare=_connected,
        judge=_prints,
        plan="""
            upload ref='button "Choose File" in clickable "Upload"' paths='["cube.gcode"]'
            click ref='link "Load and Print"'
        """,
    ),
    Task(
        name="set a temperature",
        prepare=_connected,
        judge=_warmed,
        plan="""
            fill ref='spinbutton in row "Tool"' value=60
            click ref='button "Set" in row "Tool"'
        """,
    ),
    Task(
        name="change a printer's profile",
        judge=_renamed,
        plan="""
            click ref='link "Settings"'
            click ref='link "Printer Profiles"'
            click ref='link "Edit Profile"'
            fill ref='textbox "Model"' value=Mill
            click ref='button "Confirm"'
        """,
    ),
)
