"""Carrying out the actions on runs: orders from parameters, answers from the store."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from strap import ActionError, Context, Result, StrapError, UsageError, with_scheme
from strap_agent.actions.queries import as_json, find, fitting, from_store, head, owner, owners
from strap_agent.actions.run_browser import check_browser, lease_of, lease_pool
from strap_agent.browser_lease import approving, guard_of
from strap_agent.lifecycle.detached_call import DetachedCall, call_to_resume
from strap_agent.lifecycle.progress import begun, progress, state_of
from strap_agent.limits import Limits, limits
from strap_agent.models.select import ModelChoice, choose
from strap_agent.person.consent import OF_RUNS, RunConsent
from strap_agent.person.pause import Inviting
from strap_agent.person.run_flow import flow_of
from strap_agent.request import EvalFields, RunRequest, default_mode, principal_of
from strap_agent.result.refusal import as_result, refusal, stored
from strap_agent.run import Run
from strap_agent.schema_checks import parse_schema
from strap_agent.sites import Sites
from strap_agent.state import AgentState
from strap_agent.store.records import RunRecord
from strap_agent.store.saved_login import saved_login
from strap_browser.api import BrowserSettings, Profile, clip, is_web

Ctx = Context[AgentState]
LOOK = 0.25
"""Seconds between two looks at a run that is waited for, which other processes may end."""


async def carry_out(
    params: EvalFields, arguments: Mapping[str, Any], ctx: Ctx, invite: Inviting | None = None
) -> Result:
    """Carry out a task; whatever happens, the answer is the contract's object.

    A refusal repeats the `arguments` as the caller gave them. `invite` asks the person before the
    caller's client.
    """
    if params.detach:
        ctx.consent.leave_client()
    try:
        request = replace(await _request(params, ctx), invite=None if params.detach else invite)
        await ctx.state.runs.check(request)
    except StrapError as error:
        answer = refusal(error, arguments, _settings(ctx))
        hide = ctx.config.secrets.hide
        return stored(answer, ctx.state.runs.store, owner=owner(ctx), hide=hide)
    if request.detach:
        session_id = ctx.state.runs.detach(request)
        return begun(session_id, ctx.state.runs.going_on(session_id))
    return as_result(await ctx.state.runs.carry_out(request))


async def _request(params: EvalFields, ctx: Ctx) -> RunRequest:
    settings = _settings(ctx)
    login = None
    if params.target_id is None and (params.profile is None or lease_pool(params, ctx) is not None):
        login = await asyncio.to_thread(saved_login, ctx.config.home, params.state_id)
    url = await _address(params, ctx)
    schema = None if params.schema_ is None else parse_schema(params.schema_)
    if ctx.config.secrets:
        ctx.config.secrets.check(params.task)
    flow = flow_of(ctx, url, params.task, params.urls, has_login=_has_login(params))
    lease = partial(approving, lease_of(params, ctx, login, flow), ctx)
    sample = None if params.detach else ctx.caller.sample
    choice = choose(settings, sampling=sample is not None, environments=ctx.config.environments)
    guard = guard_of(_profile(params, ctx), settings, ctx.guard)
    target = await guard.check(url)
    return RunRequest(
        target=target,
        task=params.task,
        mode=params.mode or default_mode(url),
        limits=_limits(params, settings, ctx, choice),
        choice=choice,
        owner=principal_of(ctx.caller) if params.detach else owner(ctx),
        detach=params.detach,
        lease=lease,
        consent=_consent(ctx),
        flow=flow,
        stays=not params.url,
        check=guard.check,
        sites=_sites(params, target.url),
        sampled=settings.live.samples == "runs",
        vision=settings.vision,
        judge=settings.judge,
        schema=schema,
        max_tokens=ctx.max_tokens,
        storage_state=login.storage if login else None,
        sample=sample,
        progress=None if params.detach else ctx.progress,
        secrets=ctx.config.secrets,
        began=ctx.call.began,
    )


def _sites(params: EvalFields, url: str) -> Sites | None:
    """Return what a run is confined to where its browser may have a login."""
    return Sites(url, params.task, params.urls) if _has_login(params) else None


def _has_login(params: EvalFields) -> bool:
    return (params.state_id, params.profile, params.target_id) != (None, None, None)


def _consent(ctx: Ctx) -> RunConsent | None:
    actions = [name for name in ctx.consent.may_need("browser") if name not in OF_RUNS]
    if not (actions or ctx.state.browsers.approvals.hosts):
        return None
    return RunConsent(ctx.consent, ctx.config.secrets, actions)


def _limits(params: EvalFields, settings: BrowserSettings, ctx: Ctx, choice: ModelChoice) -> Limits:
    seen, own = ctx.report is not None, choice.spec is None
    return limits(params, settings, ctx.caller, seen=seen, client_model=own, detached=params.detach)


def _profile(params: EvalFields, ctx: Ctx) -> Profile | None:
    if params.target_id is not None:
        return ctx.state.browsers.profile(ctx)
    return ctx.state.browsers.profiles.get(params.profile or "")


async def _address(params: EvalFields, ctx: Ctx) -> str:
    """Return where a run begins; raises `UsageError`, first for a browser that is unfit."""
    await check_browser(params, ctx)
    if params.url:
        return with_scheme(params.url)
    tab = await ctx.state.browsers.peek(ctx)
    if not is_web(tab.page.url):
        raise UsageError(f"The page {tab.handle} is blank.", hint="Give url as well.")
    return tab.page.url


@from_store
def runs(limit: int, ctx: Ctx) -> Result:
    """Answer with the caller's newest runs."""
    listed = [
        head(record)
        | {
            "state": state_of(record, ctx.state.runs.going_on(record.session_id)),
            "url": record.url,
            "task": clip(record.task, 120),
            "started": round(record.started, 3),
            "duration_s": record.seconds,
            "steps": record.steps,
        }
        for record in ctx.state.runs.store.runs(owners=owners(ctx), limit=limit)
    ]
    shown = fitting(listed, ctx)
    notes = ctx.state.runs.store.notices()
    if len(shown) < len(listed):
        notes.append(f"{len(listed) - len(shown)} older ones left out: give a larger max_tokens.")
    data: dict[str, Any] = {"runs": shown} | ({"note": " ".join(notes)} if notes else {})
    return as_json(data)


async def look(session_id: str, seconds: float, ctx: Ctx) -> Result:
    """Answer with the object of a run once it is over, within `seconds` else with how far it is."""
    runs, until = ctx.state.runs, time.monotonic() + seconds
    while True:
        record, run = find(session_id, ctx), runs.going_on(session_id)
        if record.answer is not None:
            answer = json.dumps(record.answer, ensure_ascii=False)
            failed = record.answer["status"] == "failed"
            return Result(text=answer, data=record.answer, is_error=failed, whole=True)
        if isinstance(run, Run):
            run.polled = time.monotonic()
        if (left := until - time.monotonic()) <= 0:
            return _progress(record, run, ctx)
        await asyncio.sleep(min(left, LOOK))


@from_store
def _progress(record: RunRecord, run: Run | DetachedCall | None, ctx: Ctx) -> Result:
    return progress(record, run, ctx.state.runs.store)


async def resume(session_id: str, ctx: Ctx) -> Result:
    """Make the call with which a run goes on that ended too early."""
    record = find(session_id, ctx)
    if (call := call_to_resume(record)) is None:
        raise ActionError(
            f"The run {record.session_id!r} is {state_of(record, None)}: nothing goes on with it.",
            hint="Only detached crawls that were lost, cancelled or out of time can go on.",
            code="not_resumable",
        )
    return await ctx.web(**call)


@from_store
def cancel(session_id: str, ctx: Ctx) -> Result:
    """End a run of the caller."""
    record = find(session_id, ctx)
    if (run := ctx.state.runs.going_on(record.session_id)) is not None:
        run.stop("cancelled")
        return Result(text=f"Cancelled the run {record.session_id}.")
    if record.answer is not None:
        return Result(
            text=f"The run {record.session_id} is over already: {record.status},"
            f" {record.stop_reason}."
        )
    raise ActionError(
        f"The run {record.session_id!r} goes on in another process.",
        hint="Cancel it there; its own budget ends it too.",
        code="not_here",
    )


def _settings(ctx: Ctx) -> BrowserSettings:
    assert isinstance(ctx.settings, BrowserSettings)
    return ctx.settings
