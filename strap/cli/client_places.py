"""The file of each MCP client that servers stand in, per system."""

import sys
from collections.abc import Mapping

_EXTENSIONS = {
    "linux": "~/.config/Code/User/globalStorage",
    "darwin": "~/Library/Application Support/Code/User/globalStorage",
    "win32": "%APPDATA%\\Code\\User\\globalStorage",
}
_CLINE, _ROO = "saoudrizwan.claude-dev/settings", "rooveterinaryinc.roo-cline/settings"


def _in_code(path: str) -> Mapping[str, str]:
    """The place of an extension's file in Visual Studio Code, per system."""
    return {system: f"{folder}/{path}" for system, folder in _EXTENSIONS.items()}


PLACES: Mapping[str, str | Mapping[str, str]] = {
    "claude-code": "Run in a shell",
    "claude-desktop": {
        "linux": "~/.config/Claude/claude_desktop_config.json",
        "darwin": "~/Library/Application Support/Claude/claude_desktop_config.json",
        "win32": "%APPDATA%\\Claude\\claude_desktop_config.json",
    },
    "cursor": "~/.cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "gemini-cli": "~/.gemini/settings.json",
    "zed": {
        "linux": "~/.config/zed/settings.json",
        "darwin": "~/.config/zed/settings.json",
        "win32": "%APPDATA%\\Zed\\settings.json",
    },
    "codex": "~/.codex/config.toml",
    "cline": _in_code(f"{_CLINE}/cline_mcp_settings.json"),
    "roo": _in_code(f"{_ROO}/mcp_settings.json"),
    "continue": "~/.continue/mcpServers/strap.yaml",
    "opencode": "~/.config/opencode/opencode.json",
    "goose": {
        "linux": "~/.config/goose/config.yaml",
        "darwin": "~/.config/goose/config.yaml",
        "win32": "%APPDATA%\\Block\\goose\\config\\config.yaml",
    },
    "lm-studio": "~/.lmstudio/mcp.json",
    "kiro": "~/.kiro/settings/mcp.json",
    "copilot-cli": "~/.copilot/mcp-config.json",
    "jetbrains": "Settings | Tools | AI Assistant | Model Context Protocol (MCP)",
    "amp": "~/.config/amp/settings.json",
    "warp": "~/.warp/.mcp.json",
}
"""Place for each snippet: a file, one per system, or words."""


def place(client: str, system: str = sys.platform) -> str:
    """Say where the snippet of a client goes on a system, as `sys.platform` names it."""
    entry = PLACES[client]
    where = entry if isinstance(entry, str) else entry.get(system, entry["linux"])
    return where if where.startswith("Run ") else f"Goes into {where}"
