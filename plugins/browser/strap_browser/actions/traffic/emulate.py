"""Pages as on another device, in another place, at another time."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import Context, Result, action
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.traffic.profiles import refuse_foreign
from strap_browser.common.text import clip
from strap_browser.engine.emulation import Emulated
from strap_browser.engine.errors import ScriptFailed
from strap_browser.pages.rules import emulating

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab

SHOWN = 200
"""Characters of what a page says of a setting."""
READ = """(async () => {
  const is = (query) => matchMedia(query).matches;
  const state = async (name) => {
    try { return (await navigator.permissions.query({ name })).state; }
    catch (error) { return String(error); }
  };
  const place = () => new Promise((resolve) => {
    if (!NAMES.includes("geolocation")) return resolve("");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(`${coords.latitude},${coords.longitude}`),
      (error) => resolve(error.message), { timeout: 2000 });
  });
  const runs = () => {
    const target = new EventTarget();
    let ran = false;
    target.addEventListener("run", () => { ran = true; });
    target.dispatchEvent(new Event("run"));
    return ran;
  };
  const asks = () => PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  const passkeys = async () => {
    try { return (await asks()) ? "an authenticator that says yes" : "no authenticator"; }
    catch { return "no passkeys"; }
  };
  const speed = (of) => of ? `online as ${of.effectiveType}, ${of.rtt} ms to an answer` : "online";
  const granted = [];
  for (const name of NAMES) granted.push(`${name} ${await state(name)}`);
  return {
    size: `${innerWidth} x ${innerHeight} px at ${devicePixelRatio}`,
    touch: `touch ${navigator.maxTouchPoints ? "on" : "off"}`,
    scheme: is("(prefers-color-scheme: dark)") ? "dark" : "light",
    media: is("print") ? "print" : "screen",
    motion: is("(prefers-reduced-motion: reduce)") ? "reduced motion" : "full motion",
    colors: is("(forced-colors: active)") ? "forced colours" : "own colours",
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    locale: navigator.language,
    agent: navigator.userAgent,
    network: navigator.onLine ? speed(navigator.connection) : "offline",
    clock: new Date().toString().slice(0, 24),
    javascript: runs() ? "scripts" : "no scripts",
    geo: await place(),
    passkeys: await passkeys(),
    permissions: granted.join(", "),
  };
})()"""
"""Script that reads a page's values; geolocation waits at most 2 s for a page without one."""


PACE, RUNS = "Emulation.setCPUThrottlingRate", 5
"""Command for the pace of scripts, and how often it is measured: the shortest time counts."""
WORK = """(() => {
  const began = performance.now();
  let sum = 0;
  for (let i = 0; i < 1e6; i++) sum += Math.sqrt(i);
  return performance.now() - began + (sum < 0);
})()"""
"""Script of some ms, which returns how many."""


class Emulate(BrowserParams):
    """Fields of `emulate`."""

    value: str | None = Field(default=None, max_length=1_000)
    """`iPhone 15`, `390x844`, `dark`, `timezone=Europe/Berlin`, `offline`, …; `off` ends all."""


@action("browser", effect="write", asks_person=True)
async def emulate(params: Emulate, ctx: "Context[BrowserRegistry]") -> Result:
    """Show your pages another device, colour scheme, place, time or network.

    Words, several at once: a device such as `iPhone 15`, `390x844`, `dark`, `light`, `print`,
    `reduced-motion`, `forced-colors`, `touch`, `passkey` (a virtual authenticator),
    `geo=52.5,13.4`, `timezone=Europe/Berlin`, `locale=de-DE`, `cpu=4` (times slower, 1 to 20),
    `permission=clipboard-read`, `javascript=off` (from the next document on),
    `clock=2026-12-24T10:00`, `offline`, `slow-3g`, `fast-3g`, `user-agent=…` (last), `off`.
    Holds for all your pages in the profile until `off` or `close`. Answers what the
    page reads itself.
    """
    refuse_foreign(ctx, shared_too=True)
    async with interaction.using_page(ctx) as state:
        tab = state.tab
        emulation = tab.session.conditions.emulation
        if params.value is not None:
            await emulating.emulate(params.value, emulation, tab.page, tab.connection)
            await interaction.next_frames_drawn(tab)
        seen = await _seen(tab, emulation.emulated)
        answer = interaction.response_for(ctx)
        reads = f"The page reads: {'; '.join(seen.values())}."
        answer.add(reads if seen else "Nothing is emulated.")
        return answer.result(tab)


async def _seen(tab: "Tab", emulated: Emulated) -> dict[str, str]:
    """Return what the page reads of each thing that is set."""
    names = sorted(emulating.permissions(emulated))
    answer = await _read(tab, READ.replace("NAMES", str(names)))
    answer = answer if isinstance(answer, dict) else {}
    own = {"cpu": await _pace(tab, emulated.cpu)} if emulated.cpu else {}
    seen = {}
    for field in Emulated.__annotations__:
        if field != "clock_set" and getattr(emulated, field) is not None:
            told_now = own.get(field) or answer.get(field, "unknown")
            seen[field] = clip(tab.secrets.hide(str(told_now)), SHOWN)
    return seen


async def _read(tab: "Tab", script: str) -> Any:
    """Return what a script reads in the page's own world, None where the page breaks it."""
    with suppress(ScriptFailed):
        return await tab.page.evaluate(script)
    return None


async def _pace(tab: "Tab", rate: float) -> str:
    """Return how much slower a script of the page is than at the processor's own pace."""
    session = tab.page.session

    async def took() -> float | None:
        times = [await _read(tab, WORK) for _ in range(RUNS)]
        return min((ms for ms in times if isinstance(ms, int | float) and ms >= 0), default=None)

    slow = await took()
    session.send(PACE, rate=1)
    try:
        own = await took()
    finally:
        session.send(PACE, rate=rate)
    if slow is None or own is None:
        return "unknown"
    return f"scripts {slow / max(own, 0.1):.1f} times slower"
