"""The answer of `eval`: one JSON object, version `gsd-browser.web_eval_agent.v1`.

Fields never change their shape; additions are optional.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

VERSION: Literal["gsd-browser.web_eval_agent.v1"] = "gsd-browser.web_eval_agent.v1"
MAX_SUMMARY = 2_000
"""Characters of the summary."""
MAX_WARNINGS = 20
"""Warnings of an answer."""
MAX_LINE = 400
"""Characters of a warning, an error or an excerpt."""
MAX_TOP = 8
"""Errors named in `errors_top`."""
MAX_EXCERPT = 5
"""Lines of console and of network that `dev` mode adds."""

Status = Literal["success", "partial", "failed"]
Mode = Literal["compact", "dev"]
EventKind = Literal["agent", "console", "network"]
StopReason = Literal[
    "done",
    "login_required",
    "bot_wall",
    "impossible_task",
    "budget",
    "max_steps",
    "step_timeout",
    "provider_error",
    "schema_error",
    "browser_error",
    "dns_error",
    "empty_result",
    "not_finished",
    "cancelled",
    "lost",
    "invalid_arguments",
    "paused",
    "needs_confirmation",
    "flow_denied",
]
TIMED_OUT = frozenset({"budget", "max_steps", "step_timeout"})
Line = Annotated[str, Field(max_length=MAX_LINE)]


class Part(BaseModel):
    """Base of the parts of an answer."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=True
    )


class Artifacts(Part):
    """How much of each kind is stored under `session_id`."""

    screenshots: int = Field(default=0, ge=0)
    stream_samples: int = Field(default=0, ge=0)
    run_events: int = Field(default=0, ge=0)


class Timeouts(Part):
    """The limits in force, in seconds and steps, and whether one of them ended the run."""

    budget_s: float
    step_timeout_s: float
    max_steps: int
    timed_out: bool = False
    paused_s: float | None = None
    """Seconds for which a person kept the run waiting, which do not count; left out: none."""


class Usage(Part):
    """Model calls and tokens of a run, the judge included.

    `model_calls` counts failed ones as well. Tokens are those of the answered ones, as the provider
    counts them, and None where one of these did not tell; `cached_tokens` are some of
    `input_tokens`.
    """

    model_calls: int = Field(ge=1)
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None


class PageSeen(Part):
    """The page that was seen last; its address without query and fragment."""

    url: str | None = None
    title: str | None = None


class TopError(Part):
    """One of the errors that matter most."""

    type: Literal["console", "network", "agent", "judge"]
    summary: Line
    step: int | None = None
    url: str | None = None


class DevExcerpts(Part):
    """Errors that a developer of the page wants at once; only in mode `dev`."""

    console_errors: list[Line] = Field(default_factory=list, max_length=MAX_EXCERPT)
    network_errors: list[Line] = Field(default_factory=list, max_length=MAX_EXCERPT)
    ranked_errors: list[TopError] = Field(default_factory=list, max_length=2 * MAX_EXCERPT)


class EvalAnswer(Part):
    """Outcome of a run; `session_id` fetches its events and screenshots."""

    version: Literal["gsd-browser.web_eval_agent.v1"] = VERSION
    session_id: str = Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    tool_call_id: str = Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    url: str
    task: str
    mode: Mode
    status: Status
    result: str | None = None
    summary: str = Field(max_length=MAX_SUMMARY)
    artifacts: Artifacts = Field(default_factory=Artifacts)
    next_actions: list[str] = Field(default_factory=list, max_length=5)
    timeouts: Timeouts
    warnings: list[Line] = Field(default_factory=list, max_length=MAX_WARNINGS)
    page: PageSeen = Field(default_factory=PageSeen)
    errors_top: list[TopError] = Field(default_factory=list, max_length=MAX_TOP)
    stop_reason: StopReason
    usage: Usage | None = None
    """Left out where no model was asked."""
    dev_excerpts: DevExcerpts | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that is answered; without the optional fields that say nothing."""
        data = self.model_dump(mode="json", exclude={"dev_excerpts"} if self.compact else None)
        if self.timeouts.paused_s is None:
            del data["timeouts"]["paused_s"]
        if self.usage is None:
            del data["usage"]
        return data

    @property
    def compact(self) -> bool:
        """Whether there are no excerpts for developers."""
        return self.dev_excerpts is None


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the answer (draft 2020-12)."""
    schema = EvalAnswer.model_json_schema(mode="serialization")
    for optional in ("dev_excerpts", "usage"):
        schema["required"].remove(optional)
    schema["$defs"]["Timeouts"]["required"].remove("paused_s")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": VERSION,
        **schema,
        "title": "Answer",
    }
