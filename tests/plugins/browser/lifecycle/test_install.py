"""`strap browser install` on machines with a scripted PATH; the downloads themselves fail."""

import os
import shutil

import click
import pytest
from click.testing import CliRunner

from strap import Config
from strap.cli.main import cli
from strap_browser.chromium import executables
from strap_browser.chromium import install as installation
from strap_browser.settings.managed import SHELL

CHROMIUM = "#!/bin/sh\necho Chromium 1.2.3\n"
BROKEN = "#!/bin/sh\necho 'libnss3.so: cannot open shared object file' >&2\nexit 127\n"
DOWNLOAD = '#!/bin/sh\necho "$@" >> "{log}"\nexit 1\n'
PACKAGE = "install -y -q chromium"
APT = """#!/bin/sh
echo "$@" >> "{log}"
case "$*" in
  "install -y -q "*)
    printf '{chromium}' > "{folder}/$4"
    chmod +x "{folder}/$4" ;;
esac
exit {status}
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with a shell, an empty PATH otherwise, no network and no browser."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "chmod"):
        (folder / name).symlink_to(shutil.which(name))
    by_name = {
        channel: tuple(name for name in names if not name.startswith("/"))
        for channel, names in executables.LINUX.items()
    }
    monkeypatch.setattr(executables, "LINUX", by_name)
    monkeypatch.setattr(executables, "FIREFOX", ("firefox", "firefox-esr"))
    monkeypatch.setattr(executables.sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("STRAP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloads"))
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", "http://127.0.0.1:9")

    def add(name, text):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        return folder / name

    return add


@pytest.fixture
def debian(machine, tmp_path, monkeypatch):
    """Debian as `user`, on which a download fails; it and apt-get note what they are asked."""
    log = tmp_path / "asked"
    log.touch()

    def become(user, status=0):
        monkeypatch.setattr(os, "geteuid", lambda: user)
        chromium = CHROMIUM.replace("\n", "\\n")
        folder = tmp_path / "bin"
        machine("apt-get", APT.format(log=log, chromium=chromium, folder=folder, status=status))
        machine("download", DOWNLOAD.format(log=log))
        monkeypatch.setattr(installation, "DOWNLOAD", ("download",))
        return lambda: log.read_text().splitlines()

    return become


def install(capfd, *words):
    """Run the command; returns what it printed on its two outputs."""
    cli(["browser", "install", *words], standalone_mode=False)
    return capfd.readouterr()


def fails(capfd, *words):
    with pytest.raises(click.ClickException) as caught:
        cli(["browser", "install", *words], standalone_mode=False)
    return caught.value.format_message(), capfd.readouterr()


def test_browser_that_is_there(machine, capfd):
    path = machine("chromium", CHROMIUM)
    assert install(capfd) == (f"Browser: {path}\n", "")


def test_download_fails(machine, capfd):
    message, (told, noise) = fails(capfd)
    assert told == "No browser found; trying Playwright's download …\n"
    assert "Failed to install browsers" in noise
    assert message == (
        "No browser could be installed; install Chrome, Chromium or Edge yourself, "
        "or set STRAP_BROWSER_PATH."
    )


def test_root_on_debian_gets_the_package(debian, capfd, tmp_path):
    asked = debian(0)
    told, _ = install(capfd)
    assert told.splitlines() == [
        "No browser found; trying Playwright's download …",
        "No browser found; trying Debian's chromium package …",
        f"Browser: {tmp_path / 'bin' / 'chromium'}",
    ]
    assert asked() == ["chromium --with-deps", "update -q", PACKAGE]


def test_a_package_that_cannot_be_had(debian, capfd):
    asked = debian(0, status=100)
    message, (told, _) = fails(capfd)
    assert message.startswith("No browser could be installed;")
    assert told.count("trying") == 2
    assert asked() == ["chromium --with-deps", "update -q"]


def test_others_on_debian_do_not_ask_for_packages(debian, machine, capfd):
    machine("google-chrome", BROKEN)  # which is none: it does not start
    asked = debian(1000)
    _, (told, _) = fails(capfd)
    assert told == "No browser found; trying Playwright's download …\n"
    assert asked() == ["chromium"]


def test_a_channel_is_made_sure_of_beside_other_browsers(debian, machine, capfd, tmp_path):
    machine("chromium", CHROMIUM)
    asked = debian(0)
    told, _ = install(capfd, SHELL)
    assert told.splitlines() == [
        f"No {SHELL} found; trying Playwright's download …",
        f"No {SHELL} found; trying Debian's {SHELL} package …",
        f"Browser: {tmp_path / 'bin' / SHELL}",
    ]
    assert asked() == [f"{SHELL} --with-deps", "update -q", f"install -y -q {SHELL}"]
    assert install(capfd, SHELL)[0] == f"Browser: {tmp_path / 'bin' / SHELL}\n"


def test_a_channel_that_cannot_be_had(debian, machine, capfd):
    machine("chromium", CHROMIUM)
    debian(1000)
    message, _ = fails(capfd, SHELL)
    assert message.startswith(f"No {SHELL} could be installed; install {SHELL} yourself, or set an")
    machine(SHELL, BROKEN)
    shown = CliRunner().invoke(cli, ["doctor"], env={"STRAP_BROWSER__CHANNEL": SHELL}).output
    assert f"→ strap browser install {SHELL}\n" in shown


def test_a_channel_that_nobody_installs(machine):
    with pytest.raises(click.BadParameter, match="'chromium', 'chromium-headless-shell'"):
        cli(["browser", "install", "webkit"], standalone_mode=False)


def test_the_doctor_tells_the_browsers_of_profiles(machine, tmp_path):
    chromium, shell = machine("chromium", CHROMIUM), machine(SHELL, CHROMIUM)
    profiles = {"nebo": {"channel": SHELL}, "a": {"channel": "chromium"}, "b": {}}
    profiles["c"] = {"channel": "msedge"}
    browser = {"profiles": profiles, "headless": True}
    config = Config(home=tmp_path, outputs=tmp_path, plugins={"browser": browser})
    told = {each.subject: each for each in installation.diagnose(config)}
    assert told["browser"].detail == f"{shell} (Chromium 1.2.3)"
    assert told["browser of profile a"].detail == f"{chromium} (Chromium 1.2.3)"
    assert not told["browser of profile c"].ok
    assert "browser of profile b" not in told


def test_firefox_is_a_package_of_debian(debian, capfd, tmp_path):
    asked = debian(0)
    shown = install(capfd, "firefox")[0]
    assert shown.splitlines()[-1] == f"Browser: {tmp_path / 'bin' / 'firefox-esr'}"
    assert asked() == ["update -q", "install -y -q firefox-esr"]


def test_where_firefox_cannot_be_had(debian, capfd):
    debian(1000)
    message, _ = fails(capfd, "firefox")
    assert message.startswith(
        "No firefox could be installed; install firefox yourself, or set `firefox_path` of the"
    )


def test_the_doctor_tells_of_firefox_where_a_profile_has_it(machine, tmp_path):
    machine("chromium", CHROMIUM)
    path = machine("firefox", "#!/bin/sh\necho Mozilla Firefox 153.8.0esr\n")
    profiles = {"fox": {"driver": "firefox"}}
    profiles["none"] = {"driver": "firefox", "firefox_path": str(tmp_path / "nowhere")}
    browser = {"profiles": profiles, "headless": True}
    config = Config(home=tmp_path, outputs=tmp_path, plugins={"browser": browser})
    told = {each.subject: each for each in installation.diagnose(config)}
    assert told["browser of profile fox"].detail == f"{path} (Mozilla Firefox 153.8.0esr)"
    missing = told["browser of profile none"]
    assert (missing.ok, missing.fix.split(",")[0]) == (False, "strap browser install firefox")
