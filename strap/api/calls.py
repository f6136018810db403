"""One call on its way through the router: who calls, what is asked, what an action may use."""

import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from strap.api.declarations import BrowserDriver, Converter
from strap.api.flow import Flow
from strap.api.outputs import Outputs
from strap.api.params import Params
from strap.api.prestart import TakeHelper
from strap.api.questions import Asker, Confirm, Invite, Question
from strap.api.results import Detached, Result
from strap.api.time_limits import limited
from strap.config import Config
from strap.errors import StrapError
from strap.network import Guard, HostPattern, Space
from strap.records import record

Effect = Literal["read", "write"]
Transport = Literal["stdio", "http", "cli", "python"]
State = TypeVar("State")


Handles = Callable[[str | None], tuple[str, bool]]
"""Return the handle of a call that names this one or none, and whether it is new."""


def new_handle(named: str | None) -> tuple[str, bool]:
    """Return a new handle, unless the call names one."""
    return (named, False) if named else (secrets.token_hex(8), True)


class Sample(Protocol):
    """Asks the caller's own model, as MCP sampling does.

    `turns` are `{"role": "user" | "assistant", "parts": [{"type": "text", "text"} | {"type":
    "image", "mime", "data" in base64}, …]}`. Returns the text of the answer; raises `ActionError`.
    """

    async def __call__(self, system: str, turns: Sequence[Mapping[str, Any]]) -> str:
        """Ask, and wait for the answer."""


@record
class Caller:
    """Caller: `principal` is the authenticated identity, `session` the transport's session.

    `session` is None where the transport has none (HTTP with protocol 2026-07-28 and later): then
    state is kept under the handle in the `session` field of the call. `sample` asks the caller's
    own model, None where it offers none. `confirm` asks a person whether an action may act that the
    setting `confirm` names; without it such an action is refused. `invite` shows a person a link
    and asks them to do something there, None where the caller cannot. A program that looks at the
    page itself sets `awaits_news` to false: an action that changed nothing so far, or only what it
    acted on, is then answered without a wait for what else may come of it. `led_from` is the
    network of what named an address, where the caller did not: it may be in no more private one.
    """

    transport: Transport = "python"
    principal: str = "local"
    session: str | None = "local"
    sample: Sample | None = field(default=None, compare=False, repr=False)
    confirm: Confirm | None = field(default=None, compare=False, repr=False)
    invite: Invite | None = field(default=None, compare=False, repr=False)
    awaits_news: bool = field(default=True, compare=False)
    led_from: Space = field(default=Space.LOOPBACK, compare=False, repr=False)
    handles: Handles = field(default=new_handle, compare=False, repr=False)
    """The handles of this caller, where `session` is None; raises `ActionError` for want of one."""


@record
class Call:
    """A validated call. Wrappers may pass on a copy; the policy checks what really runs."""

    resource: str
    action: str
    effect: Effect
    params: Params
    caller: Caller
    began: float = field(default_factory=monotonic, compare=False, repr=False)
    """When it came in, by the monotonic clock."""


CallNext = Callable[[Call], Awaitable[Result]]
"""Next step of a wrapper: the next wrapper, at last the action itself."""
CallWrapper = Callable[[Call, CallNext], Awaitable[Result]]
"""`async (call, call_next) -> Result`: runs around a call, may change, answer or observe it."""


@record
class Denial:
    """The verdict of a `strap_check_call` hook that forbids a call."""

    reason: str
    hint: str = ""


class Progress(Protocol):
    """Receives what a long call reports; `total` is None where it is not known."""

    async def __call__(self, message: str, done: float, total: float | None) -> None:
        """Pass it on."""


@record
class Environment:
    """Environment of a resource, given when its state is opened."""

    config: Config
    guard: Guard
    settings: Any
    """The resource's own settings, an instance of its model."""
    take_helper: TakeHelper = lambda: None
    """Returns what `Resource.helper` declared once, if it was started; it is the caller's then."""
    converters: tuple[Converter, ...] = ()
    drivers: tuple[BrowserDriver, ...] = ()
    """Additions of plugins: converters for more kinds of files, and ways to get browsers."""
    confirm_requests: tuple[HostPattern, ...] = ()
    """Hosts: each request of a page to one of them needs a person's yes."""


class Consent(Protocol):
    """A person's yes to a call, as far as the setting `confirm` wants one."""

    @property
    def concerned(self) -> bool:
        """Whether a call of the action may need a yes, or be forbidden, for its address."""

    @property
    def seconds(self) -> float:
        """How long a person was asked."""

    @property
    def settled(self) -> bool:
        """Whether nothing is left to ask."""

    @property
    def reaches(self) -> bool:
        """Whether there is somebody who may be asked."""

    def needed(self, *urls: str) -> bool:
        """Whether the call needs a yes where it is about these addresses.

        Raises `PolicyDenied` where it is forbidden there.
        """

    def needed_by(self, name: str, *urls: str) -> bool:
        """Whether another action of the resource would need one about these addresses."""

    def denied_by(self, name: str, *urls: str) -> str:
        """Return why another action of the resource is denied there, "" where it is not."""

    def also(self, asker: Asker) -> None:
        """Ask there as well: the first answer counts."""

    def leave_client(self) -> None:
        """Ask the caller's client no more, as it has its answer."""

    def may_need(self, resource: str) -> list[str]:
        """Return the names of the resource's actions that may need a yes, or be denied."""

    def settle(self) -> None:
        """Note that all was asked: what follows asks for itself, or needs no yes."""

    async def by_fields(self, *urls: str | None) -> None:
        """Ask, if it is needed, by what the call itself says."""

    async def by_steps(self, names: Collection[str]) -> None:
        """Ask for a call that makes others, unless a yes is needed for each of these actions."""

    async def ask(
        self, *, target: str = "", urls: tuple[str, ...] = (), masked: Collection[str] = ()
    ) -> None:
        """Ask a person, and return if the answer is yes; raises `PolicyDenied`.

        `masked` fields are told by their length alone.
        """

    async def put(self, question: Question, *, quiet: bool = False) -> None:
        """Ask a person this, and return if the answer is yes; raises `PolicyDenied`.

        Unless it is `quiet` the caller is told now and then that a person is waited for.
        """

    def check_settled(self) -> None:
        """Raise `PolicyDenied` for an action that was to ask for itself and did not."""


@record(frozen=False)
class Context(Generic[State]):
    """Context of an action: all that it may use beside its parameters."""

    call: Call
    state: State
    config: Config
    guard: Guard
    web: Callable[..., Awaitable[Result]]
    """`await ctx.web(resource=…, action=…, …)`: another call of the same caller, by all rules.

    With `led_from`, a `Space`, it is led to no more private network than that.
    """
    check: Callable[..., Call]
    """`ctx.check(resource=…, action=…, …)`: the validated call, not run; raises what it would."""
    detach: Callable[[Detached], Awaitable[Result]]
    """Let the call go on as a run, and return the answer for now; raises `ActionError`."""
    consent: Consent
    """The yes that the call may need: for actions that are declared with `asks_person`."""
    flow: Flow
    """The information-flow guard of the call."""
    settings: BaseModel | None = None
    report: Progress | None = None
    minted: str | None = None
    files: list[Path] = field(default_factory=list)
    """Files that the call wrote into the output folder: clients elsewhere get links to them."""
    _handle: str | None = None
    _steps: float = field(default=0.0, repr=False)

    @property
    def caller(self) -> Caller:
        """Caller of the action."""
        return self.call.caller

    @property
    def handle(self) -> str | None:
        """Handle of the session, None where the transport alone names it; raises `ActionError`.

        Where neither the transport nor the call names a session, it is the caller's only one. If
        there is none a new handle is made, and the router adds it to the answer.
        """
        if self._handle is None:
            self._handle = self.call.params.session
            if self.caller.session is None:
                self._handle, new = self.caller.handles(self._handle)
                self.minted = self._handle if new else None
        return self._handle

    @property
    def caller_key(self) -> str:
        """Key of the caller's own state (pages, cookies): never the same for two callers.

        Raises `ActionError` where it is one of several sessions, and the call names none.
        """
        caller = self.caller
        return "/".join(part for part in (caller.principal, caller.session, self.handle) if part)

    @property
    def outputs(self) -> Outputs:
        """The folder that files may be written to."""
        return Outputs(self.config.outputs, self.files.append)

    @property
    def max_tokens(self) -> int | None:
        """The size of the answer that the caller asked for, if it did."""
        return self.call.params.max_tokens

    def limited(self, seconds: float) -> AbstractAsyncContextManager[Any]:
        """Like `asyncio.timeout`, but for the time in which a person is asked, which is free."""
        return limited(seconds)

    async def progress(
        self, message: str, done: float | None = None, total: float | None = None
    ) -> None:
        """Tell the caller how far a long call is; does nothing where nobody listens.

        A number that is not finite, which no message can have, is as good as none.
        """
        self._steps = self._steps + 1 if done is None or not isfinite(done) else done
        if self.report is not None:
            total = None if total is None or not isfinite(total) else total
            await self.report(message, self._steps, total)


GoOn = Callable[[], Awaitable[Result]]
"""Carries out the action."""
Around = Callable[[Context[Any], GoOn], Awaitable[Result]]
"""`async (context, go_on) -> Result`: may wait, observe or refuse before it awaits `go_on()`."""
Arguments = Mapping[str, Any]
"""The raw arguments of a call, as a transport delivers them."""


@record
class FailedCall:
    """A call that failed before or around its action: what `render_error` is asked to answer."""

    error: StrapError
    arguments: Arguments
    """The fields as the caller gave them, which need not fit the action."""
    caller: Caller
    state: Any
    """That of the resource, None where it could not be opened."""
    config: Config
    settings: BaseModel | None
