"""`strap config`, `strap completion`, and the help that is kept."""

import json
import os
import signal
import subprocess
import sys
import tomllib

import pytest

from strap.cli.help_text import columns


def test_where_the_configuration_is(strap, tmp_path):
    shown = strap("config", "path")
    assert shown.stdout.endswith("strap/strap.toml\n")
    assert "no configuration file yet" in shown.stderr
    (tmp_path / "strap.toml").write_text("")
    assert strap("config", "path").stdout == f"{tmp_path}/strap.toml\n"


@pytest.mark.parametrize("options", [(), ("--log=error",)], ids=["plain", "options"])
def test_a_server_says_what_is_set_wrong(strap, tmp_path, options):
    (tmp_path / "strap.toml").write_text("nonsense = 1\n")
    served = strap("serve", *options)
    assert served.returncode == 1
    assert served.stdout == ""
    assert served.stderr.startswith(
        f"Error: Unknown key 'nonsense' in {tmp_path}/strap.toml. Valid"
    )


@pytest.mark.parametrize(
    ("options", "importing"),
    [((), "asyncio"), (("--log=error",), "click")],
)
def test_a_server_that_is_interrupted_as_it_starts_says_no_more(tmp_path, options, importing):
    """The import that it has come to is one that takes long.

    It sleeps for short: a signal that comes just before the call interrupts no sleep.
    """
    (tmp_path / f"{importing}.py").write_text(
        "import sys, time; print('here', file=sys.stderr, flush=True)\n"
        "for _ in range(600): time.sleep(0.1)"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "strap", "serve", *options],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "STRAP_HOME": str(tmp_path / "data")},
    ) as process:
        assert process.stderr.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=20)
    assert (log.split(), process.returncode) == (["Aborted!"], 1)


TABLES = """
log = "error"
[secrets.shop]
value = "very secret value"
origins = ["https://shop.example"]
[plugins.http]
proxy = "http://user:word@proxy.example:8080"
[plugins.browser.profiles.work]
viewport = [800, 600]
"""


def test_what_is_set_and_from_where(strap, tmp_path):
    (tmp_path / "strap.toml").write_text(TABLES)
    shown = strap(
        "config", "show", "--network=all", STRAP_DENY="browser.*", STRAP_HTTP__RETRIES="1"
    )
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert f'log = "error"  # {tmp_path}/strap.toml' in lines
    assert 'network = "all"  # an option' in lines
    assert 'deny = ["browser.*"]  # STRAP_DENY' in lines
    assert "retries = 1  # the environment" in lines
    assert 'allow = ["*"]  # default' in lines
    told = tomllib.loads(shown.stdout)
    assert told["plugins"]["browser"]["profiles"]["work"]["viewport"] == [800, 600]
    assert told["secrets"] == {"shop": {"origins": ["https://shop.example"]}}
    assert "very secret" not in shown.stdout
    assert "word@" not in shown.stdout


@pytest.mark.parametrize("table", ["serve", "batch"])
def test_doctor_reads_all_that_is_set(strap, tmp_path, table):
    """These are read by the commands that they are for, and not before."""
    (tmp_path / "strap.toml").write_text(f"[{table}]\nbogus = 1\n")
    shown = strap("doctor")
    assert f"FAIL     configuration: Setting '{table}.bogus': is unknown" in shown.stdout
    assert "ok       plugin http" in shown.stdout
    assert shown.returncode == 1


def test_a_folder_in_place_of_the_configuration(strap, tmp_path):
    shown = strap("doctor", "--config", str(tmp_path))
    assert f"The configuration file '{tmp_path}' is not a file." in shown.stdout


def test_doctor_as_json(strap):
    report = json.loads(strap("doctor", "--json", STRAP_NETWORK="everything").stdout)
    assert report["ok"] is False
    assert report["findings"][0]["subject"] == "strap"
    assert {"subject", "ok", "detail", "fix"} == report["findings"][0].keys()


def test_the_lines_for_each_shell_stand_apart(strap):
    shown = strap("completion", "--help").stdout
    assert "\n  bash:  echo 'eval" in shown
    assert "\n  zsh:   echo 'eval" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_each_shell(strap, shell):
    shown = strap("completion", shell)
    assert "_STRAP_COMPLETE" in shown.stdout
    assert strap("completion", SHELL=f"/bin/{shell}").stdout == shown.stdout
    assert "Name the shell: bash" in strap("completion", SHELL="").stderr


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("strap conf", ["plain,config"]),
        ("strap call se", ["plain,search"]),
        ("strap call http fe", ["plain,fetch"]),
        ("strap call http fetch u", []),
    ],
)
def test_words_are_completed(strap, words, offered):
    count = str(len(words.split()) - 1)
    environ = {"_STRAP_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    assert strap(**environ).stdout.split() == offered


def test_help_that_is_kept_is_shown_without_a_library(strap, tmp_path):
    first = strap("--help").stdout
    assert strap("--help").stdout == first
    program = (
        "import sys; sys.argv = ['strap', '--help']; from strap.__main__ import main; main();"
        "assert 'click' not in sys.modules; assert 'pydantic' not in sys.modules"
    )
    environ = {"HOME": str(tmp_path), "STRAP_HOME": str(tmp_path / "data"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", program]
    shown = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=True
    )
    assert shown.stdout == first
    narrow = strap("--help", COLUMNS="60").stdout
    assert max(map(len, narrow.splitlines())) <= 58 < max(map(len, first.splitlines()))


@pytest.mark.parametrize(("told", "width"), [("60", 58), ("0", 78), ("30", 50), ("200", 78)])
def test_the_width_of_help(monkeypatch, told, width):
    monkeypatch.setenv("COLUMNS", told)
    assert columns() == width


def test_help_with_a_broken_configuration_is_not_kept(strap, tmp_path):
    (tmp_path / "strap.toml").write_text("nettwork = 'all'")
    for _ in range(2):
        assert "Unknown key 'nettwork'" in strap("--help").stderr
