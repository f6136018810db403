"""Devices, media, places and clocks that pages are shown in place of the browser's own."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any
from weakref import WeakSet

from strap import record
from strap_browser.cdp.connection import CdpSession
from strap_browser.engine.page_terms import ADD_SCRIPT, Command

DEVICES: Mapping[str, tuple[int, int, float]] = json.loads(
    Path(__file__).with_name("devices.json").read_bytes()
)
"""Width and height in CSS pixels, and pixels of the screen to each, by names of devices."""
TOUCHES = 5
"""Fingers that a phone's screen tells apart."""
METRICS, LOCALE = "Emulation.setDeviceMetricsOverride", "Emulation.setLocaleOverride"
MEGABIT = 1_000_000 / 8
"""Bytes a second."""
NETWORKS = {
    "offline": (True, 0, -1, -1),
    "slow-3g": (False, 2_000, 0.4 * MEGABIT, 0.4 * MEGABIT),
    "fast-3g": (False, 560, 1.44 * MEGABIT, 0.675 * MEGABIT),
}
"""Whether it is offline; ms to an answer, bytes a second down and up: those of DevTools."""
MARK = f"__{token_hex(8)}"
"""The property by which a shifted clock has the real one."""
CLOCK = """(() => {
  const Real = Date.MARK || Date;
  const shift = new Real(TIME).getTime() - SET;
  const now = () => Real.now() + shift;
  const handler = {
    construct: (target, given, type) =>
      Reflect.construct(target, given.length ? given : [now()], type),
    apply: () => new Real(now()).toString(),
    get: (target, key) => (key === "MARK" ? Real : key === "now" ? now : Reflect.get(target, key)),
  };
  globalThis.Date = new Proxy(Real, handler);
  Real.prototype.constructor = globalThis.Date;
})()"""
"""Has `Date` begin at another time and go on from there; timers keep their pace."""
REAL = "if (Date.MARK) { Date = Date.MARK; Date.prototype.constructor = Date; }"


@record
class Emulated:
    """Emulated values for pages, None for the browser's own."""

    size: tuple[int, int, float, bool] | None = None
    """Width, height, scale, and whether it is a phone's."""
    touch: bool | None = None
    scheme: str | None = None
    media: str | None = None
    motion: bool | None = None
    colors: bool | None = None
    geo: tuple[float, float] | None = None
    timezone: str | None = None
    locale: str | None = None
    agent: str | None = None
    cpu: float | None = None
    permissions: tuple[str, ...] | None = None
    javascript: bool | None = None
    """False where scripts of pages do not run."""
    clock: datetime | None = None
    clock_set: int | None = None
    """When the clock was set, in ms since 1970."""
    network: str | None = None
    passkeys: bool | None = None
    """Whether an authenticator says yes in place of a person: the context has it."""

    def commands(self, own_agent: str, own: Mapping[str, dict[str, Any]]) -> Iterator[Command]:
        """Yield the commands that set all of it, `own` where that is what the profile sets.

        `own_agent` is what the browser calls itself.
        """
        if self.size is None:
            size = own.get(METRICS)
            yield (METRICS, size) if size else ("Emulation.clearDeviceMetricsOverride", {})
        else:
            width, height, scale, is_phone = self.size
            size = {"width": width, "height": height, "screenWidth": width, "screenHeight": height}
            fixed = {"deviceScaleFactor": scale, "mobile": is_phone}
            yield METRICS, {**size, **fixed}
        yield from self._looks()
        if self.geo is None:
            yield "Emulation.clearGeolocationOverride", {}
        else:
            place = {"latitude": self.geo[0], "longitude": self.geo[1], "accuracy": 1}
            yield "Emulation.setGeolocationOverride", place
        yield "Emulation.setTimezoneOverride", {"timezoneId": self.timezone or ""}
        yield LOCALE, {"locale": self.locale} if self.locale else own.get(LOCALE, {})
        agent = self.agent or (own_agent if self.locale else "")
        language = {"acceptLanguage": self.locale} if self.locale else {}
        yield "Emulation.setUserAgentOverride", {"userAgent": agent, **language}
        yield from self._pace()

    def _looks(self) -> Iterator[Command]:
        touch = {"enabled": bool(self.touch), "maxTouchPoints": TOUCHES}
        yield "Emulation.setTouchEmulationEnabled", touch
        features = {
            "prefers-color-scheme": self.scheme or "",
            "prefers-reduced-motion": "reduce" if self.motion else "",
            "forced-colors": "active" if self.colors else "",
        }
        listed = [{"name": name, "value": value} for name, value in features.items()]
        yield "Emulation.setEmulatedMedia", {"media": self.media or "", "features": listed}

    def _pace(self) -> Iterator[Command]:
        yield "Emulation.setCPUThrottlingRate", {"rate": self.cpu or 1}
        yield "Emulation.setScriptExecutionDisabled", {"value": self.javascript is False}
        offline, latency, down, up = NETWORKS.get(self.network or "", (False, 0, -1, -1))
        speed = {"latency": latency, "downloadThroughput": down, "uploadThroughput": up}
        yield "Network.emulateNetworkConditions", {"offline": offline, **speed}
        if self.clock is not None:
            when = json.dumps(self.clock.isoformat())
            script = CLOCK.replace("TIME", when).replace("SET", str(self.clock_set))
            yield ADD_SCRIPT, {"source": script.replace("MARK", MARK), "runImmediately": True}


class Emulation:
    """Emulation for all sessions of one caller's pages."""

    def __init__(self) -> None:
        self.emulated = Emulated()
        self._commands: tuple[Command, ...] = ()
        self._sessions: WeakSet[CdpSession] = WeakSet()
        self._scripts: list[tuple[CdpSession, str]] = []

    def follow(self, session: CdpSession) -> None:
        """Have a further session show the same."""
        self._sessions.add(session)
        self._send(session)

    async def change(
        self, emulated: Emulated, page: CdpSession, commands: tuple[Command, ...]
    ) -> None:
        """Show this in all sessions; raises `CdpError` where the `page` of the call refuses."""
        for session, number in self._scripts:
            session.send("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
        self._scripts.clear()
        is_back = self.emulated.clock is not None and emulated.clock is None
        self.emulated = emulated
        self._commands = commands if emulated != Emulated() else ()
        others = [other for other in self._sessions if other is not page]
        for session in (*others, page):
            sent = self._send(session, commands)
            if is_back:
                session.send("Runtime.evaluate", expression=REAL.replace("MARK", MARK))
        await asyncio.gather(*sent)

    def _send(
        self, session: CdpSession, commands: tuple[Command, ...] | None = None
    ) -> "list[asyncio.Future[Any]]":
        sent = []
        for method, params in self._commands if commands is None else commands:
            sent.append(session.send(method, **params))
            if method == ADD_SCRIPT:
                sent[-1].add_done_callback(partial(self._on_script, session))
        return sent

    def _on_script(self, session: CdpSession, answer: "asyncio.Future[Any]") -> None:
        if not answer.cancelled() and answer.exception() is None:
            self._scripts.append((session, answer.result()["identifier"]))
