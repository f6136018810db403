"""`strap browser install` and the browser's lines of `strap doctor`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click

from strap import ActionError, Config, Diagnosis, install_command
from strap_browser.chromium.command_line import executable_of, is_headless, may_use_sandbox
from strap_browser.chromium.executables import DOWNLOADED, find_executable, find_firefox
from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings
from strap_browser.settings.managed import Channel

INSTALL = "strap browser install"
FIREFOX = "firefox"
DOWNLOAD = (sys.executable, "-m", "playwright", "install")
UPDATE, PACKAGE = ("apt-get", "update", "-q"), ("apt-get", "install", "-y", "-q")
"""Playwright's browsers and Debian's packages have the names of channels."""


def diagnose(config: Config) -> Iterator[Diagnosis]:
    """Tell which browser would be launched, and how; also for profiles that name another one."""
    everyone = config.settings("browser", BrowserSettings)
    for name, profile in everyone.profiles.items():
        if profile.driver == "firefox":
            yield _diagnose_firefox(profile.firefox_path, f"browser of profile {name}")
        elif name == DEFAULT_PROFILE or profile.channel is not None:
            of = "" if name == DEFAULT_PROFILE else f" of profile {name}"
            yield from _diagnose(everyone.of(profile), of)


def _diagnose_firefox(configured: Path | None, subject: str) -> Diagnosis:
    try:
        path = find_firefox(configured)
    except ActionError as error:
        return Diagnosis(subject=subject, ok=False, detail=error.message, fix=error.hint)
    works, version = _version(path)
    fix = "" if works else f"{INSTALL} {FIREFOX}"
    return Diagnosis(subject=subject, ok=works, detail=f"{path} ({version})", fix=fix)


def _diagnose(settings: BrowserSettings, of: str) -> Iterator[Diagnosis]:
    subject = f"browser{of}"
    try:
        path = executable_of(settings)
    except ActionError as error:
        yield Diagnosis(subject=subject, ok=False, detail=error.message, fix=error.hint)
        return
    works, version = _version(path)
    fix = "" if works else f"{INSTALL} {settings.channel or ''}".strip()
    yield Diagnosis(subject=subject, ok=works, detail=f"{path} ({version})", fix=fix)
    sandbox = "on" if may_use_sandbox(settings) else "off (root, or no user namespaces)"
    window = "no window (headless)" if is_headless(settings, path) else "with a window"
    yield Diagnosis(subject=f"browser launch{of}", ok=True, detail=f"{window}, sandbox {sandbox}")


@click.group()
def browser() -> None:
    """Look after the browser that strap launches."""


@browser.command()
@click.argument("channel", required=False, type=click.Choice((*DOWNLOADED, FIREFOX)))
def install(channel: str | None) -> None:
    """Make sure of a browser: find one, or install one.

    Looks for Chrome, Chromium and Edge; else takes Playwright's download (extra `playwright`),
    else, as root on Debian, the package `chromium`. With a CHANNEL it makes sure of that one; the
    setting `channel` is what uses it. `firefox` is for profiles of driver `firefox`.
    """
    if (path := _usable(channel)) is not None:
        click.echo(f"Browser: {path}")
        return
    for way, commands in _ways(channel or "chromium"):
        click.echo(f"No {channel or 'browser'} found; trying {way} …")
        if all(_run(command) for command in commands) and (path := _usable(channel)) is not None:
            click.echo(f"Browser: {path}")
            return
    yourself = channel or "Chrome, Chromium or Edge"
    instead = "set another `channel`" if channel else "set STRAP_BROWSER_PATH"
    if channel == FIREFOX:
        instead = "set `firefox_path` of the profile"
    raise click.ClickException(
        f"No {channel or 'browser'} could be installed; install {yourself} yourself, "
        f"or {instead}.{'' if channel == FIREFOX else _hint()}"
    )


def _ways(channel: str) -> Iterator[tuple[str, tuple[tuple[str, ...], ...]]]:
    debian_root = shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0
    # With root on Debian, Playwright can bring the system libraries along as well.
    download = (*DOWNLOAD, channel, *(("--with-deps",) if debian_root else ()))
    if find_spec("playwright") is not None and channel != FIREFOX:  # Playwright's is another one
        yield "Playwright's download", (download,)
    package = "firefox-esr" if channel == FIREFOX else channel
    if debian_root:
        yield f"Debian's {package} package", (UPDATE, (*PACKAGE, package))


def _hint() -> str:
    if find_spec("playwright") is not None:
        return ""
    return f" Playwright's download comes with an extra: {install_command('strap-web[playwright]')}"


def _usable(channel: str | None) -> Path | None:
    try:
        path = find_firefox() if channel == FIREFOX else find_executable(channel=_named(channel))
    except ActionError:
        return None
    return path if _version(path)[0] else None


def _named(channel: str | None) -> Channel | None:
    return next((name for name in DOWNLOADED if name == channel), None)


def _version(path: Path) -> tuple[bool, str]:
    """Run the browser for its version: a download may lack the libraries that it needs."""
    try:
        done = subprocess.run(  # noqa: S603 - the browser that was found
            [path, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return False, f"does not start: {type(error).__name__}"
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else f"exit status {done.returncode}"


def _run(command: tuple[str, ...]) -> bool:
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command, stdout=sys.stderr, env=environ, timeout=1200, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        click.echo(f"{command[0]}: {type(error).__name__}", err=True)
        return False
    return done.returncode == 0
