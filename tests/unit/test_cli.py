"""The command line as a user runs it: a process of its own, its output and exit status."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from strap import StartupError, install_command
from strap.cli.doctor import examine
from strap.cli.main import cli
from strap.cli.plugin_list import listed
from strap.config import load
from strap.mcp.http.listening import listen
from strap.routing.assembly import make_router
from tests.support.small_disk import fill, small_disk_in

ROOT = Path(__file__).resolve().parents[2]


def test_help_names_every_command(strap):
    shown = strap("--help")
    assert shown.returncode == 0
    for name in ("call", "config", "demo", "doctor", "mcp-config", "plugins", "schema", "serve"):
        assert f"\n  {name} " in shown.stdout


def groups(command, name="strap"):
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        yield context
        for child in command.list_commands(context):
            yield from groups(command.get_command(context, child), f"{name} {child}")


def test_no_line_of_help_is_cut():
    for context in groups(cli):
        assert "..." not in context.get_help().replace("COMMAND [ARGS]...", ""), context.info_name


def test_a_call_and_its_answer(strap):
    shown = strap("call", "http", "help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "fetch url" in shown.stdout


def test_a_wrong_call_says_so_on_stderr(strap):
    shown = strap("call", "htpt", "fetch", "url=x")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "Did you mean 'http'?" in shown.stderr


def test_a_failing_call(strap):
    shown = strap("call", "http", "fetch", "url=http://127.0.0.1:9/", "--json")
    assert shown.returncode in (1, 2)
    answer = json.loads(shown.stdout)
    assert answer["ok"] is False
    assert answer["error"]["message"]


def test_words_that_are_no_call(strap):
    shown = strap("call", "http", "fetch", "https://example.com/", "oops")
    assert shown.returncode == 2
    assert "A call is written as RESOURCE ACTION key=value" in shown.stderr


def test_calls_from_standard_input_share_a_session(strap):
    shown = strap("call", "-", stdin="# two calls\nhttp help\n\nsearch help\n")
    assert shown.returncode == 0
    assert "http:" in shown.stdout
    assert "search:" in shown.stdout


@pytest.mark.parametrize("style", ["mcp", "openai", "openai-responses", "anthropic", "gemini"])
def test_schema(strap, style):
    tool = json.loads(strap("schema", "--format", style).stdout)
    assert "web" in (tool.get("name"), tool.get("function", {}).get("name"))


def test_plugins(strap):
    shown = strap("plugins").stdout
    assert "http (strap-web): http.crawl, http.extract, http.fetch, http.map" in shown
    assert "guard (strap-web): wraps or checks calls" in shown
    assert "cases (strap-web): adds commands" in shown
    assert "http.map; shows kinds of files\n" in shown


def test_doctor_tells_what_is_wrong_and_how_to_mend_it(strap, tmp_path):
    (tmp_path / "strap.toml").write_text("nettwork = 'all'")
    shown = strap("doctor")
    assert shown.returncode == 1
    assert "FAIL     configuration: Unknown key 'nettwork'" in shown.stdout
    assert "Did you mean 'network'?" in shown.stdout


def test_a_bad_configuration_is_one_line(strap):
    shown = strap("call", "http", "help", STRAP_NETWORK="everything")
    assert shown.returncode == 1
    assert shown.stderr == "Error: 'network' is 'everything'; valid: 'public', 'local', 'all'.\n"


def test_mcp_config(strap):
    shown = strap("mcp-config", "cursor")
    assert json.loads(shown.stdout)["mcpServers"]["strap"]["args"] == ["serve"]
    assert shown.stderr == "Goes into ~/.cursor/mcp.json:\n"
    assert strap("mcp-config", "claude-code").stderr == "Run in a shell:\n"
    assert "Did you mean" not in strap("mcp-config").stderr
    assert "valid: " in strap("mcp-config", "netscape").stderr
    url = "http://192.168.1.5:8000/mcp"
    served = json.loads(strap("mcp-config", "vscode", "--http", url).stdout)
    assert served == {"servers": {"strap": {"type": "http", "url": url}}}
    refused = strap("mcp-config", "claude-desktop", "--http", url).stderr
    assert refused.startswith("Error: Unknown client over HTTP: 'claude-desktop' (valid: amp, cla")
    assert "--token is for --http" in strap("mcp-config", "cursor", "--token").stderr
    refused = strap("mcp-config", "cursor", "--http", "--token")
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: '--token' is not an absolute URL")


def test_what_is_denied_is_not_advertised(strap):
    tool = json.loads(strap("schema", "--deny", "http.*").stdout)
    assert "http" not in tool["inputSchema"]["properties"]["resource"]["enum"]


@pytest.mark.parametrize("port", ["99999", "-1", "65536"])
def test_a_port_that_is_none(strap, port):
    shown = strap("serve", "--http", f"--port={port}")
    assert shown.returncode == 2
    assert "0<=x<=65535" in shown.stderr
    with pytest.raises(StartupError, match=f"There is no port {port}"):
        listen("127.0.0.1", int(port))


def test_an_address_that_is_none():
    with pytest.raises(StartupError, match=r"There is no address '999\.1\.1\.1'.*--host"):
        listen("999.1.1.1", 0)


def test_bad_configuration_is_told_where_a_command_of_a_plugin_is_asked_for(strap):
    shown = strap("browser", "install", STRAP_NETWORK="everything")
    assert shown.returncode == 1
    assert shown.stderr == "Error: 'network' is 'everything'; valid: 'public', 'local', 'all'.\n"
    assert "No such command 'brwser'. Did you mean 'browser'?" in strap("brwser").stderr


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http fetch url=http://x", "A call of the tool is written `strap call http fetch …`."),
        ("browser click ref=e1", "A call of the tool is written `strap call browser click …`."),
        ("fetch http://x", "A call of the tool is written `strap call http fetch …`."),
        ("browser instal", "Did you mean 'install'?"),
        ("batch rn", "Did you mean 'run'?"),
        ("mcp", "Did you mean 'mcp-config'?"),
        ("nothing", "No such command 'nothing'."),
    ],
)
def test_it_is_told_what_may_be_meant(strap, written, meant):
    shown = strap(*written.split())
    assert shown.returncode == 2
    assert shown.stderr.rstrip().endswith(meant)


def test_a_mistake_in_a_safety_setting_stops_the_call(strap):
    shown = strap("call", "http", "help", "--deny", "htpp.fetch")
    assert shown.returncode == 1
    assert "Did you mean 'http.fetch'?" in shown.stderr
    shown = strap("call", "http", "help", STRAP_DENNY="http.fetch")
    assert shown.returncode == 1
    assert "Did you mean 'STRAP_DENY'?" in shown.stderr


def test_a_line_that_is_no_call_does_not_end_the_batch(strap):
    shown = strap(
        "call", "-", "--json", stdin="http help\nhttp fetch 'url=x\nhttp x y z\nhttp help\n"
    )
    answers = [json.loads(line) for line in shown.stdout.splitlines()]
    assert (shown.returncode, shown.stderr) == (2, "")
    assert [answer["ok"] for answer in answers] == [True, False, False, True]
    assert "cannot be split into words" in answers[1]["error"]["message"]
    assert "A call is written as" in answers[2]["error"]["message"]


def test_half_a_character_in_an_argument_is_shown(strap):
    for more in ([], ["--json"]):
        shown = strap("call", "http", "help", b"value=\xff", *more)
        assert shown.returncode == 2
        assert "has no action" in shown.stdout + shown.stderr
        assert "Traceback" not in shown.stderr


def test_doctor_tells_of_a_home_that_cannot_be_written(strap):
    shown = strap("doctor", STRAP_HOME="/proc/x")
    assert shown.returncode == 1
    assert "FAIL     data directory: /proc/x cannot be written" in shown.stdout
    assert "→ Set STRAP_HOME to a directory that you may write to." in shown.stdout


def test_doctor_tells_of_a_disk_that_is_full(strap, tmp_path):
    with small_disk_in(tmp_path) as place:
        fill(place)
        shown = strap("doctor", STRAP_HOME=str(place))
    assert f"FAIL     data directory: {place} cannot be written: No space left" in shown.stdout
    assert "→ Make room there, or set STRAP_HOME" in shown.stdout


@pytest.mark.parametrize("words", [("skill", "install", "--to"), ("chrome", "extension", "--copy")])
def test_what_does_not_fit_on_the_disk_leaves_no_part_of_it(strap, tmp_path, words):
    with small_disk_in(tmp_path) as place:
        fill(place)
        shown = strap(*words, str(place / "copy"))
        assert [path for path in (place / "copy").rglob("*") if path.is_file()] == []
    assert shown.returncode == 1
    assert "No space left on device" in shown.stderr
    assert shown.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "place", "said"),
    [
        (("call", "http", "help"), ">/dev/full", "No space left on device."),
        (("--version",), ">/dev/full", "No space left on device."),
        (("--help",), ">/dev/full", "No space left on device."),
        (("agent", "install", "--home", "/proc/x"), "", "'/proc/x': No such file or directory."),
    ],
)
def test_what_the_system_refuses_is_one_line(tmp_path, words, place, said):
    command = shlex.join([sys.executable, "-m", "strap", *words])
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-m", "strap", "--help"], env=env, check=True)  # which is kept
    done = subprocess.run(
        f"{command} {place}", shell=True, capture_output=True, text=True, env=env, check=False
    )
    assert (done.stderr, done.returncode) == (f"Error: {said}\n", 1)


def test_whoever_starts_the_server_at_a_terminal_is_told_what_it_waits_for(tmp_path):
    ours, theirs = pty.openpty()
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(
        [sys.executable, "-m", "strap", "serve"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    ) as server:
        assert "`strap mcp-config` prints how clients start the server" in server.stderr.readline()
        server.send_signal(signal.SIGINT)
        assert server.communicate(timeout=60)[0] == ""
    os.close(ours)
    os.close(theirs)


def test_doctor_tells_of_a_browser_that_is_not_where_it_should_be(strap):
    shown = strap("doctor", STRAP_BROWSER_PATH="/no/such/browser").stdout
    assert "FAIL     browser: " in shown
    assert "/no/such/browser" in shown
    assert "→ strap browser install" not in shown


@pytest.mark.parametrize("option", ["--port=9", "--host=::1", "--name=a", "--max-sessions=2"])
def test_an_option_of_http_needs_http(strap, option):
    shown = strap("serve", option)
    assert shown.returncode == 2
    assert f"{option.split('=')[0]} is for --http" in shown.stderr


def test_plugins_tells_what_is_not_installed(tmp_path, monkeypatch):
    missing = ("browser_use", "jsonschema")
    monkeypatch.setattr(
        "strap.api.extras.find_spec", lambda name: None if name in missing else name
    )
    lines = list(listed(make_router(load(environ={}, directory=tmp_path, home=tmp_path))))
    (at,) = [i for i, line in enumerate(lines) if line.startswith("    not installed:")]
    assert lines[at - 1] == (
        "agent (strap-web): browser.cancel_run, browser.get_run, browser.list_runs; adds commands"
    )
    assert "browser.eval" in lines[at]
    command = install_command("strap-web[agent]")
    assert lines[at + 1].startswith(f"    → {command}; or strap agent install")


def test_what_is_optional_is_no_failure(tmp_path, monkeypatch):
    monkeypatch.setattr("strap.api.extras.find_spec", lambda name: None)
    config = load(environ={}, directory=tmp_path, home=tmp_path)
    extras = [line for line in examine(lambda: config) if line.subject.startswith("extra ")]
    assert all(line.ok for line in extras)
    for line in extras:
        assert line.detail.startswith("not installed")
        name = line.subject.removeprefix("extra ")
        assert f"pip install 'strap-web[{name}]'" in line.detail + line.fix
    names = [line.subject.removeprefix("extra ") for line in extras]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = set(project["optional-dependencies"]) - {"all", "dev", "playwright"}
    assert sorted(names) == sorted(wanted)  # each once
