"""The snippets of `strap mcp-config`, read back by clients of npm that need no install script."""

import json
import os
import platform
import re
import shlex
import subprocess
from pathlib import Path

import jsonschema
import pytest

from strap.cli.client_configs import http_snippets, snippets
from strap.installation import command
from tests import node

pytestmark = pytest.mark.soak
ROOT = Path(__file__).resolve().parents[2]
URL = "http://127.0.0.1:9/mcp"
WORDS = [*command(), "serve"]
READ_CONTINUE = """
import { readFileSync } from "node:fs";
const { parseConfigYaml } = await import("@continuedev/config-yaml");
const files = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
console.log(JSON.stringify(files.map(parseConfigYaml)));
"""
READ_CLINE = """
const { resolveMcpServerRegistrations } = await import("@cline/core");
const read = (filePath) => resolveMcpServerRegistrations({ filePath });
console.log(JSON.stringify(process.argv.slice(2).map(read)));
process.exit(0);
"""
READ_VSCODE = """
import { readFileSync } from "node:fs";
const from = (part, module) =>
  import(`@codingame/monaco-vscode-${part}/vscode/vs/workbench/contrib/mcp/common/${module}`);
const { mcpServerSchema } = await from("api", "mcpConfiguration");
const adapters = await from("mcp-service-override", "discovery/nativeMcpDiscoveryAdapters");
const found = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
const others = found.map((text) => adapters.claudeConfigToServerDefinition("other", text));
console.log(JSON.stringify({ schema: mcpServerSchema, others: await Promise.all(others) }));
"""


class Client:
    """A client in a home of its own."""

    def __init__(self, home, package, version, program):
        name = package.rpartition("/")[2]
        try:
            self.program = node.installed(package, version, program)[1]
        except AssertionError as error:
            pytest.skip(f"npm does not give {package}: {error}")
        self.folder = node.CACHE / f"{name}-{version}"
        bins = self.folder / "node_modules" / ".bin"
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
        return str(file)

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

    def read(self, script, *files):
        """Return the output of a script on files; it lies where it finds the client's packages."""
        path = self.folder / "read.mjs"
        path.write_text(script)
        return json.loads(self.run("node", str(path), *files))


def binary(home, package, version, program):
    """A client that is published as a binary for each system."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(f"{package} is for Linux on x86-64")
    return Client(home, package, version, program)


def both(client):
    """The snippet that starts the server, and the one for a running one."""
    return snippets()[client], http_snippets(URL, token=True)[client]


def test_claude_code(tmp_path):
    package = "@anthropic-ai/claude-code-linux-x64"
    claude = binary(tmp_path, package, "2.1.332", "claude")
    claude.environ["PATH"] += os.pathsep + str(Path(claude.program).parent)
    local, remote = both("claude-code")
    claude.run("sh", "-c", local)
    shown = claude.run("claude", "mcp", "get", "strap")
    assert "Connected" in shown
    assert f"Command: {WORDS[0]}\n  Args: {shlex.join(WORDS[1:])}\n" in shown
    claude.run("claude", "mcp", "remove", "strap")
    claude.run("sh", "-c", remote)
    shown = claude.run("claude", "mcp", "get", "strap")
    assert f"Type: http\n  URL: {URL}\n" in shown
    written = (tmp_path / ".claude.json").read_text()
    assert '"Authorization": "Bearer sixteen-characters"' in written
    claude.run("claude", "plugin", "validate", "--strict", str(ROOT))


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
    gemini.run("gemini", "extensions", "validate", str(ROOT))


def test_opencode(tmp_path):
    opencode = binary(tmp_path, "opencode-linux-x64", "1.18.33", "bin/opencode")
    local, remote = both("opencode")
    place = ".config/opencode/opencode.json"
    opencode.write(place, local)
    found = json.loads(opencode.run(opencode.program, "debug", "config"))["mcp"]["strap"]
    assert (found["type"], found["command"]) == ("local", WORDS)
    assert "1 server" in (shown := opencode.run(opencode.program, "mcp", "list"))
    assert "connected" in shown
    (tmp_path / place).unlink()
    opencode.write(place, remote)
    found = json.loads(opencode.run(opencode.program, "debug", "config"))["mcp"]["strap"]
    assert (found["type"], found["url"], found["headers"].keys()) == (
        "remote",
        URL,
        {"Authorization"},
    )


def test_copilot(tmp_path):
    copilot = binary(tmp_path, "@github/copilot-linux-x64", "1.0.102", "copilot")
    found = []
    for snippet in both("copilot-cli"):
        copilot.write(".copilot/mcp-config.json", snippet)
        shown = copilot.run(copilot.program, "mcp", "get", "strap", "--json")
        found.append(json.loads(shown)["strap"])
    assert [found[0]["command"], *found[0]["args"]] == WORDS
    assert found[1]["url"] == URL
    assert [(each["tools"], each["enabled"]) for each in found] == [(["*"], True)] * 2


def test_amp(tmp_path):
    amp = binary(tmp_path, "@ampcode/cli-linux-x64", "0.0.1790142911-g7618fb", "amp")
    found = []
    for snippet in both("amp"):
        amp.write(".config/amp/settings.json", snippet)
        found += json.loads(amp.run(amp.program, "mcp", "list", "--json"))
    assert [found[0]["spec"]["command"], *found[0]["spec"]["args"]] == WORDS
    assert found[1]["spec"]["url"] == URL
    assert found[1]["spec"]["headers"]["Authorization"] == "Bearer ${STRAP_TOKEN}"


def test_continue(tmp_path):
    reader = Client(tmp_path, "@continuedev/config-yaml", "1.42.0", "dist/index.js")
    files = [reader.write(f"{n}.yaml", each) for n, each in enumerate(both("continue"))]
    found = [each["mcpServers"][0] for each in reader.read(READ_CONTINUE, *files)]
    assert [found[0]["command"], *found[0]["args"]] == WORDS
    assert found[1]["url"] == URL
    assert found[1]["requestOptions"]["headers"]["Authorization"].startswith("Bearer ")


def test_cline(tmp_path):
    reader = Client(tmp_path, "@cline/core", "0.0.86", "dist/index.js")
    files = [reader.write(f"{n}.json", each) for n, each in enumerate(both("cline"))]
    (local,), (remote,) = reader.read(READ_CLINE, *files)
    assert local["transport"] == {"type": "stdio", "command": WORDS[0], "args": WORDS[1:]}
    assert (remote["transport"]["type"], remote["transport"]["url"]) == ("streamableHttp", URL)
    assert remote["transport"]["headers"]["Authorization"].startswith("Bearer ")


def test_vscode_and_the_files_of_others_that_it_finds(tmp_path):
    package = "@codingame/monaco-vscode-mcp-service-override"
    reader = Client(tmp_path, package, "36.2.7", "index.js")
    others = ("claude-desktop", "cursor", "windsurf")
    files = [reader.write(f"{name}.json", snippets()[name]) for name in others]
    files.append(reader.write("remote.json", http_snippets(URL, token=True)["cursor"]))
    read = reader.read(READ_VSCODE, *files)
    for snippet in both("vscode"):
        jsonschema.validate(json.loads(snippet), read["schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(snippets()["cursor"]), read["schema"])
    *local, remote = [found[0]["launch"] for found in read["others"]]
    assert [[each["command"], *each["args"]] for each in local] == [WORDS] * 3
    assert re.sub("[^0-9.:]", "", remote["uri"]["authority"]) == "127.0.0.1:9"
    assert remote["headers"] == [["Authorization", "Bearer ${env:STRAP_TOKEN}"]]
