"""The browser that a run works in: checks of what its caller asked for, and what opens it."""

from functools import partial

from strap import Context, UsageError
from strap_agent.browser_lease import (
    OpenLease,
    lent_browser,
    own_browser,
    page_of_caller,
    page_of_profile,
)
from strap_agent.person.run_flow import RunFlow
from strap_agent.request import EvalFields
from strap_agent.state import AgentState
from strap_agent.store.saved_login import SavedLogin
from strap_browser.api import (
    DEFAULT_PROFILE,
    BrowserSettings,
    LeasedDriver,
    LeasePool,
    Profile,
    refuse_dialog,
)

Ctx = Context[AgentState]


async def check_browser(params: EvalFields, ctx: Ctx) -> None:
    """Raise `UsageError` for a page or profile that the agent cannot work in."""
    if params.target_id is not None:
        if params.state_id is not None or params.headless is not None:
            raise UsageError("target_id is an open page: state_id and headless do not go with it.")
        profile = ctx.state.browsers.profile(ctx)
        _refuse_foreign(profile, "target_id")
        if "agent_page" not in profile.driver.can:
            raise UsageError(
                f"eval does not work on pages of profile {profile.name!r}, as it is not strap's own"
                " browser.",
                hint="Leave target_id out.",
            )
        refuse_dialog(await ctx.state.browsers.peek(ctx))
    elif lease_pool(params, ctx) is None and params.profile is not None:
        _check_profile(params, params.profile, ctx)


def _check_profile(params: EvalFields, name: str, ctx: Ctx) -> None:
    if params.state_id is not None or params.headless is not None:
        raise UsageError("profile is a running browser: state_id and headless do not go with it.")
    profile = ctx.state.browsers.profiles.get(name)
    if profile is None:
        raise UsageError(ctx.state.browsers.unknown(name))
    _refuse_foreign(profile, "profile")
    if "agent" not in profile.driver.can:
        raise UsageError(
            f"eval does not work in profile {profile.name!r}, which is not strap's own browser.",
            hint="Leave profile out.",
        )


def lease_of(
    params: EvalFields, ctx: Ctx, login: SavedLogin | None, flow: RunFlow | None
) -> OpenLease:
    """Return what opens the browser of a run, after `check_browser`."""
    assert isinstance(ctx.settings, BrowserSettings)
    if params.target_id is not None:
        lent = partial(ctx.state.browsers.lent, ctx, blank_ok=bool(params.url))
        return partial(page_of_caller, lent)
    pool = lease_pool(params, ctx)
    if pool is not None:
        return partial(lent_browser, pool, login)
    ctx.state.browsers.memory.check()
    if params.profile is None:
        return partial(
            own_browser,
            ctx.settings,
            ctx.state.runs.work,
            ctx.guard if flow is None else ctx.guard.also(flow.gate.check),
            headless=params.headless,
            login=login,
        )
    profile = ctx.state.browsers.profiles[params.profile]
    isolated = profile.isolates(ctx.caller)
    return partial(page_of_profile, profile, ctx.caller_key, isolated=isolated)


def _refuse_foreign(profile: Profile, field: str) -> None:
    if "devtools" not in profile.driver.can:
        raise UsageError(
            f"eval does not work in profile {profile.name!r}: the agent drives Chromium alone.",
            hint=f"Leave {field} out.",
        )


def lease_pool(params: EvalFields, ctx: Ctx) -> LeasePool | None:
    """Return the pool of a profile whose browsers a service lends; raises `UsageError`."""
    profile = ctx.state.browsers.profiles.get(params.profile or DEFAULT_PROFILE)
    if profile is None or not isinstance(profile.driver, LeasedDriver):
        return None
    if params.headless is not None:
        raise UsageError(f"headless is up to the service that lends profile {profile.name!r}.")
    pool = profile.driver.pool
    if pool.service.recipe.create is None:
        raise UsageError(
            f"eval does not work in profile {profile.name!r}: each connection there is a browser"
            " of its own, and a run has two.",
            hint="Use a provider that creates sessions.",
        )
    return pool
