"""Settings of browsers that a service lends: which service, how many, for how long."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Provider = Literal["selenium", "browserless", "steel", "browserbase", "cloudflare", "custom"]
Share = Literal["caller", "profile"]


class LeaseRequest(BaseModel):
    """A request to the service, below `cdp_url`.

    In the path and the values of `json`, `{id}` stands for the browser's id, `{ms}` and `{seconds}`
    for `lease_s`; a value that is one of the last two alone becomes a number.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    path: str = Field(pattern="^/")
    body: dict[str, Any] | None = Field(default=None, alias="json")


class KeepAlive(LeaseRequest):
    """A request that keeps a browser, and tells whether it is there."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    every: float = Field(default=60, ge=1)
    """Seconds between two of them."""
    state: str = Field(default="", pattern="^(/|$)")
    """JSON pointer in the answer to what tells whether the browser is there; left out: the status
    of the answer does."""
    alive: str = ""
    """Value at `state` while the browser is there."""


class LeaseTable(BaseModel):
    """How a service lends browsers: one that is not known takes this table, and no program."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    create: LeaseRequest | None = None
    """Request for a browser; left out: connecting to `cdp_url` asks for one."""
    address: str = Field(default="", pattern="^(/|$)")
    """JSON pointer to the WebSocket address in the answer to `create`."""
    id: str = Field(default="", pattern="^(/|$)")
    """JSON pointer to the browser's id there."""
    keep_alive: KeepAlive | None = None
    release: LeaseRequest | None = None
    """Request that gives a browser back; left out: disconnecting does."""
    most_s: int | None = Field(default=None, gt=0)
    """The most seconds that the service grants; `lease_s` above it is cut to that."""
    query: dict[str, str] = {}
    """Parameters of the address that services want to find their key in: the name of each, and
    that of the header field of the profile whose value it gets."""
    hosts: tuple[str, ...] = ()
    """Hosts where its browsers are, beside that of `cdp_url`."""


class LeaseSettings(BaseModel):
    """The part of a profile of driver `cdp` whose browsers are lent."""

    model_config = ConfigDict(defer_build=True)

    provider: Provider | None = None
    """Service that lends browsers, at `cdp_url`; left out: one browser runs there already."""
    max_browsers: int = Field(default=20, gt=0)
    """Browsers that this process has of the service at a time."""
    queue_s: float = Field(default=20, ge=0)
    """Seconds to wait for one of them; then a call fails with `full`."""
    lease_s: int = Field(default=1800, gt=0)
    """Seconds that the service is asked to keep a browser, where it takes such a wish."""
    idle_s: float = Field(default=300, gt=0)
    """Seconds without a call after which a browser is given back."""
    share: Share = "caller"
    """Whether each caller has a browser of its own, or all of the `profile` have one."""
    lease: LeaseTable | None = None
    """Table `lease` of provider `custom`: its requests."""


LEASING = tuple(LeaseSettings.model_fields)
