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


def snippets() -> dict[str, str]:
    """Return the snippet of each client by its name, with where it goes as a comment."""
    server: dict[str, object] = {"command": command(), "args": ["serve"]}
    shell = shlex.quote(command())
    return {
        "claude-code": f"claude mcp add strap -- {shell} serve",
        "claude-desktop": _json("mcpServers", server, "claude_desktop_config.json"),
        "cursor": _json("mcpServers", server, "~/.cursor/mcp.json"),
        "vscode": _json("servers", {"type": "stdio"} | server, ".vscode/mcp.json"),
        "windsurf": _json("mcpServers", server, "~/.codeium/windsurf/mcp_config.json"),
        "gemini-cli": _json("mcpServers", server, "~/.gemini/settings.json"),
        "zed": _json("context_servers", server, "~/.config/zed/settings.json"),
        "codex": (
            "# ~/.codex/config.toml\n[mcp_servers.strap]\n"
            f'command = {json.dumps(command())}\nargs = ["serve"]'
        ),
        "http": (
            f"{shell} serve --http --port 8000   # then point the client to\n"
            + json.dumps({"mcpServers": {"strap": {"url": "http://127.0.0.1:8000/mcp"}}}, indent=2)
        ),
    }


def _json(key: str, server: Mapping[str, object], place: str) -> str:
    return f"// {place}\n{json.dumps({key: {'strap': server}}, indent=2)}"
