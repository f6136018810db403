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
    "claude-code": "Run in a shell",
    "claude-desktop": "Goes into claude_desktop_config.json",
    "cursor": "Goes into ~/.cursor/mcp.json",
    "vscode": "Goes into .vscode/mcp.json",
    "windsurf": "Goes into ~/.codeium/windsurf/mcp_config.json",
    "gemini-cli": "Goes into ~/.gemini/settings.json",
    "zed": "Goes into ~/.config/zed/settings.json",
    "codex": "Goes into ~/.codex/config.toml",
}
"""Where each snippet goes."""


def snippets() -> dict[str, str]:
    """Return the snippet of each client that starts the server, as it is to be pasted."""
    server: dict[str, object] = {"command": command(), "args": ["serve"]}
    return {
        "claude-code": f"claude mcp add strap -- {shlex.quote(command())} serve",
        "claude-desktop": _json("mcpServers", server),
        "cursor": _json("mcpServers", server),
        "vscode": _json("servers", {"type": "stdio"} | server),
        "windsurf": _json("mcpServers", server),
        "gemini-cli": _json("mcpServers", server),
        "zed": _json("context_servers", server),
        "codex": _toml(command=command(), args=["serve"]),
    }


def http_snippets(url: str, *, token: bool) -> dict[str, str]:
    """Return the snippet of each client that can connect to a running server at `url`.

    With `token` it sends that of `STRAP_TOKEN`, which it takes from its environment; Zed cannot,
    and Claude Code's shell puts it in.
    """

    def server(key: str, value: str) -> dict[str, object]:
        address: dict[str, object] = {key: url}
        return address | {"headers": {"Authorization": f"Bearer {value}"}} if token else address

    header = ' --header "Authorization: Bearer $STRAP_TOKEN"' if token else ""
    bearer = {"bearer_token_env_var": "STRAP_TOKEN"} if token else {}
    shared = "${env:STRAP_TOKEN}"
    return {
        "claude-code": f"claude mcp add --transport http strap {shlex.quote(url)}{header}",
        "cursor": _json("mcpServers", server("url", shared)),
        "vscode": _json("servers", {"type": "http"} | server("url", shared)),
        "windsurf": _json("mcpServers", server("serverUrl", shared)),
        "gemini-cli": _json("mcpServers", server("httpUrl", "${STRAP_TOKEN}")),
        "zed": _json("context_servers", server("url", "PUT THE TOKEN HERE")),
        "codex": _toml(url=url, **bearer),
    }


def _json(key: str, server: Mapping[str, object]) -> str:
    return json.dumps({key: {"strap": server}}, indent=2)


def _toml(**server: object) -> str:
    lines = [f"{key} = {json.dumps(value)}" for key, value in server.items()]
    return "\n".join(["[mcp_servers.strap]", *lines])
