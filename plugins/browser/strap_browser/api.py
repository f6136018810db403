"""Public names of the browser plugin: its pages, its engine, its drivers.

Names are imported on first use, as those of `strap` are. They are stable within a major version;
every other module of `strap_browser` may change at any time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap_browser.actions.arrivals import arrivals_in
    from strap_browser.actions.elements.person import PersonRecorder
    from strap_browser.actions.params import BrowserParams, ProfileParams
    from strap_browser.cdp.connection import CdpConnection, CdpSession, Params
    from strap_browser.cdp.errors import NO_SESSION, CdpError
    from strap_browser.cdp.granted_tabs import HOLD_TABS
    from strap_browser.cdp.websocket import WebSocket
    from strap_browser.chromium.browser_process import (
        EXIT_LIMIT,
        QUIT_LIMIT,
        BrowserProcess,
        ErrorOutput,
        StartFailure,
    )
    from strap_browser.chromium.command_line import is_windowless
    from strap_browser.chromium.executables import find_firefox
    from strap_browser.chromium.launch import start as start_chromium
    from strap_browser.chromium.profile_directory import make_directories, try_lock, writing
    from strap_browser.chromium.singleton_lock import Singleton
    from strap_browser.common.beside import beside
    from strap_browser.common.cli_options import home_option
    from strap_browser.common.fair_json import write_fairly
    from strap_browser.common.login_files import login_file, read_login
    from strap_browser.common.redaction import secrets_sent, without_secrets
    from strap_browser.common.tasks import Tasks, started
    from strap_browser.common.text import clip, quoted, strip_fence
    from strap_browser.common.urls import (
        is_noise,
        is_passing,
        is_web,
        loggable_url,
        origin_of,
        site,
        unopened,
        without_query,
    )
    from strap_browser.drivers.base import (
        LAUNCH_HINT,
        RUNS_ELSEWHERE,
        Capability,
        Driver,
        DriverOrder,
        DriverStatus,
        Release,
        UnsupportedDriver,
    )
    from strap_browser.drivers.leased import LeasedDriver
    from strap_browser.drivers.leasing.pool import LeasePool
    from strap_browser.engine.browser_connection import Greet
    from strap_browser.engine.console import ConsoleMessage, logged, spoken
    from strap_browser.engine.context import has_login, login_hosts
    from strap_browser.engine.downloads import Download
    from strap_browser.engine.endpoint import Endpoint
    from strap_browser.engine.errors import ABORTED, DownloadStarted, NavigationFailed, WouldResend
    from strap_browser.engine.frames.geometry import Box, box_around, box_on_page
    from strap_browser.engine.history import next_entry
    from strap_browser.engine.page import Page
    from strap_browser.engine.passkeys import Passkeys
    from strap_browser.engine.prompts import Dialog
    from strap_browser.engine.traffic.approvals import RequestSource
    from strap_browser.engine.traffic.browser_traffic import BrowserTraffic
    from strap_browser.engine.traffic.flow_gate import FlowGate
    from strap_browser.engine.traffic.form_resends import SAFE as SAFE_METHODS
    from strap_browser.engine.traffic.form_resends import load_again
    from strap_browser.engine.traffic.interception import DOCUMENTS, Interception, Interceptor
    from strap_browser.engine.traffic.password_challenges import is_challenge
    from strap_browser.engine.traffic.paused_request import Decision, Fail, PausedRequest
    from strap_browser.engine.traffic.requests import Request, Response
    from strap_browser.engine.traffic.traffic import Traffic
    from strap_browser.interaction.flow.sends import LEAST_BITS, PLACE_BITS
    from strap_browser.interaction.page_state import PageState
    from strap_browser.interaction.recording.candidates import (
        Candidates,
        barrier_on,
        candidates_on,
    )
    from strap_browser.interaction.targets.finding import find_target
    from strap_browser.interaction.use_page import using_page
    from strap_browser.page_script.bundle import NAME as SCRIPT_NAME
    from strap_browser.page_script.bundle import module as script_module
    from strap_browser.page_script.bundle import question as page_question
    from strap_browser.pages.call_log import CallLog, CallNote, Evidence, Outcome
    from strap_browser.pages.page_errors import refuse_dialog
    from strap_browser.pages.page_log import is_chatter
    from strap_browser.pages.profile import Profile
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab
    from strap_browser.proxy.control import ProxyControl
    from strap_browser.proxy.guard_proxy import GuardProxy
    from strap_browser.proxy.upstream import Upstream, upstream_of
    from strap_browser.relay.access.admission import RateLimiter, Refused
    from strap_browser.relay.waiting import Arriving
    from strap_browser.settings.agent import MOST_SECONDS, MOST_STEPS, AgentSettings
    from strap_browser.settings.browser import DEFAULT_PROFILE, BrowserSettings, ProfileSettings
    from strap_browser.settings.live import LiveSettings
    from strap_browser.settings.managed import PROFILE_NAME
    from strap_browser.state import BrowserState

_MODULES = {
    "actions.arrivals": "arrivals_in",
    "actions.elements.person": "PersonRecorder",
    "actions.params": "BrowserParams ProfileParams",
    "cdp.connection": "CdpConnection CdpSession Params",
    "cdp.errors": "CdpError NO_SESSION",
    "cdp.granted_tabs": "HOLD_TABS",
    "cdp.websocket": "WebSocket",
    "chromium.browser_process": "BrowserProcess EXIT_LIMIT ErrorOutput QUIT_LIMIT StartFailure",
    "chromium.command_line": "is_windowless",
    "chromium.executables": "find_firefox",
    "chromium.launch": "start=start_chromium",
    "chromium.profile_directory": "make_directories try_lock writing",
    "chromium.singleton_lock": "Singleton",
    "common.beside": "beside",
    "common.cli_options": "home_option",
    "common.fair_json": "write_fairly",
    "common.login_files": "login_file read_login",
    "common.redaction": "secrets_sent without_secrets",
    "common.tasks": "Tasks started",
    "common.text": "clip quoted strip_fence",
    "common.urls": "is_noise is_passing is_web loggable_url origin_of site unopened without_query",
    "drivers.base": "Capability Driver DriverOrder DriverStatus LAUNCH_HINT RUNS_ELSEWHERE Release"
    " UnsupportedDriver",
    "drivers.leased": "LeasedDriver",
    "drivers.leasing.pool": "LeasePool",
    "engine.browser_connection": "Greet",
    "engine.console": "ConsoleMessage logged spoken",
    "engine.context": "has_login login_hosts",
    "engine.downloads": "Download",
    "engine.endpoint": "Endpoint",
    "engine.errors": "ABORTED DownloadStarted NavigationFailed WouldResend",
    "engine.frames.geometry": "Box box_around box_on_page",
    "engine.history": "next_entry",
    "engine.page": "Page",
    "engine.passkeys": "Passkeys",
    "engine.prompts": "Dialog",
    "engine.traffic.flow_gate": "FlowGate",
    "engine.traffic.form_resends": "SAFE=SAFE_METHODS load_again",
    "engine.traffic.approvals": "RequestSource",
    "engine.traffic.browser_traffic": "BrowserTraffic",
    "engine.traffic.interception": "DOCUMENTS Interception Interceptor",
    "engine.traffic.paused_request": "Decision Fail PausedRequest",
    "engine.traffic.password_challenges": "is_challenge",
    "engine.traffic.requests": "Request Response",
    "engine.traffic.traffic": "Traffic",
    "interaction.flow.sends": "LEAST_BITS PLACE_BITS",
    "interaction.page_state": "PageState",
    "interaction.recording.candidates": "Candidates barrier_on candidates_on",
    "interaction.targets.finding": "find_target",
    "interaction.use_page": "using_page",
    "page_script.bundle": "NAME=SCRIPT_NAME module=script_module question=page_question",
    "pages.call_log": "CallLog CallNote Evidence Outcome",
    "pages.page_errors": "refuse_dialog",
    "pages.page_log": "is_chatter",
    "pages.profile": "Profile",
    "pages.registry": "BrowserRegistry",
    "pages.tab": "Tab",
    "proxy.control": "ProxyControl",
    "proxy.guard_proxy": "GuardProxy",
    "proxy.upstream": "Upstream upstream_of",
    "relay.access.admission": "RateLimiter Refused",
    "relay.waiting": "Arriving",
    "settings.agent": "AgentSettings MOST_SECONDS MOST_STEPS",
    "settings.browser": "BrowserSettings DEFAULT_PROFILE ProfileSettings",
    "settings.live": "LiveSettings",
    "settings.managed": "PROFILE_NAME",
    "state": "BrowserState",
}
"""Names by their module below `strap_browser`; `NAME=OTHER` has the name OTHER here."""
_HOME = {
    public or name: (module, name)
    for module, names in _MODULES.items()
    for name, _, public in (entry.partition("=") for entry in names.split())
}

# fmt: off
__all__ = [  # noqa: RUF022
    "ABORTED", "AgentSettings", "Arriving", "Box", "BrowserParams", "BrowserProcess",
    "BrowserRegistry", "BrowserSettings", "BrowserState", "BrowserTraffic", "CallLog", "CallNote",
    "Candidates", "Capability", "CdpConnection", "CdpError", "CdpSession", "ConsoleMessage",
    "DEFAULT_PROFILE", "DOCUMENTS", "Decision", "Dialog", "Download", "DownloadStarted", "Driver",
    "DriverOrder", "DriverStatus", "EXIT_LIMIT", "Endpoint", "ErrorOutput", "Evidence", "Fail",
    "FlowGate", "LEAST_BITS", "PLACE_BITS", "has_login", "login_hosts",
    "Greet", "GuardProxy", "HOLD_TABS", "Interception", "Interceptor", "LAUNCH_HINT", "LeasePool",
    "LeasedDriver", "LiveSettings", "MOST_SECONDS", "MOST_STEPS", "NO_SESSION", "NavigationFailed",
    "Outcome", "PROFILE_NAME", "Page", "PageState", "Params", "Passkeys",
    "PausedRequest", "PersonRecorder", "Profile", "ProfileParams", "ProfileSettings",
    "ProxyControl", "QUIT_LIMIT", "RUNS_ELSEWHERE", "RateLimiter", "Refused", "Release", "Request",
    "RequestSource", "Response", "SAFE_METHODS", "SCRIPT_NAME",
    "Singleton", "StartFailure", "Tab", "Tasks", "Traffic", "UnsupportedDriver", "Upstream",
    "WebSocket", "WouldResend", "arrivals_in", "barrier_on", "beside", "box_around", "box_on_page",
    "candidates_on", "clip", "find_firefox", "find_target", "home_option", "is_challenge",
    "is_chatter", "is_noise", "is_passing", "is_web", "is_windowless", "load_again", "loggable_url",
    "logged", "login_file", "make_directories", "next_entry", "origin_of", "page_question",
    "quoted", "read_login", "refuse_dialog", "script_module", "secrets_sent", "site",
    "spoken", "start_chromium", "started", "strip_fence", "try_lock", "unopened", "upstream_of",
    "using_page", "without_query", "without_secrets", "write_fairly", "writing",
]
# fmt: on


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, inner = _HOME[name]
    value = globals()[name] = getattr(import_module(f"strap_browser.{home}"), inner)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
