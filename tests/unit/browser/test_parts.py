"""The small parts: where browsers are found, how they are started, names, sentences, settings."""

from pathlib import Path

import pytest

from strap import ActionError, StartupError
from strap.config import load
from strap_browser.chromium import command_line, executables
from strap_browser.pages.notices import Notices
from strap_browser.pages.saved_downloads import safe_name
from strap_browser.settings.browser import BrowserSettings
from strap_browser.settings.managed import SHELL


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without any browser; `add` installs one."""
    monkeypatch.setattr(executables.sys, "platform", "linux")
    names = {"chrome": ("google-chrome",), "msedge": ("msedge",), SHELL: (SHELL,)}
    monkeypatch.setattr(executables, "LINUX", names)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)

    def add(path: str) -> Path:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o755)
        return file

    return add


def test_browsers_are_found_in_the_documented_order(machine):
    with pytest.raises(ActionError, match="strap browser install") as caught:
        executables.find_executable()
    assert caught.value.code == "no_browser"
    cache = "cache/ms-playwright"
    machine(f"{cache}/chromium_headless_shell-999/chrome-linux/headless_shell")
    shell = f"{cache}/chromium_headless_shell-1200/chrome-headless-shell-linux64"
    shell = machine(f"{shell}/chrome-headless-shell")
    assert executables.find_executable() == shell
    installed = machine(f"bin/{SHELL}")
    assert executables.find_executable() == installed
    with pytest.raises(ActionError, match="No Chrome, Chromium or Edge was found"):
        executables.find_executable(shell=False)
    machine(f"{cache}/chromium-999/chrome-linux/chrome")
    newest = machine(f"{cache}/chromium-1200/chrome-linux64/chrome")
    assert executables.find_executable() == newest
    edge = machine("bin/msedge")
    assert executables.find_executable() == edge
    chrome = machine("bin/google-chrome")
    assert executables.find_executable() == chrome
    configured = machine("own/browser")
    assert executables.find_executable(configured) == configured
    assert executables.find_executable(configured, SHELL) == installed
    assert executables.find_executable(channel="msedge") == edge
    assert executables.find_executable(channel="chromium") == newest


def test_a_channel_that_is_not_there(machine):
    machine("bin/google-chrome")
    for channel, way in (
        ("msedge", "from its maker"),
        (SHELL, f"with `strap browser install {SHELL}`"),
    ):
        with pytest.raises(ActionError, match=f"No browser of channel '{channel}'") as caught:
            executables.find_executable(channel=channel)
        assert caught.value.code == "no_browser"
        assert way in caught.value.hint


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("/usr/bin/chromium-headless-shell", True),
        ("/c/chrome-linux/headless_shell", True),
        ("C:/c/chrome-headless-shell.exe", True),
        ("/usr/bin/chromium", False),
        ("/headless-shell/chrome", False),
    ],
)
def test_a_headless_shell_is_known_by_its_name(name, is_one):
    assert executables.is_shell(Path(name)) is is_one


def test_a_headless_shell_has_no_window(machine, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    shell, chrome = machine(f"bin/{SHELL}"), machine("bin/google-chrome")
    assert command_line.is_headless(BrowserSettings(), shell)
    assert not command_line.is_headless(BrowserSettings(), chrome)
    with pytest.raises(ActionError, match="has no window") as caught:
        command_line.executable_of(BrowserSettings(executable=shell, headless=False))
    assert caught.value.code == "no_browser"


def test_a_profile_has_a_channel_of_its_own(machine):
    shell, own = machine(f"bin/{SHELL}"), machine("own/browser")
    both = BrowserSettings(executable=own, headless=False, profiles={"quick": {"channel": SHELL}})
    assert command_line.executable_of(both) == own
    assert command_line.executable_of(both.of(both.profiles["nebo"])) == own
    assert command_line.executable_of(both.of(both.profiles["quick"])) == shell


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"executable": "/b", "channel": "chrome"}, "set one of them"),
        ({"headless": False, "channel": SHELL}, "has no window: leave 'headless' out"),
        ({"channel": "firefox"}, "'msedge' or 'chromium-headless-shell'"),
    ],
)
def test_channels_that_do_not_fit(settings, why):
    with pytest.raises(ValueError, match=why):
        BrowserSettings(**settings)


def test_settings_that_do_not_go_together_are_told_as_such(tmp_path):
    environ = {"STRAP_BROWSER__CHANNEL": SHELL, "STRAP_HEADLESS": "false"}
    with pytest.raises(StartupError) as caught:
        load(environ=environ, directory=tmp_path, home=tmp_path).settings(
            "browser", BrowserSettings
        )
    assert str(caught.value) == (
        f"The settings of plugin 'browser': channel '{SHELL}' has no window: leave 'headless' out."
    )


def test_a_snap_is_passed_over(machine):
    snap = machine("snap/bin/google-chrome")
    (snap.parents[2] / "bin").mkdir()
    (snap.parents[2] / "bin" / "google-chrome").symlink_to(snap)
    edge = machine("bin/msedge")
    assert executables.find_executable() == edge


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_platforms_look_elsewhere(machine, monkeypatch, tmp_path, platform):
    monkeypatch.setattr(executables.sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path / "programs"))
    found = {
        "darwin": "Applications/Chromium.app/Contents/MacOS/Chromium",
        "win32": "programs/Google/Chrome/Application/chrome.exe",
    }[platform]
    browser = machine(found)
    assert executables.find_executable() == browser


def test_a_configured_browser_must_be_executable(tmp_path):
    (tmp_path / "file").touch(mode=0o644)
    for path in (tmp_path, tmp_path / "file", tmp_path / "none"):
        with pytest.raises(ActionError, match="STRAP_BROWSER_PATH"):
            executables.find_executable(path)


def test_the_command_line_follows_the_settings(monkeypatch):
    def line(**settings):
        return command_line.command_line(
            Path("/b"), Path("/d"), 9222, BrowserSettings(**settings), sandbox=True
        )

    quiet = line(headless=True, viewport=(900, 600), args=("--lang=de",))
    assert quiet[0] == "/b"
    assert quiet[-2:] == ["--lang=de", "about:blank"]
    assert {
        "--headless",
        "--user-data-dir=/d",
        "--remote-debugging-port=9222",
        "--remote-debugging-pipe",
        "--window-size=900,600",
        "--disable-quic",
    } <= set(quiet)
    assert "--no-sandbox" not in quiet
    assert "--headless" not in line(headless=False)
    monkeypatch.setattr(command_line.sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert "--headless" in line()
    monkeypatch.setenv("DISPLAY", ":0")
    assert "--headless" not in line()


@pytest.mark.parametrize(("platform", "inside"), [("linux", True), ("darwin", False)])
def test_the_network_has_a_process_of_its_own_where_that_has_a_sandbox(
    monkeypatch, platform, inside
):
    monkeypatch.setattr(command_line.sys, "platform", platform)
    settings = BrowserSettings(headless=True)
    line = command_line.command_line(Path("/b"), Path("/d"), 0, settings, sandbox=True)
    (features,) = (part for part in line if part.startswith("--enable-features="))
    assert ("NetworkServiceInProcess2" in features) is inside


def test_the_sandbox_is_off_only_for_root_or_by_configuration(monkeypatch):
    monkeypatch.setattr(command_line.os, "geteuid", lambda: 1000, raising=False)
    assert command_line.may_use_sandbox(BrowserSettings())
    assert not command_line.may_use_sandbox(BrowserSettings(sandbox=False))
    monkeypatch.setattr(command_line.os, "geteuid", lambda: 0, raising=False)
    assert not command_line.may_use_sandbox(BrowserSettings())


@pytest.mark.parametrize(
    ("suggested", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "download"),
        ("", "download"),
        ("a\x00b\nc.txt", "a_b_c.txt"),
        ("C:\\x\\y.exe", "C__x_y.exe"),
        ("x" * 300 + ".tar", "x" * 196 + ".tar"),
        (".bashrc", "bashrc"),
    ],
)
def test_names_of_downloads_stay_in_their_folder(suggested, name):
    assert safe_name(suggested) == name


def test_a_name_made_of_a_long_suffix_is_bounded():
    assert len(safe_name("x." + "y" * 400)) <= 150


@pytest.mark.parametrize(
    "suggested",
    ["数" * 150 + ".pdf", "n" * 300, "a" * 1_000 + "." + "b" * 200, "half a pair \ud83d.t\ud83d"],
)
def test_a_file_of_any_name_can_be_made(suggested, tmp_path):
    path = tmp_path / f"{safe_name(suggested)} (1)"
    path.touch()
    assert path.is_file()


def test_events_are_bounded_and_handed_over_once():
    events = Notices()
    for number in range(25):
        events.add(f"Event {number}.")
    events.add_error("first\nerror")
    events.add_error("second")
    sentences = events.drain()
    assert sentences[:2] == ["5 things happened before that.", "Event 5."]
    assert sentences[20:] == ["Event 24.", "2 console errors, the first: first error"]
    assert events.drain() == []


def test_what_happens_again_and_again_is_told_once():
    events = Notices()
    for _ in range(25):
        events.add("It rang.")
    events.add("It opened.")
    assert events.drain() == ["It rang. (25 times)", "It opened."]
    events.add("It rang.")
    assert events.drain() == ["It rang."]


@pytest.mark.parametrize(
    ("variable", "value", "table", "expected"),
    [
        ("STRAP_BROWSER_PATH", "/opt/b", {"channel": "chrome"}, (Path("/opt/b"), None)),
        ("STRAP_BROWSER__CHANNEL", "chrome", {"executable": "/opt/b"}, (None, "chrome")),
        ("STRAP_HEADLESS", "1", {"executable": "/opt/b"}, (Path("/opt/b"), None)),
    ],
)
def test_the_environment_says_which_browser_whatever_the_file_says(
    tmp_path, variable, value, table, expected
):
    plugins = {"browser": table}
    config = load(environ={variable: value}, directory=tmp_path, home=tmp_path, plugins=plugins)
    settings = config.settings("browser", BrowserSettings)
    assert (settings.executable, settings.channel) == expected


def test_settings_come_from_table_and_environment(tmp_path):
    config = load(
        environ={"STRAP_BROWSER_PATH": "/opt/b", "STRAP_HEADLESS": "1"},
        directory=tmp_path,
        home=tmp_path,
        plugins={"browser": {"profiles": {"work": {"driver": "nebo"}}}},
    )
    settings = config.settings("browser", BrowserSettings)
    assert (settings.executable, settings.headless) == (Path("/opt/b"), True)
    assert settings.profiles["work"].driver == "nebo"
    bad = load(
        environ={},
        directory=tmp_path,
        home=tmp_path,
        plugins={"browser": {"profiles": {"../x": {"driver": "nebo"}}}},
    )
    with pytest.raises(StartupError, match="profile name"):
        bad.settings("browser", BrowserSettings)


def test_many_new_pages_are_told_in_one_sentence():
    events = Notices()
    for number in range(2, 5):
        events.add_page(f"t{number}", "/ad")
    assert events.noted == 3
    assert [line.split()[4] for line in events.drain()] == ["t2", "t3", "t4"]
    events.add("An alert said 'Hi'.")
    for number in range(2, 51):
        events.add_page(f"t{number}", "/ad")
    assert events.drain() == [
        "49 new pages opened: t2 to t50 (`list_pages` tells where they are).",
        "An alert said 'Hi'.",
    ]
    assert events.drain() == []
