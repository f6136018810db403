"""Configuration snippets for the usual MCP clients."""

import json
import shlex
from collections.abc import Mapping, Sequence

from strap.cli.client_places import PLACES
from strap.installation import command

Server = Mapping[str, object]
WITHOUT_HTTP = ("claude-desktop",)
"""Clients whose file takes commands only."""
_KEYS = {
    "vscode": "servers",
    "zed": "context_servers",
    "opencode": "mcp",
    "goose": "extensions",
    "codex": "mcp_servers",
    "amp": "amp.mcpServers",
}
"""The key above the servers, where it is not `mcpServers`."""
_TYPES = {
    "vscode": ("stdio", "http"),
    "cline": ("stdio", "streamableHttp"),
    "roo": ("stdio", "streamable-http"),
    "continue": ("stdio", "streamable-http"),
    "opencode": ("local", "remote"),
    "goose": ("stdio", "streamable_http"),
    "copilot-cli": ("local", "http"),
}
"""The type of a server that is started, and of one at a URL, where a client wants it told."""
_URLS = {"windsurf": "serverUrl", "gemini-cli": "httpUrl", "goose": "uri"}
_TOKENS = {
    "cursor": "${env:STRAP_TOKEN}",
    "vscode": "${env:STRAP_TOKEN}",
    "windsurf": "${env:STRAP_TOKEN}",
    "roo": "${env:STRAP_TOKEN}",
    "opencode": "{env:STRAP_TOKEN}",
    "continue": "${{ secrets.STRAP_TOKEN }}",
    **dict.fromkeys(("zed", "cline", "lm-studio", "jetbrains", "warp"), "PUT THE TOKEN HERE"),
}
"""How a client's file names the token of the environment, if not by `${STRAP_TOKEN}`."""
_OTHERS: Mapping[str, Server] = {
    "opencode": {"enabled": True},
    "goose": {"enabled": True, "name": "strap", "description": "The web", "timeout": 300},
    "copilot-cli": {"tools": ["*"]},
}
"""Further fields that a client's configuration needs."""


def snippets() -> dict[str, str]:
    """Return the snippet of each client that starts the server, as it is to be pasted."""
    return {client: _local(client, [*command(), "serve"]) for client in PLACES}


def http_snippets(url: str, *, token: bool) -> dict[str, str]:
    """Return the snippet of each client that can connect to a running server at `url`.

    With `token` it sends that of `STRAP_TOKEN`, which it takes from its environment where it can;
    Claude Code's shell puts it in.
    """
    return {
        client: _remote(client, url, token=token) for client in PLACES if client not in WITHOUT_HTTP
    }


def _local(client: str, words: Sequence[str]) -> str:
    match client:
        case "claude-code":
            return f"claude mcp add strap -- {shlex.join(words)}"
        case "opencode":
            started: dict[str, object] = {"command": list(words)}
        case "goose":
            started = {"cmd": words[0], "args": list(words[1:])}
        case _:
            started = {"command": words[0], "args": list(words[1:])}
    return _written(client, _typed(client, 0) | started)


def _remote(client: str, url: str, *, token: bool) -> str:
    if client == "claude-code":
        header = ' --header "Authorization: Bearer $STRAP_TOKEN"' if token else ""
        return f"claude mcp add --transport http strap {shlex.quote(url)}{header}"
    server = _typed(client, 1) | {_URLS.get(client, "url"): url}
    if token and client == "goose":  # without it the header keeps the variable's name
        server |= {"env_keys": ["STRAP_TOKEN"]}
    if token and client == "codex":
        server |= {"bearer_token_env_var": "STRAP_TOKEN"}
    elif token:
        bearer = f"Bearer {_TOKENS.get(client, '${STRAP_TOKEN}')}"
        headers = {"headers": {"Authorization": bearer}}
        server |= {"requestOptions": headers} if client == "continue" else headers
    return _written(client, server)


def _typed(client: str, which: int) -> dict[str, object]:
    return {"type": _TYPES[client][which]} if client in _TYPES else {}


def _written(client: str, server: Server) -> str:
    key, server = _KEYS.get(client, "mcpServers"), {**server, **_OTHERS.get(client, {})}
    match client:
        case "codex":
            return "\n".join([f"[{key}.strap]", *_lines(server, "{} = {}")])
        case "goose":  # YAML, whose values are those of JSON
            return "\n".join([f"{key}:", "  strap:", *_lines(server, "    {}: {}")])
        case "continue":  # a YAML file of its own, in the part of YAML that is JSON
            head = {"name": "strap", "version": "1.0.0", "schema": "v1"}
            return json.dumps({**head, key: [{"name": "strap", **server}]}, indent=2)
    return json.dumps({key: {"strap": server}}, indent=2)


def _lines(server: Server, form: str) -> list[str]:
    return [form.format(name, json.dumps(value)) for name, value in server.items()]
