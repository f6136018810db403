"""Find the browser to launch: configured, Chrome, Chromium, Edge, Playwright's own download."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from strap import ActionError

LINUX = (
    ("Chrome", "/opt/google/chrome/chrome", "google-chrome-stable", "google-chrome"),
    # Debian's /usr/bin/chromium is a shell script that costs up to 0.2 s before the browser.
    ("Chromium", "/usr/lib/chromium/chromium", "chromium", "chromium-browser"),
    ("Edge", "/opt/microsoft/msedge/msedge", "microsoft-edge-stable", "microsoft-edge"),
)
MACOS = (
    ("Chrome", "Google Chrome.app/Contents/MacOS/Google Chrome"),
    ("Chromium", "Chromium.app/Contents/MacOS/Chromium"),
    ("Edge", "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"),
)
WINDOWS = (
    ("Chrome", "Google/Chrome/Application/chrome.exe"),
    ("Chromium", "Chromium/Application/chrome.exe"),
    ("Edge", "Microsoft/Edge/Application/msedge.exe"),
)
DOWNLOADED = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)
"""Where `playwright install chromium` puts it, below its cache directory."""


def find_executable(configured: Path | None = None) -> Path:
    """Return the browser to launch.

    Raises `ActionError` (code "no_browser") naming the command that installs one.
    """
    if configured is not None:
        path = configured.expanduser()
        if not os.access(path, os.X_OK) or path.is_dir():
            raise ActionError(
                f"The configured browser {str(path)!r} is not an executable file.",
                hint="Correct STRAP_BROWSER_PATH, or remove it to let strap find a browser.",
                code="no_browser",
            )
        return path
    for path in _candidates():
        return path
    raise ActionError(
        "No Chrome, Chromium or Edge was found.",
        hint="Install one with `strap browser install`; `strap doctor` checks the result.",
        code="no_browser",
    )


def _candidates() -> Iterator[Path]:
    yield from _installed()
    yield from _downloaded()


def _installed() -> Iterator[Path]:
    if sys.platform == "win32":
        roots = [os.environ.get(k) for k in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        paths = [Path(root, tail) for _, tail in WINDOWS for root in roots if root]
    elif sys.platform == "darwin":
        roots = ["/Applications", str(Path("~/Applications").expanduser())]
        paths = [Path(root, tail) for _, tail in MACOS for root in roots if root]
    else:
        from shutil import which

        found = (which(name) for _, *names in LINUX for name in names)
        # A snap may neither write to a hidden directory nor inherit the debugging pipe.
        paths = [Path(p) for p in found if p and "snap" not in Path(p).resolve().parts]
    yield from (path for path in paths if path.is_file())


def _downloaded() -> Iterator[Path]:
    for pattern in DOWNLOADED:
        yield from sorted(_cache().glob(pattern), key=_revision, reverse=True)


def _revision(path: Path) -> int:
    for part in path.parts:
        name, _, number = part.rpartition("-")
        if name == "chromium" and number.isdigit():
            return int(number)
    return 0


def _cache() -> Path:
    """The directory of Playwright's browsers, as its installation guide gives it."""
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if configured not in ("", "0"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", ""), "ms-playwright")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/ms-playwright").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ms-playwright"
