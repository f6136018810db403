"""The command line of a managed Chromium."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from strap import ActionError
from strap_browser.chromium.executables import find_executable, is_shell
from strap_browser.chromium.spawn import PORT, PROXY
from strap_browser.proxy.control import ProxyControl
from strap_browser.settings.browser import BrowserSettings

SMALL_SHARED_MEMORY = 512 * 1024 * 1024
DISABLED_FEATURES = (
    "AimEnabled",
    # Tells the vendor which fields a form has.
    "AutofillServerCommunication",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    # A window of the browser's own, which no call sees; in a tab that is not in front it ends
    # the browser.
    "FedCm",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    # A new frame for every document takes a seventh more processor time for a navigation.
    "RenderDocument",
    # A process kept ready for another site: at the start it takes time from the first page.
    "SpareRendererForSitePerProcess",
    "ThirdPartyStoragePartitioning",
    "Translate",
    # The address bar's pop-up is a web page: 0.7 s of processor time and a process at each start.
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
ENABLED_FEATURES = ("CDPScreenshotNewSurface", "SkipListAccountsWithoutGaiaCookies")
WEBMCP = "WebMCP"
"""Without it Chromium 156 has no `document.modelContext`."""
ON_LINUX = ("NetworkServiceInProcess2",)
"""The network in the browser's own process: a seventh less processor time until the first page.

On Linux a process of its own has no sandbox, so it parts nothing; elsewhere it has one.
"""
NOWHERE = "http://127.0.0.1:9/"
"""An address whose port browsers refuse, without a connection."""
SWITCHES = (
    # Nothing calls home and nothing asks.
    f"--component-updater=url-source={NOWHERE}",
    f"--gaia-url={NOWHERE}",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    # What Playwright relies on (its `chromiumSwitches`).
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--hide-crash-restore-bubble",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    # A frame of another site has a process of its own, as it has by default but in headless shells.
    "--site-per-process",
    "--unsafely-disable-devtools-self-xss-warnings",
    # Traffic that a guarding proxy would not see.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
MOUSE = "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
HEADLESS = (
    "--headless",
    # Of the window that nobody sees, not of pages: a sixth less processor time for a new one.
    "--animation-duration-scale=0",
    "--hide-scrollbars",
    "--mute-audio",
    f"--blink-settings={MOUSE}",
)


def command_line(
    executable: Path,
    data: Path,
    port: int,
    settings: BrowserSettings,
    *,
    sandbox: bool,
    gate: ProxyControl | None = None,
) -> list[str]:
    """Return the arguments that launch `executable` on the user data directory `data`.

    All traffic passes the proxy at `gate`, if there is one.
    """
    width, height = settings.viewport
    return [
        str(executable),
        f"--user-data-dir={data}",
        f"{PORT}{port}",
        "--remote-debugging-pipe",
        *SWITCHES,
        f"--enable-features={','.join(_enabled(settings))}",
        f"--disable-features={','.join(DISABLED_FEATURES)}",
        *(HEADLESS if is_headless(settings, executable) else ()),
        *(() if sandbox else ("--no-sandbox",)),
        *_of_settings(settings),
        *(_guarded(gate) if gate else ()),
        *(("--disable-dev-shm-usage",) if _little_shared_memory() else ()),
        f"--window-size={width},{height}",
        *settings.args,
        "about:blank",
    ]


def _enabled(settings: BrowserSettings) -> tuple[str, ...]:
    tools = (WEBMCP,) if settings.webmcp else ()
    return ENABLED_FEATURES + tools + (ON_LINUX if sys.platform == "linux" else ())


def _of_settings(settings: BrowserSettings) -> Iterator[str]:
    if locale := settings.locale:
        yield f"--lang={locale}"
        yield f"--accept-lang={','.join(dict.fromkeys((locale, locale.partition('-')[0])))}"
    if settings.user_agent:
        yield f"--user-agent={settings.user_agent}"


def environment(settings: BrowserSettings, data: Path) -> dict[str, str]:
    """Return the variables with which the browser runs beside those of this process.

    Without them it writes to the user's home as well: reports of crashes, and where there is no
    desktop session the cache of a desktop's settings.
    """
    own = {"BREAKPAD_DUMP_LOCATION": str(data / "Crash Reports")}
    if not os.environ.get("XDG_RUNTIME_DIR"):
        own["GSETTINGS_BACKEND"] = "memory"
    return own | ({"TZ": settings.timezone} if settings.timezone else {})


def _guarded(gate: ProxyControl) -> tuple[str, ...]:
    """Nothing goes past the proxy, loopback included, and the browser looks no name up itself."""
    return (
        f"{PROXY}{gate.port}",
        "--proxy-bypass-list=<-loopback>",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    )


def executable_of(settings: BrowserSettings) -> Path:
    """Return the browser that these settings launch; raises `ActionError` ("no_browser")."""
    windowed = settings.headless is False
    path = find_executable(settings.executable, settings.channel, shell=not windowed)
    if windowed and is_shell(path):
        raise ActionError(
            f"The headless shell {str(path)!r} has no window.",
            hint="Leave headless out, or set another `channel` or `executable`.",
            code="no_browser",
        )
    return path


def is_headless(settings: BrowserSettings, executable: Path) -> bool:
    """Whether the browser gets no window: as configured, else where there is no display.

    A headless shell never has one.
    """
    return is_shell(executable) or is_windowless(settings)


def is_windowless(settings: BrowserSettings) -> bool:
    """Whether a browser that can have a window gets none."""
    if settings.headless is not None:
        return settings.headless
    if sys.platform in ("darwin", "win32"):
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def may_use_sandbox(settings: BrowserSettings) -> bool:
    """Whether to try the sandbox: as configured, else unless we are root (Chromium refuses)."""
    if settings.sandbox is not None:
        return settings.sandbox
    return not hasattr(os, "geteuid") or os.geteuid() != 0


def _little_shared_memory() -> bool:
    try:
        stat = os.statvfs("/dev/shm")  # noqa: S108 - the mount point, not a file of ours
    except (OSError, AttributeError):
        return False
    return stat.f_bavail * stat.f_frsize < SMALL_SHARED_MEMORY
