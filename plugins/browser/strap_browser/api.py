"""What plugins may use of the browser: its pages, its engine, its drivers.

Names are imported on first use, as those of `strap` are. They are stable within a major version;
every other module of `strap_browser` may change at any time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strap_browser.actions.params import ProfileParams
    from strap_browser.cdp import protocol
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
    from strap_browser.common.fair_json import read_login, write_fairly
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
    from strap_browser.engine.downloads import Download
    from strap_browser.engine.endpoint import Endpoint
    from strap_browser.engine.errors import ABORTED, DownloadStarted, NavigationFailed, WouldResend
    from strap_browser.engine.frames.geometry import Box, box_around, box_on_page
    from strap_browser.engine.history import SAFE as SAFE_METHODS
    from strap_browser.engine.history import load_again, next_entry
    from strap_browser.engine.network import Request, Response, Traffic
    from strap_browser.engine.page import Page
    from strap_browser.engine.password_challenges import given_up, is_challenge
    from strap_browser.engine.prompts import Dialog
    from strap_browser.page_script.bundle import NAME as SCRIPT_NAME
    from strap_browser.page_script.bundle import module as script_module
    from strap_browser.page_script.bundle import question as page_question
    from strap_browser.pages.call_log import CallLog, CallNote
    from strap_browser.pages.page_errors import refuse_dialog
    from strap_browser.pages.page_log import is_chatter
    from strap_browser.pages.profile import Profile
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

_HOME = {
    "ABORTED": "engine.errors",
    "AgentSettings": "settings.agent",
    "Arriving": "relay.waiting",
    "Box": "engine.frames.geometry",
    "BrowserProcess": "chromium.browser_process",
    "BrowserSettings": "settings.browser",
    "BrowserState": "state",
    "CallLog": "pages.call_log",
    "CallNote": "pages.call_log",
    "Capability": "drivers.base",
    "CdpConnection": "cdp.connection",
    "CdpError": "cdp.errors",
    "CdpSession": "cdp.connection",
    "ConsoleMessage": "engine.console",
    "DEFAULT_PROFILE": "settings.browser",
    "Dialog": "engine.prompts",
    "Download": "engine.downloads",
    "DownloadStarted": "engine.errors",
    "Driver": "drivers.base",
    "DriverOrder": "drivers.base",
    "DriverStatus": "drivers.base",
    "EXIT_LIMIT": "chromium.browser_process",
    "Endpoint": "engine.endpoint",
    "ErrorOutput": "chromium.browser_process",
    "Greet": "engine.browser_connection",
    "GuardProxy": "proxy.guard_proxy",
    "HOLD_TABS": "cdp.granted_tabs",
    "LAUNCH_HINT": "drivers.base",
    "LeasePool": "drivers.leasing.pool",
    "LeasedDriver": "drivers.leased",
    "LiveSettings": "settings.live",
    "MOST_SECONDS": "settings.agent",
    "MOST_STEPS": "settings.agent",
    "NO_SESSION": "cdp.errors",
    "NavigationFailed": "engine.errors",
    "PROFILE_NAME": "settings.managed",
    "Page": "engine.page",
    "Params": "cdp.connection",
    "Profile": "pages.profile",
    "ProfileParams": "actions.params",
    "ProfileSettings": "settings.browser",
    "ProxyControl": "proxy.control",
    "QUIT_LIMIT": "chromium.browser_process",
    "RUNS_ELSEWHERE": "drivers.base",
    "RateLimiter": "relay.access.admission",
    "Refused": "relay.access.admission",
    "Release": "drivers.base",
    "Request": "engine.network",
    "Response": "engine.network",
    "SAFE_METHODS": "engine.history:SAFE",
    "SCRIPT_NAME": "page_script.bundle:NAME",
    "Singleton": "chromium.singleton_lock",
    "StartFailure": "chromium.browser_process",
    "Tab": "pages.tab",
    "Tasks": "common.tasks",
    "Traffic": "engine.network",
    "UnsupportedDriver": "drivers.base",
    "Upstream": "proxy.upstream",
    "WebSocket": "cdp.websocket",
    "WouldResend": "engine.errors",
    "beside": "common.beside",
    "box_around": "engine.frames.geometry",
    "box_on_page": "engine.frames.geometry",
    "clip": "common.text",
    "find_firefox": "chromium.executables",
    "given_up": "engine.password_challenges",
    "home_option": "common.cli_options",
    "is_challenge": "engine.password_challenges",
    "is_chatter": "pages.page_log",
    "is_noise": "common.urls",
    "is_passing": "common.urls",
    "is_web": "common.urls",
    "is_windowless": "chromium.command_line",
    "load_again": "engine.history",
    "loggable_url": "common.urls",
    "logged": "engine.console",
    "make_directories": "chromium.profile_directory",
    "next_entry": "engine.history",
    "origin_of": "common.urls",
    "page_question": "page_script.bundle:question",
    "protocol": "cdp.protocol",
    "quoted": "common.text",
    "read_login": "common.fair_json",
    "refuse_dialog": "pages.page_errors",
    "script_module": "page_script.bundle:module",
    "secrets_sent": "common.redaction",
    "site": "common.urls",
    "spoken": "engine.console",
    "start_chromium": "chromium.launch:start",
    "started": "common.tasks",
    "strip_fence": "common.text",
    "try_lock": "chromium.profile_directory",
    "unopened": "common.urls",
    "upstream_of": "proxy.upstream",
    "without_query": "common.urls",
    "without_secrets": "common.redaction",
    "write_fairly": "common.fair_json",
    "writing": "chromium.profile_directory",
}
"""The module of each name, below `strap_browser`, and its name there where that differs."""

__all__ = [
    "ABORTED",
    "DEFAULT_PROFILE",
    "EXIT_LIMIT",
    "HOLD_TABS",
    "LAUNCH_HINT",
    "MOST_SECONDS",
    "MOST_STEPS",
    "NO_SESSION",
    "PROFILE_NAME",
    "QUIT_LIMIT",
    "RUNS_ELSEWHERE",
    "SAFE_METHODS",
    "SCRIPT_NAME",
    "AgentSettings",
    "Arriving",
    "Box",
    "BrowserProcess",
    "BrowserSettings",
    "BrowserState",
    "CallLog",
    "CallNote",
    "Capability",
    "CdpConnection",
    "CdpError",
    "CdpSession",
    "ConsoleMessage",
    "Dialog",
    "Download",
    "DownloadStarted",
    "Driver",
    "DriverOrder",
    "DriverStatus",
    "Endpoint",
    "ErrorOutput",
    "Greet",
    "GuardProxy",
    "LeasePool",
    "LeasedDriver",
    "LiveSettings",
    "NavigationFailed",
    "Page",
    "Params",
    "Profile",
    "ProfileParams",
    "ProfileSettings",
    "ProxyControl",
    "RateLimiter",
    "Refused",
    "Release",
    "Request",
    "Response",
    "Singleton",
    "StartFailure",
    "Tab",
    "Tasks",
    "Traffic",
    "UnsupportedDriver",
    "Upstream",
    "WebSocket",
    "WouldResend",
    "beside",
    "box_around",
    "box_on_page",
    "clip",
    "find_firefox",
    "given_up",
    "home_option",
    "is_challenge",
    "is_chatter",
    "is_noise",
    "is_passing",
    "is_web",
    "is_windowless",
    "load_again",
    "loggable_url",
    "logged",
    "make_directories",
    "next_entry",
    "origin_of",
    "page_question",
    "protocol",
    "quoted",
    "read_login",
    "refuse_dialog",
    "script_module",
    "secrets_sent",
    "site",
    "spoken",
    "start_chromium",
    "started",
    "strip_fence",
    "try_lock",
    "unopened",
    "upstream_of",
    "without_query",
    "without_secrets",
    "write_fairly",
    "writing",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inner = _HOME[name].partition(":")
    value = import_module(f"strap_browser.{module}")
    if name != "protocol":
        value = getattr(value, inner or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
