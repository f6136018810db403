"""The table `[batch]`: how a batch is run."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from strap.api.declarations import LOCAL
from strap.config import Config
from strap.config.tables import from_environment, merged, with_json
from strap.config.validation_words import describe_error
from strap.errors import StartupError

Artifacts = Literal["none", "failed", "all"]
Rate = Annotated[float, Field(gt=0)]


class BatchOptions(BaseModel):
    """The table `[batch]`; options of the command line win."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    engine: str = LOCAL
    """Engine for the items: `local` is one process; plugins add others (`strap plugins`)."""
    address: str | None = None
    """Its cluster, as `host:port`; `auto`: the one of this machine; left out: one of its own."""
    insecure: bool = False
    """Whether a cluster on other machines may be used without a token."""
    workers: int = Field(default=0, ge=0)
    """Workers of the engine, a CPU each; 0: as many as there are CPUs."""
    worker_wait: float = Field(default=60, gt=0)
    """Seconds to wait for a worker to start, or to come back."""
    concurrency: PositiveInt = 4
    """Items at a time in a worker."""
    chunk: PositiveInt = 10
    """Items that such a worker has ahead, and returns at a time, as long as they are quick."""
    retries: int = Field(default=2, ge=0)
    """Further attempts of an item that fails with an error that may go away."""
    worker_losses: PositiveInt = 3
    """Losses of a worker after which the item that it ran is given up."""
    item_timeout: float = Field(default=900, gt=0)
    """Seconds of one attempt."""
    per_host: int = Field(default=4, ge=0)
    """Items at a time whose first address is of the same host; 0: as many as there are."""
    rate: dict[str, Rate] = {}
    """Items a second, by host."""
    artifacts: Artifacts = "none"
    """Runs of the agent kept as archives in `artifacts/`: `none`, `failed` or `all`."""
    artifact_mb: PositiveInt = 20
    """Megabytes of such an archive; a larger one is not kept."""
    once: bool = False
    """Whether no item is ever run twice, even if nobody knows what became of it."""
    drain: float = Field(default=30, ge=0)
    """Seconds for items in flight after a signal."""


def read(config: Config, **options: Any) -> BatchOptions:
    """Read `[batch]` and `STRAP_BATCH__KEY`; `options` wins, None is not. Raises `StartupError`."""
    values = merged(config.batch, from_environment("BATCH", config.environ))
    values |= {key: value for key, value in options.items() if value is not None}
    try:
        try:
            return BatchOptions.model_validate(values)
        except ValidationError as error:
            return BatchOptions.model_validate(with_json(values, error))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(("batch", *map(str, first["loc"])))
        raise StartupError(f"Setting {where!r}: {describe_error(first)}.") from None


def of_workers(config: Config, files: Path, options: BatchOptions) -> Config:
    """Return the configuration of workers: no launches, isolated items, outputs in `files`."""
    browser = {
        "auto_launch": True,
        "max_runs": min(options.concurrency, 16),  # the most that the setting takes
        "profiles": {"nebo": {"ephemeral": True}},
    }
    plugins = merged({"browser": browser}, config.plugins)
    return replace(config, outputs=files, plugins=plugins)
