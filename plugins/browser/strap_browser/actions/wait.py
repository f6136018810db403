"""Waiting for a text, an element, or for the page to come to rest."""

import asyncio
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from strap import ActionError, Context, Result, UsageError, action, record
from strap_browser import interaction
from strap_browser.actions.arrivals import answered_at, arrivals_in, as_value, is_at
from strap_browser.actions.params import ElementParams
from strap_browser.actions.rest import Rest
from strap_browser.actions.sightings import Sight, too_large
from strap_browser.cdp.errors import ContextDestroyed
from strap_browser.common.text import clip
from strap_browser.pages.page_errors import not_answered

if TYPE_CHECKING:
    from strap_browser.interaction.effects import Effects
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

LIMIT = 30.0
MARGIN = 0.25
"""Seconds before the limit of the call at which waiting ends, so that the answer can say so."""
FIRST_STEP = 0.02
LAST_STEP = 0.2
IDLE_STEP = 0.05
"""Seconds between two looks at whether a page rests, which is due at a known time."""
MOST_SECONDS = 3_600.0
ARRIVALS = ("url", "request", "since")
WORDS = ("gone", "load", "idle", "url")
STOPPED = "Stopped waiting: a dialog opened."
SENTENCES = {
    "": ("{} is there.", "{} did not appear"),
    "gone": ("{} is gone.", "{} did not go away"),
    "load": ("The page is loaded.", "The page was not loaded"),
    "idle": ("The page is idle.", "The page did not become idle"),
    "url": ("The address contains {}.", "The address did not come to contain {}"),
    "address": ("The page is at {}.", "The page did not come to {}"),
    "request": ("{} is answered.", "No answer came to {}"),
}
Check = Callable[[], Coroutine[Any, Any, bool | None]]
"""Whether it is so; None where a document did not say."""


class Wait(ElementParams):
    """Fields of `wait`."""

    text: str | None = Field(default=None, max_length=1_000)
    """Text to appear anywhere on the page."""
    value: str | None = Field(default=None, max_length=2_000)
    """`gone`, `load`, `idle`, `url` (of which `text` is a part), a number of seconds, or a request
    that was answered since the last action, as `POST /api/orders` (`request=` means the same).
    `url=/home` waits for the page's address or its path; `*` stands for anything."""

    @model_validator(mode="before")
    @classmethod
    def _take_arrivals(cls, values: Any) -> Any:
        """Take `url`, `request` and `since` as lines of `value`.

        A field `url` is where a call goes to, by which policies judge it: this one goes nowhere.
        Fields for the others would cost every tool definition.
        """
        if not isinstance(values, dict) or values.keys().isdisjoint(ARRIVALS):
            return values
        values = dict(values)
        fields = (str(values.pop(name, None) or "") for name in (*ARRIVALS, "value"))
        return values | {"value": as_value(*fields) or None}


@record
class WaitCondition:
    """Condition to wait for: `value` is one of `WORDS`, "" for an appearance; or `seconds`."""

    text: str = ""
    ref: str | None = None
    selector: str | None = None
    value: str = ""
    seconds: float = 0.0
    since: float | None = None
    """Time after which a request was sent."""


def wait_condition(params: Wait) -> WaitCondition:
    """Return what is meant; raises `UsageError` for fields that contradict each other."""
    text, ref, selector = params.text, params.ref, params.selector
    named = [
        name for name, field in (("text", text), ("ref", ref), ("selector", selector)) if field
    ]
    value = (params.value or "").strip().lower()
    if len(named) > 1:
        raise UsageError(f"Give {' or '.join(named)}, not both.")
    if value in ("load", "idle") and named:
        raise UsageError(f"value={value!r} is about the page: leave {named[0]} out.")
    if value == "url" and named != ["text"]:
        raise UsageError("value='url' needs text: a part of the address to wait for.")
    if value == "gone" and not named:
        raise UsageError("value='gone' needs text, ref or selector.")
    seconds = 0.0
    if value and value not in WORDS:
        seconds = _seconds(value)
        if named:
            raise UsageError(f"Wait for {named[0]} or for {value} seconds, not both.")
    elif not named and not value:
        value = "idle"
    return WaitCondition(text=text or "", ref=ref, selector=selector, value=value, seconds=seconds)


def wait_conditions(params: Wait) -> list[WaitCondition]:
    """Return what is meant, in the order in which it is waited for; raises `UsageError`."""
    arrivals = arrivals_in(params.value or "")
    conditions = []
    if url := arrivals.get("url"):
        conditions.append(WaitCondition(value="address", text=url))
    if params.text or params.ref or params.selector or not arrivals:
        fields = params.model_copy(update={"value": None}) if arrivals else params
        conditions.append(wait_condition(fields))
    if request := arrivals.get("request"):
        since = float(arrivals["since"]) if "since" in arrivals else None
        conditions.append(WaitCondition(value="request", text=request, since=since))
    return conditions


@action("browser", effect="read", asks_person=True)
async def wait(params: Wait, ctx: "Context[BrowserRegistry]") -> Result:
    """Wait for a text, an element, or for the page to come to rest.

    `text`, `ref` or `selector` is waited for until it is visible, with `value=gone` until it is
    not. `value=load` waits for everything in the page, images too; `value=idle`, which is meant
    where nothing is given, until no request runs and nothing has changed for half a second.
    `url` and a request are waited for together with that.
    Answers with what changed; what does not come about within `timeout` (30 s) is an error. Other
    actions wait for what they start: this one is for what a page does by itself. Meanwhile
    `snapshot`, `text` and pictures of the page are had as ever.
    """
    conditions = wait_conditions(params)
    limit = params.timeout or LIMIT
    until = monotonic() + max(limit - MARGIN, limit / 2)
    async with interaction.using_page(ctx) as state:
        effects = interaction.Effects(state, waits=False)
        await effects.begin()
        began, until = monotonic(), until + ctx.consent.seconds
        async with state.tab.turns.lend():
            if seconds := conditions[0].seconds:
                await _sleep(state, min(seconds, max(0.0, until - began)))
                sentences = [f"Waited for {monotonic() - began:.3g} s."]
            else:
                sentences = [await _poll(state, what, effects, until, limit) for what in conditions]
        answer = interaction.response_for(ctx)
        answer.add(*dict.fromkeys(sentences))
        if conditions[-1].value == "request":
            answer.data["sent"] = answered_at(state, conditions[-1].text, conditions[-1].since)
        if STOPPED in sentences:
            answer.data["met"] = False
        await effects.settle(patient=False)
        await effects.tell(answer, own=True)
        return answer.result(state.tab)


async def _poll(
    state: "PageState", what: WaitCondition, effects: "Effects", until: float, limit: float
) -> str:
    sight = Sight(state, what.text, gone=what.value == "gone", until=until)
    check, name, step = await _check(state, what, effects, sight), _name(state, what), FIRST_STEP
    success, failure = SENTENCES[what.value]
    is_known, last_step = False, IDLE_STEP if what.value == "idle" else LAST_STEP
    while not (is_so := await _is_so(state, check, until)):
        if state.tab.dialog is not None:
            return STOPPED
        is_known |= is_so is not None
        if (left := until - monotonic()) <= 0:
            if not is_known:
                raise too_large(name) if sight.is_cut else not_answered()
            raise ActionError(
                f"{failure.format(name)} within {limit:g} s.",
                hint=_unfinished(state),
                code="timeout",
                retryable=True,
            )
        await _sleep(state, min(max(step, sight.rest), left))
        step = min(step * 1.5, last_step)
    return success.format(name)


async def _is_so(state: "PageState", check: Check, until: float) -> bool | None:
    try:
        async with asyncio.timeout(max(0.0, until - monotonic()) + MARGIN / 2):
            return await state.activity.race(check(), state.tab.dialog_opened.is_set)
    except TimeoutError:
        return None


async def _check(
    state: "PageState", what: WaitCondition, effects: "Effects", sight: Sight
) -> Check:
    activity, page = state.activity, state.tab.page

    async def loaded() -> bool:
        return activity.loaded and not activity.leaving

    async def in_address() -> bool:
        return what.text in page.url

    async def at_address() -> bool:
        return is_at(what.text, page.url) and not activity.leaving

    async def answered() -> bool:
        return answered_at(state, what.text, what.since) is not None

    rests = Rest(activity, effects).look
    named = {"load": loaded, "idle": rests, "url": in_address}
    if ask := (named | {"address": at_address, "request": answered}).get(what.value):
        return ask
    if what.text:
        return sight.look
    shown = await _shown(state, what)
    return lambda: _visible(shown, gone=what.value == "gone")


async def _shown(state: "PageState", what: WaitCondition) -> Check:
    if what.selector:
        selector = f"{what.selector} >> visible=true"
        await interaction.resolve(state, selector)
        return lambda: _any(state, selector)
    if interaction.is_target(what.ref or ""):
        target = interaction.clean_ref(what.ref or "")
        interaction.read_target(target)
        return lambda: interaction.is_target_shown(state, target)
    element = await interaction.find_element(state, what.ref, None)
    assert element is not None
    return lambda: _has_place(state, element)


async def _any(state: "PageState", selector: str) -> bool:
    return bool((await interaction.resolve(state, selector)).count)


async def _has_place(state: "PageState", element: "Element") -> bool:
    return bool((await state.ask_ref(element.node_id, "shown")).get("shown"))


async def _visible(shown: Check, *, gone: bool) -> bool:
    try:
        return await shown() != gone
    except ContextDestroyed:
        return False


async def _sleep(state: "PageState", seconds: float) -> None:
    opened = asyncio.ensure_future(state.tab.dialog_opened.wait())
    try:
        await asyncio.wait({opened}, timeout=seconds)
    finally:
        opened.cancel()


def _name(state: "PageState", what: WaitCondition) -> str:
    known = state.refs.get(interaction.clean_ref(what.ref)) if what.ref else None
    if known is not None and what.ref:
        return interaction.called(known.role, known.name, interaction.clean_ref(what.ref))
    if what.ref:
        return interaction.clean_ref(what.ref)[:200]
    return repr((what.selector or what.text)[:200])


def _unfinished(state: "PageState") -> str:
    waiting = state.activity.busy
    if waiting:
        url = clip(state.tab.secrets.hide(waiting[0].url))
        return f"The page still waits for {waiting[0].method} {url}."
    return "`snapshot` shows what is there."


def _seconds(value: str) -> float:
    try:
        seconds = float(value.removesuffix("s"))
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= MOST_SECONDS:
        raise UsageError(
            f"value={value!r} is nothing to wait for.",
            hint=f"Valid: {', '.join(WORDS)}, up to {MOST_SECONDS:,.0f} seconds, or POST /path.",
        )
    return seconds
