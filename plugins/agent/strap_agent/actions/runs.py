"""The actions on runs of the agent: eval and what tells about its runs."""

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from strap import Context, FailedCall, Params, Result, StringList, action
from strap_agent.models.agent_extra import AGENT
from strap_browser.api import MOST_SECONDS, MOST_STEPS, PROFILE_NAME

if TYPE_CHECKING:
    from strap_agent.state import AgentState
    from strap_browser.api import BrowserSettings


POLL = 50.0
"""Seconds for `get_run`, unless the call says otherwise: many clients give up at 60."""
SPARE, LONGEST_LOOK = 1.0, 45.0
"""Seconds of that in which the answer is made, and for which the end is waited at most."""
KINDS = ("agent", "console", "network", "result")


class Eval(Params):
    """Fields of `eval`."""

    url: str = Field(max_length=8_192)
    """Page to begin at; without a scheme: http on this machine and at other ports, else https.
    Empty with target_id: where that page is."""
    task: str = Field(min_length=1, max_length=20_000)
    """Task or question, in plain words."""
    mode: Literal["compact", "dev"] | None = None
    """dev adds excerpts of console and network errors; left out: dev for pages of this machine."""
    budget_s: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    """Seconds for the whole run."""
    max_steps: int | None = Field(default=None, gt=0, le=MOST_STEPS)
    """Steps that the agent may take."""
    step_timeout_s: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    """Seconds for a step."""
    llm_timeout_s: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    """Seconds for an answer of the model."""
    headless: bool | None = None
    """Whether the run's own browser has no window."""
    state_id: str | None = Field(default=None, pattern=PROFILE_NAME)
    """Saved login to start with, in a browser of its own."""
    schema_: str | None = Field(default=None, alias="schema", max_length=50_000)
    """JSON Schema, as a JSON string, that the answer must fit."""
    profile: str | None = Field(default=None, pattern=PROFILE_NAME)
    """Work in this profile's running browser, with its logins; left out: in a fresh browser."""
    target_id: str | None = Field(default=None, max_length=32)
    """Work on this page of yours, as list_pages names it, and leave it open."""
    urls: StringList = Field(default_factory=list, max_length=100)
    """Further sites that a run with state_id, profile or target_id may open, by an address of
    each, beside those of url and of hosts in the task; * for all."""
    detach: bool = False
    """Answer at once with session_id, for get_run; budget_s is up to 3,600 s then."""

    @field_validator("timeout")
    @classmethod
    def _own_limits(cls, value: float | None) -> float | None:
        if value is not None:
            raise ValueError("eval keeps its own limits; give budget_s instead")
        return value

    @model_validator(mode="after")
    def _begins_somewhere(self) -> Self:
        if not self.url and self.target_id is None:
            raise ValueError("url must have at least 1 character")
        return self


class RunParams(Params):
    """Base of the parameters about one run."""

    session_id: str = Field(max_length=1_024)
    """The run, as eval or list_runs names it."""


class GetRun(RunParams):
    """Fields of `get_run`."""

    value: Literal["resume"] | None = Field(default=None, json_schema_extra={"advertised": False})
    """resume: make the call again that a detached crawl is to go on with, after it was lost."""


class GetRunEvents(RunParams):
    """Fields of `get_run_events`."""

    last_n: int = Field(default=50, ge=0, le=200)
    """How many, the newest first."""
    event_types: StringList = Field(default_factory=list)
    """Kinds: agent, console, network; left out: all. Or result: the whole of a long answer."""
    has_error: bool | None = None
    """Only those with an error, or only those without."""
    from_timestamp: float | None = None
    """Only those since then, in seconds since 1970."""
    text: str | None = Field(default=None, max_length=1_000)
    """Only those that contain this."""
    start: int = Field(default=0, ge=0)
    """How many of the newest to pass over; of `result` the character to read on from."""
    include_details: bool = False
    """Whether to give each event's details as well."""

    @field_validator("event_types")
    @classmethod
    def _kinds(cls, value: list[str]) -> list[str]:
        for kind in value:
            if kind not in KINDS:
                raise ValueError(
                    f"{kind[:80]!r} is not a valid kind of event (valid: {', '.join(KINDS)})"
                )
        if "result" in value and len(value) > 1:
            raise ValueError("'result' goes with no other kind")
        return value


class GetScreenshots(RunParams):
    """Fields of `get_screenshots`."""

    last_n: int = Field(default=5, ge=0, le=20)
    """How many, the newest first."""
    screenshot_type: Literal["agent_step", "stream_sample", "all"] = "agent_step"
    """Kind: pictures of steps, or samples of how the page looked meanwhile."""
    has_error: bool | None = None
    """Only those of failed steps, or only the others."""
    start: int = Field(default=0, ge=0)
    """How many of the newest to pass over."""
    include_images: bool = True
    """Whether to give the pictures, or only what is known of them."""


class ListRuns(Params):
    """Fields of `list_runs`."""

    limit: int = Field(default=10, ge=1, le=100)
    """Number of items."""


def _refused(failed: FailedCall) -> Result:
    from strap_agent.result.refusal import refused

    return refused(failed)


async def _prepare(state: "AgentState", settings: "BrowserSettings") -> None:
    from strap_agent.models.select import choose

    runs = state.runs
    choice = choose(settings, sampling=False, environments=runs.environments)
    await runs.prepare(choice.modules)


@action(
    "browser",
    effect="write",
    timeout=None,
    extra=AGENT,
    render_error=_refused,
    asks_caller=True,
    asks_person=True,
    includes=("navigate", "screenshot", "snapshot", "text"),
    prepare=_prepare,
)
async def eval_(params: Eval, ctx: "Context[AgentState]") -> Result:
    """Let a browser agent carry out a task on a site, and answer with one JSON object.

    The object is `gsd-browser.web_eval_agent.v1`: `status` is success, partial or failed,
    `result` the answer, `summary` what mattered, `stop_reason` why it ended; `session_id` gets the
    events and screenshots. Not to be confused with `evaluate`, which runs JavaScript on a page.
    """
    from strap_agent.actions.operations import carry_out
    from strap_agent.request import EvalFields

    await _confirm(params, ctx)
    values = {field.name: getattr(params, field.name) for field in fields(EvalFields)}
    arguments = params.model_dump(by_alias=True)
    return await carry_out(EvalFields(**values), arguments, ctx, ctx.state.invitation(ctx))


async def _confirm(params: Eval, ctx: "Context[AgentState]") -> None:
    """Ask a person for the run, where that is needed; raises `PolicyDenied`.

    What the agent does in it is asked about when it does it.
    """
    where = params.url
    if ctx.consent.concerned and not where:
        where = (await ctx.state.browsers.peek(ctx)).page.url
    await ctx.consent.by_fields(where)


@action("browser", effect="read", timeout=POLL)
async def get_run(params: GetRun, ctx: "Context[AgentState]") -> Result:
    """Wait for a run up to `timeout`, at most 45 s, and answer with its JSON object.

    A run that goes on has a `state` (queued, running or waiting), a step, and a last action. Make
    the call again then. `value=resume` starts a new run that continues a detached crawl, if that
    was lost, cancelled or out of time.
    """
    from strap_agent.actions.operations import look, resume

    if params.value == "resume":
        return await resume(params.session_id, ctx)
    return await look(params.session_id, min((params.timeout or POLL) - SPARE, LONGEST_LOOK), ctx)


@action("browser", effect="read", extra=AGENT)
async def get_run_events(params: GetRunEvents, ctx: "Context[AgentState]") -> Result:
    """Tell what happened in a run: steps of the agent, console messages, requests."""
    from strap_agent.actions.queries import events
    from strap_agent.store.records import Query

    query = Query(
        last_n=params.last_n,
        types=tuple(params.event_types),
        has_error=params.has_error,
        since=params.from_timestamp,
        text=params.text,
        start=params.start,
    )
    return events(params.session_id, query, ctx, details=params.include_details)


@action("browser", effect="read", extra=AGENT)
async def get_screenshots(params: GetScreenshots, ctx: "Context[AgentState]") -> Result:
    """Show the screenshots of a run, newest first."""
    from strap_agent.actions.queries import screenshots
    from strap_agent.store.records import Query

    query = Query(last_n=params.last_n, has_error=params.has_error, start=params.start)
    kind, pictures = params.screenshot_type, params.include_images
    return screenshots(params.session_id, query, ctx, kind=kind, pictures=pictures)


@action("browser", effect="read")
async def list_runs(params: ListRuns, ctx: "Context[AgentState]") -> Result:
    """List your runs and detached calls, newest first, those that still go on included."""
    from strap_agent.actions.operations import runs

    return runs(params.limit, ctx)


@action("browser", effect="write")
async def cancel_run(params: RunParams, ctx: "Context[AgentState]") -> Result:
    """End a run that goes on; the call that began it answers at once."""
    from strap_agent.actions.operations import cancel

    return cancel(params.session_id, ctx)


AGENT_ACTIONS: tuple[Callable[..., Any], ...] = (
    eval_,
    get_run,
    get_run_events,
    get_screenshots,
    list_runs,
    cancel_run,
)
