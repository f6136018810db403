"""Pages as on another device, in another place, at another time."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from strap import ActionError, Context, Result, action
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.traffic.emulation_words import read_words
from strap_browser.actions.traffic.profiles import refuse_foreign
from strap_browser.cdp.errors import ProtocolError
from strap_browser.common.text import clip
from strap_browser.engine.emulation import Emulated

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
    network: navigator.onLine ? "online" : "offline",
    clock: new Date().toString().slice(0, 24),
    geo: await place(),
    permissions: granted.join(", "),
  };
})()"""
"""What the page itself reads; geolocation waits at most 2 s for a page that has none."""


class Emulate(BrowserParams):
    """What to show pages."""

    value: str | None = Field(default=None, max_length=1_000)
    """`iPhone 15`, `390x844`, `dark`, `timezone=Europe/Berlin`, `offline`, …; `off` ends all."""


@action("browser", effect="write", asks_person=True)
async def emulate(params: Emulate, ctx: "Context[BrowserRegistry]") -> Result:
    """Show your pages another device, colour scheme, place, time or network.

    Words, several at once: a device such as `iPhone 15`, `390x844`, `dark`, `light`, `print`,
    `reduced-motion`, `forced-colors`, `touch`, `passkey` (a virtual authenticator),
    `geo=52.5,13.4`, `timezone=Europe/Berlin`, `locale=de-DE`, `cpu=4` (times slower),
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
            agent = await _own_agent(tab)
            before, own = emulation.emulated, tab.page.targets.own_commands()
            emulated = read_words(params.value, before, agent)
            await _permit(tab, before, emulated)
            commands = tuple(emulated.commands(agent, own))
            try:
                await emulation.change(emulated, tab.page.session, commands)
            except ProtocolError as error:
                await _permit(tab, emulated, before)
                restoring = tuple(before.commands(agent, own))
                await emulation.change(before, tab.page.session, restoring)
                raise ActionError(
                    f"The browser does not take that: {clip(str(error), SHOWN)}",
                    hint="Name a time zone such as Europe/Berlin, a locale such as de-DE.",
                    code="bad_value",
                ) from None
            await _equip(tab, before, emulated)
            await interaction.next_frames_drawn(tab)
        seen = await _seen(tab, emulation.emulated)
        answer = interaction.response_for(ctx)
        reads = f"The page reads: {'; '.join(seen.values())}."
        answer.add(reads if seen else "Nothing is emulated.")
        return answer.result(tab)


async def _own_agent(tab: "Tab") -> str:
    version = await tab.page.session.send("Browser.getVersion")
    return str(version["userAgent"])


def _permissions(emulated: Emulated) -> set[str]:
    return {*(emulated.permissions or ()), *(("geolocation",) if emulated.geo else ())}


async def _permit(tab: "Tab", before: Emulated, after: Emulated) -> None:
    """Grant what is new, and take back what is not granted any more; raises `ActionError`."""
    old, new = _permissions(before), _permissions(after)
    for name in sorted(old ^ new):
        setting = "granted" if name in new else "prompt"
        try:
            await tab.page.context.set_permission(name, setting)
        except ProtocolError:
            raise ActionError(
                f"The browser has no permission {name!r}.",
                hint="Such as geolocation, notifications, camera, clipboard-read.",
                code="bad_value",
            ) from None


async def _equip(tab: "Tab", before: Emulated, after: Emulated) -> None:
    """Give the pages an authenticator, or take away the one that `before` gave them."""
    from strap_browser.engine.storage_state import offer_passkeys

    context = tab.page.context
    if after.passkeys and context.passkeys is None:
        await offer_passkeys(tab.connection, context)
    elif before.passkeys and not after.passkeys and context.passkeys is not None:
        passkeys, context.passkeys = context.passkeys, None
        await passkeys.end()


async def _seen(tab: "Tab", emulated: Emulated) -> dict[str, str]:
    """Return what the page reads of each thing that is set."""
    names = sorted(_permissions(emulated))
    told: Any = await tab.page.evaluate(READ.replace("NAMES", str(names)))
    told = told if isinstance(told, dict) else {}
    own = {"cpu": f"processor {emulated.cpu or 1:g} times slower (not read)"}
    own["passkeys"] = "an authenticator that says yes; setup_state saves its passkeys"
    own["javascript"] = "no scripts, from the next document on"
    seen = {}
    for field in Emulated.__annotations__:
        if field != "clock_set" and getattr(emulated, field) is not None:
            told_now = own.get(field) or told.get(field, "unknown")
            seen[field] = clip(tab.secrets.hide(str(told_now)), SHOWN)
    return seen
