"""The snippets of `strap mcp-config`, read back by clients of npm that need no install script."""

import json
import os
import shlex
import subprocess

import pytest

from strap.cli.client_configs import http_snippets, snippets
from strap.installation import command
from tests import node

pytestmark = pytest.mark.soak
URL = "http://127.0.0.1:9/mcp"
READ_YAML = """
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const { parseConfigYaml } = await import(pathToFileURL(process.argv[2]));
console.log(JSON.stringify(parseConfigYaml(readFileSync(process.argv[3], "utf8"))));
"""
WORDS = [*command(), "serve"]


class Client:
    """A client in a home of its own."""

    def __init__(self, home, package, version, program):
        self.program = node.installed(package, version, program)[1]
        bins = node.CACHE / f"{package.rpartition('/')[2]}-{version}" / "node_modules" / ".bin"
        self.home = home
        self.environ = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "PATH": os.pathsep.join([str(bins), str(node.WHEEL / "bin"), "/usr/bin", "/bin"]),
            "STRAP_HOME": str(home / "data"),
            "STRAP_TOKEN": "sixteen-characters",
            "CI": "1",
        }

    def write(self, path, text):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, *words):
        done = subprocess.run(
            words,
            cwd=self.home,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + (done.stderr if words[0] == "gemini" else "")


def both(client):
    """The snippet that starts the server, and the one for a running one."""
    return snippets()[client], http_snippets(URL, token=True)[client]


def test_codex(tmp_path):
    codex = Client(tmp_path, "@openai/codex", "0.169.0", "bin/codex.js")
    local, remote = both("codex")
    codex.write(".codex/config.toml", local)
    (found,) = json.loads(codex.run("codex", "mcp", "list", "--json"))
    assert [found["transport"]["command"], *found["transport"]["args"]] == WORDS
    codex.write(".codex/config.toml", remote)
    (found,) = json.loads(codex.run("codex", "mcp", "list", "--json"))
    assert found["transport"]["url"] == URL
    assert found["transport"]["bearer_token_env_var"] == "STRAP_TOKEN"


def test_gemini(tmp_path):
    gemini = Client(tmp_path, "@google/gemini-cli", "0.61.0", "bundle/gemini.js")
    for snippet, shown in zip(
        both("gemini-cli"), (f"{shlex.join(WORDS)} (stdio)", f"{URL} (http)"), strict=True
    ):
        gemini.write(".gemini/settings.json", snippet)
        assert f"strap: {shown}" in gemini.run("gemini", "mcp", "list")


def test_continue(tmp_path):
    reader = Client(tmp_path, "@continuedev/config-yaml", "1.42.0", "dist/index.js")
    reader.write("read.mjs", READ_YAML)
    found = []
    for snippet in both("continue"):
        reader.write("strap.yaml", snippet)
        shown = reader.run("node", "read.mjs", reader.program, "strap.yaml")
        found += json.loads(shown)["mcpServers"]
    assert [found[0]["command"], *found[0]["args"]] == WORDS
    assert found[1]["url"] == URL
    assert found[1]["requestOptions"]["headers"]["Authorization"].startswith("Bearer ")
