"""Configuration snippets for the usual MCP clients."""

import json
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path


def command() -> str:
    """The absolute path of `strap`: clients start it without the user's PATH."""
    beside = Path(sys.executable).with_name("strap")
    return str(beside) if beside.exists() else shutil.which("strap") or "strap"


PLACES = {
    "claude-code": "a shell",
    "claude-desktop": "claude_desktop_config.json",
    "cursor": "~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "gemini-cli": "~/.gemini/settings.json",
    "zed": "~/.config/zed/settings.json",
    "codex": "~/.codex/config.toml",
    "http": "the client, for: strap serve --http --port 8000",
}
"""Where each snippet goes."""


def snippets() -> dict[str, str]:
    """Return the snippet of each client by its name, as it is to be pasted."""
    server: dict[str, object] = {"command": command(), "args": ["serve"]}
    shell = shlex.quote(command())
    return {
        "claude-code": f"claude mcp add strap -- {shell} serve",
        "claude-desktop": _json("mcpServers", server),
        "cursor": _json("mcpServers", server),
        "vscode": _json("servers", {"type": "stdio"} | server),
        "windsurf": _json("mcpServers", server),
        "gemini-cli": _json("mcpServers", server),
        "zed": _json("context_servers", server),
        "codex": (f'[mcp_servers.strap]\ncommand = {json.dumps(command())}\nargs = ["serve"]'),
        "http": _json("mcpServers", {"url": "http://127.0.0.1:8000/mcp"}),
    }


def _json(key: str, server: Mapping[str, object]) -> str:
    return json.dumps({key: {"strap": server}}, indent=2)
