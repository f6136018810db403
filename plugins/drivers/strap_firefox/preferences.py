"""How a Firefox of strap's own is set up: its preferences (`user.js`), read at each start.

What a browser that is driven needs anyway (no first-run pages, no updates) Firefox sets by itself
(`remote.prefs.recommended`).
"""

import json
from collections.abc import Mapping
from pathlib import Path

from strap_browser.api import BrowserSettings, ProxyControl

Value = bool | int | str
ASK = 2
"""Value of a permission that is always refused, without asking."""
PREFERENCES: Mapping[str, Value] = {
    # Nothing goes round the guarding proxy: no direct connection, no name server, no UDP.
    "media.peerconnection.ice.proxy_only": True,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.http3.enable": False,
    "network.http.speculative-parallel-limit": 0,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.proxy.allow_hijacking_localhost": True,
    "network.proxy.failover_direct": False,
    "network.proxy.no_proxies_on": "",
    "network.proxy.socks": "127.0.0.1",
    "network.proxy.socks5_remote_dns": True,
    "network.proxy.socks_remote_dns": True,
    "network.proxy.socks_version": 5,
    "network.proxy.type": 1,
    "network.trr.mode": 5,
    "network.webtransport.enabled": False,
    # Nothing calls home.
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.push.enabled": False,
    "extensions.blocklist.enabled": False,
    "security.OCSP.enabled": 0,
    # Nobody is asked, and nothing typed is kept.
    "browser.formfill.enable": False,
    "permissions.default.camera": ASK,
    "permissions.default.desktop-notification": ASK,
    "permissions.default.geo": ASK,
    "permissions.default.microphone": ASK,
    "signon.autofillForms": False,
    "signon.rememberSignons": False,
    # A document that was left is loaded again: what is told of it begins anew.
    "browser.sessionhistory.max_total_viewers": 0,
    # No page is made in advance, for tabs that nobody opens: that takes a process more.
    "browser.newtab.preload": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.page": 0,
    "dom.disable_beforeunload": False,
    # What strap enters is no input for Firefox, and a page asks for what was entered.
    "dom.require_user_interaction_for_beforeunload": False,
    "dom.disable_open_during_load": False,
    # Each page has a window: one that lies behind another in its window gets no mouse.
    "browser.link.open_newwindow": 2,
    "browser.link.open_newwindow.restriction": 0,
    # No window of the browser's own holds a page: no preview of print, no choice of a program.
    "print.enabled": False,
    "network.protocol-handler.external-default": False,
    # The mouse acts on the window, as a hand does: it reaches frames that other processes run.
    "remote.events.async.mouse.enabled": True,
    "remote.events.async.wheel.enabled": True,
    # What a page shows is what it is: no view of the browser's own.
    "browser.tabs.unloadOnLowMemory": False,
    "devtools.jsonview.enabled": False,
    "pdfjs.disabled": True,
    "ui.useOverlayScrollbars": 1,
    "dom.ipc.processPrelaunch.enabled": False,
}


def write_preferences(directory: Path, settings: BrowserSettings, gate: ProxyControl) -> None:
    """Write those of a profile directory; raises `OSError`."""
    own: dict[str, Value] = {"network.proxy.socks_port": gate.port}
    if settings.locale:
        languages = dict.fromkeys((settings.locale, settings.locale.partition("-")[0]))
        own["intl.accept_languages"] = ",".join(languages)
    if settings.user_agent:
        own["general.useragent.override"] = settings.user_agent
    lines = (
        f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
        for name, value in {**PREFERENCES, **own}.items()
    )
    (directory / "user.js").write_text("".join(lines), "utf-8")
