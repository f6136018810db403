"""The snippets for clients: whole, as each client reads them, and placed per system."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from strap import installation
from strap.cli.client_configs import http_snippets, snippets
from strap.cli.client_places import PLACES, place
from strap.installation import command, install_command, installed_by

URL = "http://127.0.0.1:8000/mcp"
URLS = {"windsurf": "serverUrl", "gemini-cli": "httpUrl", "goose": "uri"}


def server(client, text):
    """Return what a client's own parser makes of its snippet."""
    if client == "codex":
        read = tomllib.loads(text)
    elif client in ("goose", "continue"):
        read = yaml.safe_load(text)
    else:
        read = json.loads(text)
    servers = read["mcpServers"] if client == "continue" else next(iter(read.values()))
    return servers[0] if client == "continue" else servers["strap"]


def test_the_clients():
    assert snippets().keys() == PLACES.keys()
    assert len(PLACES) == 19


@pytest.mark.parametrize("client", PLACES)
def test_every_snippet_can_be_pasted(client):
    text = snippets()[client]
    if client == "claude-code":
        assert shlex.split(text) == ["claude", "mcp", "add", "strap", "--", *command(), "serve"]
        return
    found = server(client, text)
    words = found.get("command", found.get("cmd"))
    started = words if isinstance(words, list) else [words, *found["args"]]
    assert started == [*command(), "serve"]


@pytest.mark.parametrize("token", [False, True])
@pytest.mark.parametrize("client", sorted(PLACES.keys() - {"claude-desktop"}))
def test_every_snippet_for_http_can_be_pasted(client, token):
    text = http_snippets(URL, token=token)[client]
    if client == "claude-code":
        words = shlex.split(text)
        assert words[:7] == ["claude", "mcp", "add", "--transport", "http", "strap", URL]
        assert words[7:] == (["--header", "Authorization: Bearer $STRAP_TOKEN"] if token else [])
        return
    found = server(client, text)
    assert found[URLS.get(client, "url")] == URL
    if client == "codex":
        assert ("bearer_token_env_var" in found) is token
        return
    headers = found.get("requestOptions", found).get("headers", {})
    assert headers.get("Authorization", "").startswith("Bearer ") is token


def test_goose_is_told_what_it_cannot_do_without():
    """At a URL it wants a description, and puts in the variables alone that it is told."""
    found = server("goose", http_snippets(URL, token=True)["goose"])
    assert found["description"]
    assert found["env_keys"] == ["STRAP_TOKEN"]
    assert "env_keys" not in server("goose", http_snippets(URL, token=False)["goose"])


def test_a_file_that_takes_commands_only():
    assert "claude-desktop" not in http_snippets(URL, token=False)


def test_the_place_of_a_file_depends_on_the_system():
    assert place("cursor", "darwin") == "Goes into ~/.cursor/mcp.json"
    assert place("claude-code", "linux") == "Run in a shell"
    assert place("claude-desktop", "darwin").startswith("Goes into ~/Library/Application Support/")
    assert place("claude-desktop", "win32").startswith("Goes into %APPDATA%\\Claude\\")
    assert place("claude-desktop", "freebsd14").startswith("Goes into ~/.config/")
    for client in PLACES:
        assert "Code/User/globalStorage" in place(client, "linux") or client not in ("cline", "roo")


ENVIRONMENTS = {
    "/home/ada/.cache/uv/archive-v0/Xy1": "uvx",
    "/home/ada/.local/share/uv/tools/strap-web": "uv tool",
    "/home/ada/.local/share/pipx/venvs/strap-web": "pipx",
    "/usr": "pip",
}
INSTALLS = {
    "pip": ("pip install 'strap-web[pdf]'", "pip install 'other[x]'"),
    "uv": ("uv pip install 'strap-web[pdf]'", "uv pip install 'other[x]'"),
    "uv tool": ("uv tool install 'strap-web[pdf]'", "uv tool install --with 'other[x]' strap-web"),
    "pipx": ("pipx inject strap-web 'strap-web[pdf]'", "pipx inject strap-web 'other[x]'"),
    "uvx": (
        "uvx --from 'strap-web[pdf]' strap",
        "uvx --with 'other[x]' --from strap-web strap",
    ),
}


@pytest.mark.parametrize(("prefix", "way"), ENVIRONMENTS.items())
def test_how_strap_was_installed(prefix, way):
    assert installed_by(Path(prefix)) == way


@pytest.mark.parametrize(("line", "way"), [("uv = 0.9.1", "uv"), ("version = 3.12", "pip")])
def test_an_environment_says_who_made_it(tmp_path, line, way):
    (tmp_path / "pyvenv.cfg").write_text(f"home = /usr/bin\n{line}\n")
    assert installed_by(tmp_path) == way


@pytest.mark.parametrize(("way", "commands"), INSTALLS.items())
def test_the_command_that_installs_what_is_missing(monkeypatch, way, commands):
    monkeypatch.setattr(installation, "installed_by", lambda: way)
    assert (install_command("strap-web[pdf]"), install_command("other[x]")) == commands


def test_a_snippet_of_uvx_survives_its_cache(monkeypatch):
    monkeypatch.setattr(installation, "installed_by", lambda: "uvx")
    monkeypatch.setattr("shutil.which", lambda name: f"/opt/bin/{name}")
    found = server("cursor", snippets()["cursor"])
    assert (found["command"], found["args"]) == (
        "/opt/bin/uvx",
        ["--from", "strap-web[all]", "strap", "serve"],
    )
