"""Find the browser to launch: configured, Chrome, Chromium, Edge, Playwright's own; Firefox."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from strap import ActionError
from strap_browser.settings.managed import SHELL, Channel

LINUX: Mapping[Channel, tuple[str, ...]] = {
    "chrome": ("/opt/google/chrome/chrome", "google-chrome-stable", "google-chrome"),
    # Debian's /usr/bin/chromium is a shell script that costs up to 0.2 s before the browser.
    "chromium": ("/usr/lib/chromium/chromium", "chromium", "chromium-browser"),
    "msedge": ("/opt/microsoft/msedge/msedge", "microsoft-edge-stable", "microsoft-edge"),
    SHELL: ("/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell"),
}
MACOS: Mapping[Channel, tuple[str, ...]] = {
    "chrome": ("Google Chrome.app/Contents/MacOS/Google Chrome",),
    "chromium": ("Chromium.app/Contents/MacOS/Chromium",),
    "msedge": ("Microsoft Edge.app/Contents/MacOS/Microsoft Edge",),
}
WINDOWS: Mapping[Channel, tuple[str, ...]] = {
    "chrome": ("Google/Chrome/Application/chrome.exe",),
    "chromium": ("Chromium/Application/chrome.exe",),
    "msedge": ("Microsoft/Edge/Application/msedge.exe",),
}
DOWNLOADED: Mapping[Channel, tuple[str, ...]] = {
    "chromium": (
        "chromium-*/chrome-linux*/chrome",
        "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
        "chromium-*/chrome-win*/chrome.exe",
    ),
    SHELL: (
        "chromium_headless_shell-*/chrome-*/chrome-headless-shell",
        "chromium_headless_shell-*/chrome-*/headless_shell",
        "chromium_headless_shell-*/chrome-*/chrome-headless-shell.exe",
    ),
}
"""Paths of browsers from `playwright install`, below its cache directory."""
FIREFOX = ("/usr/lib/firefox-esr/firefox-esr", "firefox", "firefox-esr")
"""Debian's own, and what is called so on the search path; the first is no shell script."""
FIREFOX_ON_MACOS = "Firefox.app/Contents/MacOS/firefox"
WINDOWED: tuple[Channel, ...] = ("chrome", "chromium", "msedge")
"""The order in which one is looked for."""


def find_executable(
    configured: Path | None = None, channel: Channel | None = None, *, shell: bool = True
) -> Path:
    """Return the browser to launch: the one of `channel`, else `configured`, else the first found.

    Where no other is found, a headless shell does as well, unless `shell` is false. Raises
    `ActionError` (code "no_browser") naming the command that installs one.
    """
    if channel is None and configured is not None:
        return _checked(configured.expanduser())
    for path in _candidates(channel, shell=shell):
        return path
    if channel is not None:
        raise ActionError(
            f"No browser of channel {channel!r} was found.",
            hint=f"{_install(channel)}, or remove `channel` to let strap find a browser.",
            code="no_browser",
        )
    raise ActionError(
        "No Chrome, Chromium or Edge was found.",
        hint="Install one with `strap browser install`; `strap doctor` checks the result.",
        code="no_browser",
    )


def is_shell(executable: PurePath) -> bool:
    """Whether it is a headless shell, Chromium without any window, by its name."""
    return executable.stem.replace("_", "-").endswith("headless-shell")


def _install(channel: Channel) -> str:
    if channel in DOWNLOADED:
        return f"Install it with `strap browser install {channel}`"
    return "Install it from its maker"


def _checked(path: Path) -> Path:
    if not os.access(path, os.X_OK) or path.is_dir():
        raise ActionError(
            f"The configured browser {str(path)!r} is not an executable file.",
            hint="Correct STRAP_BROWSER_PATH, or remove it to let strap find a browser.",
            code="no_browser",
        )
    return path


def _candidates(channel: Channel | None, *, shell: bool) -> Iterator[Path]:
    groups = ((channel,),) if channel else (WINDOWED, (SHELL,)) if shell else (WINDOWED,)
    for group in groups:
        for name in group:
            yield from _installed(name)
        for name in group:
            yield from _downloaded(name)


def _installed(channel: Channel) -> Iterator[Path]:
    if sys.platform == "win32":
        roots = [os.environ.get(k) for k in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        tails = WINDOWS.get(channel, ())
        paths = [Path(root, tail) for tail in tails for root in roots if root]
    elif sys.platform == "darwin":
        roots = ["/Applications", str(Path("~/Applications").expanduser())]
        paths = [Path(root, tail) for tail in MACOS.get(channel, ()) for root in roots]
    else:
        from shutil import which

        found_paths = (which(name) for name in LINUX.get(channel, ()))
        # A snap may neither write to a hidden directory nor inherit the debugging pipe.
        paths = [Path(p) for p in found_paths if p and "snap" not in Path(p).resolve().parts]
    yield from (path for path in paths if path.is_file())


def _downloaded(channel: Channel) -> Iterator[Path]:
    for pattern in DOWNLOADED.get(channel, ()):
        yield from sorted(_cache().glob(pattern), key=_revision, reverse=True)


def _revision(path: Path) -> int:
    for part in path.parts:
        name, _, number = part.rpartition("-")
        if name in ("chromium", "chromium_headless_shell") and number.isdigit():
            return int(number)
    return 0


def _cache() -> Path:
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if configured not in ("", "0"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", ""), "ms-playwright")
    if sys.platform == "darwin":
        return Path("~/Library/Caches/ms-playwright").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ms-playwright"


def find_firefox(configured: Path | None = None) -> Path:
    """Return the Firefox to launch: the one `configured`, else the first found.

    Raises `ActionError` (code "no_browser").
    """
    for path in (configured.expanduser(),) if configured else _firefoxes():
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise ActionError(
        f"There is no Firefox at {str(configured)!r}." if configured else "No Firefox was found.",
        hint="strap browser install firefox, or set `firefox_path` of the profile.",
        code="no_browser",
    )


def _firefoxes() -> Iterator[Path]:
    if sys.platform == "darwin":
        for base in (Path("/Applications"), Path.home() / "Applications"):
            yield base / FIREFOX_ON_MACOS
    for name in FIREFOX:
        if path := shutil.which(name):
            yield Path(path)
