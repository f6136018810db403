"""One tool, `web(resource, action, …)`: HTTP, search and a browser for language-model agents.

Everything public is here and imported on first use, so that `strap serve` can answer the MCP
handshake before anything heavy is loaded.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap.actions import Action, Extra, Resource, action
    from strap.calls import (
        Call,
        Caller,
        CallNext,
        CallWrapper,
        Context,
        Denial,
        Diagnosis,
        Environment,
        Sample,
    )
    from strap.config import Config
    from strap.errors import ActionError, PolicyDenied, StartupError, StrapError, UsageError
    from strap.files import make_private, write_whole
    from strap.helpers import Helper
    from strap.hookspecs import hookimpl
    from strap.lines import parse_line
    from strap.network import OWN_REQUEST, Guard, Space, Target, first_connection
    from strap.opening import open_router
    from strap.outputs import Outputs
    from strap.params import Params, StringList, StringMap
    from strap.proxies import HostNames, ProxyServer, ProxyUrl
    from strap.results import DEFAULT_MAX_TOKENS, Image, Result, count_tokens, cut
    from strap.router import Router
    from strap.secrets import Secrets
    from strap.toolchain import Toolchain

_HOME = {
    "Action": "actions",
    "ActionError": "errors",
    "Call": "calls",
    "CallNext": "calls",
    "CallWrapper": "calls",
    "Caller": "calls",
    "Config": "config",
    "Context": "calls",
    "DEFAULT_MAX_TOKENS": "results",
    "Denial": "calls",
    "Diagnosis": "calls",
    "Environment": "calls",
    "Extra": "actions",
    "Guard": "network",
    "Helper": "helpers",
    "HostNames": "proxies",
    "Image": "results",
    "OWN_REQUEST": "network",
    "Outputs": "outputs",
    "Params": "params",
    "PolicyDenied": "errors",
    "ProxyServer": "proxies",
    "ProxyUrl": "proxies",
    "Resource": "actions",
    "Result": "results",
    "Router": "router",
    "Sample": "calls",
    "Secrets": "secrets",
    "Space": "network",
    "StartupError": "errors",
    "StrapError": "errors",
    "Target": "network",
    "StringList": "params",
    "StringMap": "params",
    "Toolchain": "toolchain",
    "UsageError": "errors",
    "action": "actions",
    "count_tokens": "results",
    "cut": "results",
    "first_connection": "network",
    "hookimpl": "hookspecs",
    "make_private": "files",
    "parse_line": "lines",
    "open_router": "opening",
    "write_whole": "files",
}

__version__ = "0.1.0"
__all__ = [
    "DEFAULT_MAX_TOKENS",
    "OWN_REQUEST",
    "Action",
    "ActionError",
    "Call",
    "CallNext",
    "CallWrapper",
    "Caller",
    "Config",
    "Context",
    "Denial",
    "Diagnosis",
    "Environment",
    "Extra",
    "Guard",
    "Helper",
    "HostNames",
    "Image",
    "Outputs",
    "Params",
    "PolicyDenied",
    "ProxyServer",
    "ProxyUrl",
    "Resource",
    "Result",
    "Router",
    "Sample",
    "Secrets",
    "Space",
    "StartupError",
    "StrapError",
    "StringList",
    "StringMap",
    "Target",
    "Toolchain",
    "UsageError",
    "action",
    "count_tokens",
    "cut",
    "first_connection",
    "hookimpl",
    "make_private",
    "open_router",
    "parse_line",
    "write_whole",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'strap' has no attribute {name!r}")
    value = getattr(import_module(f"strap.{_HOME[name]}"), name)
    globals()[name] = value
    return value
