"""Request for a run, everything checked, and who may be asked meanwhile."""

import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from strap import Caller, Sample, Secrets, VettedURL, record
from strap_agent.browser_lease import OpenLease
from strap_agent.contract import Mode
from strap_agent.limits import Limits
from strap_agent.models.select import ModelChoice
from strap_agent.person.consent import RunConsent
from strap_agent.person.pause import Inviting
from strap_agent.person.run_flow import RunFlow
from strap_agent.sites import Sites

GRACE = 1.7
"""Seconds after the end of the budget within which everything is done and the answer sent."""
LOOPBACK = re.compile(r"^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$")


@record
class EvalFields:
    """The fields of `eval`, as the action's own class has validated and described them."""

    url: str
    task: str
    mode: Mode | None
    budget_s: float | None
    max_steps: int | None
    step_timeout_s: float | None
    llm_timeout_s: float | None
    headless: bool | None
    state_id: str | None
    schema_: str | None
    profile: str | None
    target_id: str | None
    detach: bool
    session: str | None
    urls: list[str]


@record
class RunRequest:
    """A run that may begin."""

    target: VettedURL
    task: str
    mode: Mode
    limits: Limits
    choice: ModelChoice
    owner: str
    lease: OpenLease
    check: Callable[[str, VettedURL | None], Awaitable[VettedURL]]
    """Raises `StrapError` where a page may not ask for an address."""
    sites: Sites | None = None
    """Those that its documents may be of, None where there is no login: of all."""
    consent: RunConsent | None = None
    """Asks a person before what they have to agree to; None: nothing is of that kind."""
    flow: RunFlow | None = None
    """Decides on what the agent gives to pages; None: nothing private can be met."""
    invite: Inviting | None = None
    """Asks the person before the caller's client; None where that offers none."""
    detach: bool = False
    """Whether the caller is answered at once, and asks for the end later."""
    stays: bool = False
    """Whether the page of the lease is at `target` already."""
    sampled: bool = False
    """Whether a picture of how its page looks is kept every two seconds, watched or not."""
    vision: bool = True
    judge: bool = False
    schema: Any = None
    max_tokens: int | None = None
    """The size of `result` that the caller asked for, if it did."""
    storage_state: dict[str, Any] | None = None
    sample: Sample | None = None
    progress: Callable[[str, float, float], Awaitable[None]] | None = None
    secrets: Secrets = field(default_factory=Secrets)
    """Filled in where the task names them; hidden in whatever the model sees and what is stored."""
    began: float = field(default_factory=time.monotonic)
    """When the call came, by the monotonic clock: the budget counts from then."""

    @property
    def left(self) -> float:
        """Seconds that are left of the budget; less than none when it is over."""
        return self.began + self.limits.budget_s - time.monotonic()

    @property
    def base(self) -> str:
        """Scheme, host and port of the site."""
        parts = urlsplit(self.target.url)
        return f"{parts.scheme}://{parts.netloc}"


def principal_of(caller: Caller) -> str:
    """Return whose the runs are that outlive their calls and sessions; no session is called *."""
    return f"{caller.principal}/*" if caller.transport == "http" else "local"


def owner_of(caller: Caller, handle: str | None) -> str:
    """Return whose a caller's runs are; `handle` is the `session` of the call."""
    if caller.transport != "http":
        return "local"
    handle = caller.session or handle
    return f"{caller.principal}/{handle}" if handle else caller.principal


def default_mode(url: str) -> Mode:
    """Return `dev` for a page of this machine, which its own developer looks at."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return "compact"
    return "dev" if LOOPBACK.match(f"[{host}]" if ":" in host else host) else "compact"
