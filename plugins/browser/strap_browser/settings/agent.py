"""The settings of the browser agent, a part of `[plugins.browser]`."""

from pydantic import BaseModel, ConfigDict, Field, SecretStr

MOST_SECONDS = 3_600.0
MOST_STEPS = 500


class AgentSettings(BaseModel):
    """Defaults of `eval`, where a call does not say otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    model: str | None = Field(default=None, json_schema_extra={"env": "STRAP_MODEL"})
    """Model of the agent as `provider/model`; left out: the client's own, if it offers it."""
    model_url: str | None = None
    """Base URL of the provider, for compatible servers; left out: the provider's own."""
    model_key: SecretStr | None = None
    """Key of the provider; left out: its usual environment variable, such as OPENAI_API_KEY."""
    fallback_model: str | None = None
    """Model that takes over when the first one fails; used only where its key is there."""
    judge: bool = False
    """Whether a second look of the model judges each result."""
    vision: bool = True
    """Whether the model is sent a screenshot of each step."""
    budget_s: float = Field(default=60, gt=0, le=MOST_SECONDS)
    """Seconds that a run of the agent may take, from the call on."""
    max_steps: int = Field(default=25, gt=0, le=MOST_STEPS)
    """Steps that the agent may take."""
    step_timeout_s: float = Field(default=15, gt=0, le=MOST_SECONDS)
    """Seconds that a step may take; large models need 30."""
    llm_timeout_s: float | None = Field(default=None, gt=0, le=MOST_SECONDS)
    """Seconds that an answer of the model may take; left out: as a step."""
    max_runs: int = Field(default=2, gt=0, le=16)
    """Runs of the agent at a time; others wait, and waiting counts."""
    orphan_s: float = Field(default=600, gt=0, le=MOST_SECONDS)
    """Seconds after which a run ends that waits for a person while its caller does not ask."""
    agent_warm: bool = False
    """Whether the first call for the browser loads the agent too: its first run begins 1.3 s
    sooner, for 105 MB that stay."""
    runs_days: float = Field(default=7, gt=0)
    """Days that runs are kept."""
    runs_mb: float = Field(default=1024, gt=0)
    """Megabytes that all runs together may take; the oldest go first."""
