"""One tool, `web(resource, action, …)`: HTTP, search and a browser for language-model agents.

Everything public is here and imported on first use, so that `strap serve` can answer the MCP
handshake before anything heavy is loaded.
"""

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from strap.version import __version__ as __version__

if TYPE_CHECKING:
    from strap.api.actions import Action, action
    from strap.api.call_syntax import parse_line
    from strap.api.calls import (
        Call,
        Caller,
        CallNext,
        CallWrapper,
        Consent,
        Context,
        Denial,
        Environment,
        FailedCall,
        Sample,
    )
    from strap.api.declarations import BrowserDriver, Converter, Executor
    from strap.api.extras import Diagnosis, Extra
    from strap.api.flow import Flow
    from strap.api.hookspecs import hookimpl
    from strap.api.outputs import Outputs
    from strap.api.params import Params, StringList, StringMap
    from strap.api.prestart import Prestart
    from strap.api.questions import Asker, Confirm, Invite, Question
    from strap.api.resources import Resource, ResourceState
    from strap.api.results import (
        DEFAULT_MAX_TOKENS,
        DETACHED_SECONDS,
        Detached,
        Image,
        Result,
        count_tokens,
        cut,
    )
    from strap.atomic_files import make_private, write_atomically
    from strap.batch.batch import Batch, open_batch
    from strap.config import Config
    from strap.config.authorities import CertificateFile
    from strap.config.proxies import HostNames, ProxyServer, ProxyUrl
    from strap.config.secrets import Secrets
    from strap.environments.making import make_environment, remove_environment
    from strap.environments.own import OwnEnvironment
    from strap.errors import ActionError, PolicyDenied, StartupError, StrapError, UsageError
    from strap.installation import install_command
    from strap.journal import Journal, JournalDamaged, JournalInUse, is_torn, read_journal
    from strap.kept import Kept
    from strap.network import (
        OWN_REQUEST,
        Guard,
        HostPattern,
        Space,
        VettedURL,
        first_connection,
        place_of,
        with_scheme,
    )
    from strap.network.peers import Peers
    from strap.records import record
    from strap.routing.assembly import open_router
    from strap.routing.router import Router
    from strap.rows.calls import RowFields, Rows, answer_rows, read_rows, rows_file
    from strap.toolchain import Toolchain
    from strap.workers.pool import Job, JobFault, JobResult, Workers

_MODULES = {
    "api.actions": "Action action",
    "api.call_syntax": "parse_line",
    "api.calls": "Call CallNext CallWrapper Caller Consent Context Denial Environment FailedCall"
    " Sample",
    "api.declarations": "BrowserDriver Converter Executor",
    "api.extras": "Diagnosis Extra",
    "api.flow": "Flow",
    "api.hookspecs": "hookimpl",
    "api.outputs": "Outputs",
    "api.params": "Params StringList StringMap",
    "api.prestart": "Prestart",
    "api.questions": "Asker Confirm Invite Question",
    "api.resources": "Resource ResourceState",
    "api.results": "DEFAULT_MAX_TOKENS DETACHED_SECONDS Detached Image Result count_tokens cut",
    "atomic_files": "make_private write_atomically",
    "batch.batch": "Batch open_batch",
    "config": "Config",
    "config.authorities": "CertificateFile",
    "config.proxies": "HostNames ProxyServer ProxyUrl",
    "config.secrets": "Secrets",
    "environments.making": "make_environment remove_environment",
    "environments.own": "OwnEnvironment",
    "errors": "ActionError PolicyDenied StartupError StrapError UsageError",
    "installation": "install_command",
    "journal": "Journal JournalDamaged JournalInUse is_torn read_journal",
    "kept": "Kept",
    "network": "Guard HostPattern OWN_REQUEST Space VettedURL first_connection place_of"
    " with_scheme",
    "network.peers": "Peers",
    "records": "record",
    "routing.assembly": "open_router",
    "routing.router": "Router",
    "rows.calls": "RowFields Rows answer_rows read_rows rows_file",
    "toolchain": "Toolchain",
    "workers.pool": "Job JobFault JobResult Workers",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

_RENAMED = {"Helper": "Prestart", "Target": "VettedURL", "write_whole": "write_atomically"}
"""Names of the last release, which go with the next one."""

__all__ = [
    "DEFAULT_MAX_TOKENS",
    "DETACHED_SECONDS",
    "OWN_REQUEST",
    "Action",
    "ActionError",
    "Asker",
    "Batch",
    "BrowserDriver",
    "Call",
    "CallNext",
    "CallWrapper",
    "Caller",
    "CertificateFile",
    "Config",
    "Confirm",
    "Consent",
    "Context",
    "Converter",
    "Denial",
    "Detached",
    "Diagnosis",
    "Environment",
    "Executor",
    "Extra",
    "FailedCall",
    "Flow",
    "Guard",
    "HostNames",
    "HostPattern",
    "Image",
    "Invite",
    "Job",
    "JobFault",
    "JobResult",
    "Journal",
    "JournalDamaged",
    "JournalInUse",
    "Kept",
    "Outputs",
    "OwnEnvironment",
    "Params",
    "Peers",
    "PolicyDenied",
    "Prestart",
    "ProxyServer",
    "ProxyUrl",
    "Question",
    "Resource",
    "ResourceState",
    "Result",
    "Router",
    "RowFields",
    "Rows",
    "Sample",
    "Secrets",
    "Space",
    "StartupError",
    "StrapError",
    "StringList",
    "StringMap",
    "Toolchain",
    "UsageError",
    "VettedURL",
    "Workers",
    "action",
    "answer_rows",
    "count_tokens",
    "cut",
    "first_connection",
    "hookimpl",
    "install_command",
    "is_torn",
    "make_environment",
    "make_private",
    "open_batch",
    "open_router",
    "parse_line",
    "place_of",
    "read_journal",
    "read_rows",
    "record",
    "remove_environment",
    "rows_file",
    "with_scheme",
    "write_atomically",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name in _RENAMED:
        message = f"strap.{name} is called strap.{_RENAMED[name]} now"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return __getattr__(_RENAMED[name])
    if name not in _HOME:
        raise AttributeError(f"module 'strap' has no attribute {name!r}")
    value = getattr(import_module(f"strap.{_HOME[name]}"), name)
    globals()[name] = value
    return value
