"""`strap chrome`: pair strap with the user's own Chrome, and tell how they get on."""

import asyncio
import shutil
import socket
from pathlib import Path

import click

from strap import ActionError, Config, Diagnosis
from strap_browser.common.cli_options import home_option
from strap_browser.relay.access.addresses import HOST
from strap_browser.relay.access.extension_id import extension_id, folder
from strap_browser.relay.access.pairing import Pairing
from strap_browser.relay.host import Host
from strap_browser.settings.browser import BrowserSettings

STEPS = """\
In Chrome, open the options of the extension "strap" (chrome://extensions, Details, Extension \
options), paste the secret there{port} and click "Pair". It stays valid until \
`strap chrome pair --new`.
No extension yet? `strap chrome extension` tells how to load it."""
LOAD = """\
In Chrome, open chrome://extensions, switch on "Developer mode", click "Load unpacked" and choose \
this folder. The extension's id is then {id}.
Next: `strap chrome pair`."""
PROBE_LIMIT = 1.0
"""Seconds to find out whether something listens on this machine."""


@click.group()
def chrome() -> None:
    """Let strap use tabs of your own Chrome, one by one."""


@chrome.command()
@home_option
@click.option("--new", is_flag=True, help="Make a new secret; whoever has the old one is cut off.")
def pair(home: str | None, *, new: bool) -> None:
    """Print the secret for the options of the extension.

    It is made where there is none yet.
    """
    config, port = _config(home)
    pairing = Pairing(config.home)
    secret = None if new else pairing.read()
    if secret is None:
        secret = pairing.renew()
    click.echo(secret)
    usual = BrowserSettings.model_fields["relay_port"].default
    click.echo(STEPS.format(port="" if port == usual else f", with port {port},"), err=True)


@chrome.command()
@home_option
def status(home: str | None) -> None:
    """Tell whether Chrome is connected, and its tabs."""
    click.echo(describe(*_config(home)))


@chrome.command()
@click.option(
    "--copy",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Copy the extension there: a folder that stays when strap's environment goes.",
)
def extension(copy: Path | None) -> None:
    """Print the folder of the extension, to load in Chrome."""
    place = folder()
    if copy is not None:
        _copy(place, copy)
        place = copy.absolute()
    click.echo(place)
    click.echo(LOAD.format(id=extension_id()), err=True)


def _copy(place: Path, copy: Path) -> None:
    """Copy the extension; a folder that was made for it goes again where that fails."""
    is_new = not copy.exists()
    try:
        shutil.copytree(place, copy, dirs_exist_ok=True)
    except OSError as error:
        if is_new:
            shutil.rmtree(copy, ignore_errors=True)
        # Of several files that could not be copied the first tells why, in words.
        several = isinstance(error, shutil.Error)
        reason = str(error.args[0][0][2]) if several else error.strerror
        raise ActionError(f"Cannot copy to {str(copy)!r}: {reason}.") from None


def describe(config: Config, port: int) -> str:
    """Say how strap and Chrome get on."""
    pairing = Pairing(config.home)
    if pairing.read() is None:
        return "Not paired: `strap chrome pair` tells how."
    host_state = asyncio.run(Host(pairing, port).status())
    if host_state is None and _somebody_listens(port):
        return (
            f"Paired, but another program has port {port}: end it, or set relay_port for strap"
            " and the same port in the extension's options."
        )
    if host_state is None:
        return (
            f"Paired. No strap process listens on port {port} now: the first one whose browser is"
            " used does, and Chrome connects by itself."
        )
    if not host_state["connected"]:
        return (
            f"Paired. strap listens on port {port}; Chrome is not connected. Is it running, with"
            " the extension loaded and the secret in its options?"
        )
    tabs = f"{host_state['pages']} tab{'' if host_state['pages'] == 1 else 's'} granted"
    return f"Connected: {host_state['browser']}, extension {host_state['version']}, {tabs}."


def diagnose(config: Config) -> Diagnosis:
    """Say it in a line of `strap doctor`; not to use the profile is no mistake."""
    settings = config.settings("browser", BrowserSettings)
    detail = describe(config, settings.relay_port)
    ok = "another program" not in detail
    fix = "" if Pairing(config.home).read() else "strap chrome pair"
    if not ok:
        fix = "End that program, or set relay_port of [plugins.browser] to a free port."
    return Diagnosis(subject="browser chrome", ok=ok, detail=detail, fix=fix)


def _config(home: str | None) -> tuple[Config, int]:
    config = Config.load(home=home)
    return config, config.settings("browser", BrowserSettings).relay_port


def _somebody_listens(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), timeout=PROBE_LIMIT).close()
    except OSError:
        return False
    return True
