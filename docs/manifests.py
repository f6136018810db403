"""The files by which registries, market places, editors and strap itself know what strap has.

What they repeat stands in `pyproject.toml` and in the code; `docs/generate.py` writes them, and a
test compares.
"""

import base64
import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from strap.api.action_lists import FILE, write_actions
from strap.installation import UVX
from strap_agent.action_list import ACTIONS as AGENT_ACTIONS
from strap_browser.action_list import ACTIONS as BROWSER_ACTIONS
from strap_http.action_list import ACTIONS as HTTP_ACTIONS
from strap_live.action_list import ACTIONS as LIVE_ACTIONS
from strap_script.action_list import ACTIONS as SCRIPT_ACTIONS
from strap_search.query import query
from strap_watch.action_list import ACTIONS as WATCH_ACTIONS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HOME: str = PROJECT["urls"]["Homepage"]
NAME = "io.github." + HOME.removeprefix("https://github.com/")
"""The name in the registry of MCP servers; the README repeats it, as proof of who publishes."""
SERVER = {"command": UVX[0], "args": [*UVX[1:], "serve"]}
AGENT_PLUGINS = "https://agent-plugins.org/schemas/1.0.0"
"""Address under which the schemas of `plugin.json` and `mcp.json` are."""
BEGIN, END = "<!-- install links -->", "<!-- /install links -->"


def manifests() -> dict[str, str]:
    """Return the text of each file by its path from the root of the project."""
    facts = {key: PROJECT[key] for key in ("version", "description")}
    started = {"mcpServers": {"strap": SERVER}}
    owner = {"name": PROJECT["authors"][0]["name"]}
    about = {"author": owner, "homepage": HOME, "license": PROJECT["license"]}
    plugin = {"name": "strap", **facts, **about}
    market = {
        "name": "strap",
        "description": PROJECT["description"],
        "owner": owner,
        "plugins": [{"name": "strap", "source": "./", **facts}],
    }
    files = {
        "server.json": _server(),
        ".claude-plugin/plugin.json": plugin | started,
        ".claude-plugin/marketplace.json": market,
        "gemini-extension.json": {"name": "strap", **facts} | started,
        "plugin.json": {"$schema": f"{AGENT_PLUGINS}/plugin.schema.json"} | plugin,
        "mcp.json": {
            "$schema": f"{AGENT_PLUGINS}/mcp.schema.json",
            "mcpServers": {"strap": {"type": "stdio"} | SERVER},
        },
        "deploy/mcpb/manifest.json": _bundle(facts | about),
    }
    texts = {"deploy/mcpb/pyproject.toml": _bundle_project()}
    texts |= {path: json.dumps(content, indent=2) + "\n" for path, content in files.items()}
    return texts | {"README.md": _readme()}


def _bundle(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest of the MCPB bundle: the host's uv installs what it needs."""
    run = ["run", "--directory", "${__dirname}", "src/server.py"]
    return {
        "manifest_version": "0.4",
        "name": "strap",
        **facts,
        "repository": {"type": "git", "url": HOME},
        "documentation": PROJECT["urls"]["Documentation"],
        "support": PROJECT["urls"]["Issues"],
        "keywords": PROJECT["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "src/server.py",
            "mcp_config": {"command": "uv", "args": run},
        },
        "tools": [{"name": "web", "description": PROJECT["description"]}],
        "compatibility": {
            "platforms": ["darwin", "linux"],
            "runtimes": {"python": PROJECT["requires-python"]},
        },
    }


def _bundle_project() -> str:
    distribution = f"{PROJECT['name']}[all]=={PROJECT['version']}"
    return (
        f'[project]\nname = "strap-bundle"\nversion = "{PROJECT["version"]}"\n'
        f'requires-python = "{PROJECT["requires-python"]}"\n'
        f'dependencies = ["{distribution}"]\n'
    )


def _server() -> dict[str, Any]:
    package = {
        "registryType": "pypi",
        "identifier": PROJECT["name"],
        "version": PROJECT["version"],
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}],
    }
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": NAME,
        "title": "strap",
        "description": PROJECT["description"],
        "version": PROJECT["version"],
        "repository": {"url": HOME, "source": "github"},
        "packages": [package],
    }


def install_links() -> dict[str, str]:
    """Return the link by which a click installs the server, by the name of the client."""
    encoded = quote(base64.b64encode(json.dumps(SERVER).encode()).decode(), safe="")
    code = quote(json.dumps(SERVER), safe="")
    words = "&".join(f"arg={quote(word, safe='')}" for word in SERVER["args"])
    about = quote(PROJECT["description"], safe="")
    return {
        "VS Code": f"https://insiders.vscode.dev/redirect/mcp/install?name=strap&config={code}",
        "Cursor": f"https://cursor.com/en/install-mcp?name=strap&config={encoded}",
        "LM Studio": f"https://lmstudio.ai/install-mcp?name=strap&config={encoded}",
        "Goose": "https://block.github.io/goose/extension?cmd=uvx&"
        f"{words}&id=strap&name=strap&description={about}",
    }


def _readme() -> str:
    text = (ROOT / "README.md").read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    links = " ·\n".join(f"[{client}]({link})" for client, link in install_links().items())
    return f"{before}{BEGIN}\nOne click: {links}\n{END}{after}"


def action_lists() -> dict[str, str]:
    """Return what the plugins read of their own actions, by the path of its file."""
    lists = {
        "http": HTTP_ACTIONS,
        "search": (query,),
        "browser": BROWSER_ACTIONS,
        "agent": AGENT_ACTIONS,
        "live": LIVE_ACTIONS,
        "script": SCRIPT_ACTIONS,
        "watch": WATCH_ACTIONS,
    }
    return {
        f"plugins/{name}/strap_{name}/{FILE}": write_actions(actions)
        for name, actions in lists.items()
    }
