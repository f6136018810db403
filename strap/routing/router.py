"""From raw arguments to a `Result`: the only dispatch path."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from strap.api.actions import Action
from strap.api.calls import Call, Caller, CallNext, Context, Environment, FailedCall, Progress
from strap.api.prestart import Prestart
from strap.api.prestarted import Prestarted
from strap.api.results import DEFAULT_MAX_TOKENS, Result, cut
from strap.config import Config
from strap.errors import ActionError, StrapError
from strap.network import Guard, Space
from strap.routing.apart import Apart
from strap.routing.catalog import Catalog
from strap.routing.consent import CallConsent
from strap.routing.flow.sessions import Flows
from strap.routing.lifespans import Lifespan, detach
from strap.routing.plugin_boundary import (
    Blame,
    check_call,
    declared_helper,
    made_wrapper,
    run_wrapped,
    surrounded,
)
from strap.routing.plugins.loader import Plugins
from strap.routing.policy import held_to
from strap.routing.presentation import labelled, presentable
from strap.routing.requests import check_installed, find, validate
from strap.routing.threads import Threads
from strap.routing.watchdog import Watchdog
from strap.text import replace_surrogates

log = logging.getLogger(__name__)
LOCAL = Caller()
MAX_DEPTH = 4
_depth: ContextVar[int] = ContextVar("depth", default=0)


class Router:
    """Routes calls to actions; use it as an async context manager, so that states are closed."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        plugins: Plugins,
        config: Config,
        guard: Guard,
        helpers: Mapping[str, Prestarted] | None = None,
        caller: Caller = LOCAL,
    ) -> None:
        """`helpers` are what was started already, by resource; more may come until it is used.

        `caller` is who calls where nobody else is named.
        """
        self.caller = caller
        self.catalog = catalog
        self.plugins = plugins
        self.config = config
        self.guard = guard
        self._checks = plugins.implementations("strap_check_call")
        self._wraps = plugins.implementations("strap_wrap_call")
        self._guards = {
            a.qualified: held_to(catalog.policy, [a], guard) for a in catalog.actions.values()
        }
        self._where = {
            name: f"{name} of {plugins.describe(owner)}" for name, owner in catalog.owners.items()
        }
        self._threads = {a.qualified: Threads(a.qualified) for a in catalog.blocking}
        self._watchdog: Watchdog | None = None
        self._apart = Apart()
        self._flows = Flows(config)
        self._early = {} if helpers is None else helpers
        self._lifespans = {name: self._lifespan_of(name) for name in catalog.resources}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def __call__(self, **arguments: Any) -> Result:
        """Call from Python: `await web(resource="http", action="fetch", url="https://…")`."""
        return await self.call(arguments, caller=self.caller)

    async def call(
        self,
        arguments: Mapping[str, Any],
        *,
        caller: Caller = LOCAL,
        progress: Progress | None = None,
    ) -> Result:
        """Find, validate and run an action; raises nothing but `StrapError` and cancellation."""
        action: Action | None = None
        fields, hidden = dict[str, Any](), self.config.secrets
        try:
            with Blame("the router"):
                action, fields = find(self.catalog, arguments)
                call = validate(self.catalog, action, fields, caller)
                return presentable(await self._run(action, call, progress), hidden)
        except StrapError as error:
            reported, cause = error, error.__cause__
        finally:
            if action is not None and (early := self._early.get(action.resource)):
                early.abandon_after(action.name)
        if action is None or not action.code.is_loaded or action.render_error is None:
            raise hidden.told(reported) from cause
        failed = FailedCall(
            error=reported,
            arguments=fields,
            caller=caller,
            state=await self._lifespans[action.resource].find(
                self.catalog.owners[action.qualified]
            ),
            config=self.config,
            settings=self.catalog.settings.get(action.resource),
        )
        with Blame(self._where[action.qualified]):
            return presentable(action.render_error(failed), hidden)

    async def answer(
        self,
        arguments: Mapping[str, Any],
        *,
        caller: Caller = LOCAL,
        progress: Progress | None = None,
    ) -> tuple[Result, StrapError | None]:
        """Like `call`, with an error rendered as the result; returns it beside the result."""
        try:
            return await self.call(arguments, caller=caller, progress=progress), None
        except StrapError as error:
            text, _ = cut(replace_surrogates(str(error)), DEFAULT_MAX_TOKENS)
            return Result(text=text, is_error=True), error

    def helpers(self) -> dict[str, Prestart]:
        """Return what is worth starting early for the calls that are allowed, by resource."""
        allowed = self.catalog.advertised_names()
        declared = {name: declared_helper(self._lifespans[name]) for name in allowed}
        return {
            name: replace(helper, actions=tuple(set(helper.actions) & {*allowed[name]}))
            for name, helper in declared.items()
            if helper is not None
        }

    async def prepare(self, name: str) -> None:
        """Load what the first call of an action such as "browser.eval" would wait for.

        Raises `StrapError` where the action is not there, or cannot work.
        """
        action = self.catalog.find(*name.partition(".")[::2])
        check_installed(self.catalog, action)
        with Blame(self._where[action.qualified]):
            state = await self._lifespans[action.resource].get(self._owner(action))
            if action.prepare is not None:
                await action.prepare(state, self.catalog.settings.get(action.resource))

    @property
    def lifespans(self) -> Mapping[str, Lifespan]:
        """The states of the resources, by name."""
        return self._lifespans

    async def end_session(self, key: str) -> None:
        """Release what the caller with this `Context.caller_key` holds in any resource."""
        self._flows.end(key)
        await asyncio.gather(*(span.end_session(key) for span in self._lifespans.values()))

    def end_calls(self, seconds: float, of: asyncio.Task[Any] | None = None) -> None:
        """End the call that the task `of` makes, else all, and take no more.

        Each is answered, in `seconds` at the latest.
        """
        self._apart.end(seconds, of)

    async def aclose(self) -> None:
        """End actions that were left behind, then close every open state, all at the same time."""
        await self._apart.aclose()
        await asyncio.gather(*(span.aclose() for span in self._lifespans.values()))
        for early in self._early.values():
            early.abandon()
        if self._watchdog:
            self._watchdog.close()

    def _watching(self, action: Action) -> AbstractContextManager[None]:
        """Note what the running task runs meanwhile, in case that it blocks the loop."""
        self._watchdog = self._watchdog or Watchdog()
        return self._watchdog.watching(action.qualified)

    def _lifespan_of(self, name: str) -> Lifespan:
        going = [action for action in self.catalog.of(name).values() if action.goes]
        environment = Environment(
            config=self.config,
            # What its pages do by themselves reaches what one of its calls may be about.
            guard=held_to(self.catalog.policy, going, self.guard),
            settings=self.catalog.settings.get(name),
            take_helper=lambda: early.take() if (early := self._early.get(name)) else None,
            confirm_requests=self.catalog.policy.requests,
            **self.catalog.for_environments,
        )
        return Lifespan(self.catalog.resources[name], environment, self.catalog.states.get(name))

    def _owner(self, action: Action) -> str:
        return self.catalog.owners[action.qualified]

    async def _run(self, action: Action, call: Call, progress: Progress | None) -> Result:
        """Run the onion: wrappers, first registered outermost; policy, state, limit, action."""
        with self._watching(action):
            run: CallNext = partial(self._innermost, action, progress)
            for name, wrap in reversed(self._wraps):
                if (wrapper := made_wrapper(name, wrap, call)) is not None:
                    where = f"the wrapper of {self.plugins.describe(name)}"
                    run = partial(run_wrapped, name, where, wrapper, run)
            return await run(call)

    async def _innermost(self, action: Action, progress: Progress | None, call: Call) -> Result:
        check_call(action, call, self._checks)
        name, seconds = action.qualified, call.params.timeout or action.timeout
        with Blame(self._where[name]):
            work = self._opened(action, progress, call)
            return await self._apart.run(work, name, seconds, depth=_depth.get())

    async def _opened(self, action: Action, progress: Progress | None, call: Call) -> Result:
        files = list[Path]()
        with Blame(f"the opening of {self._where[action.resource]}"):
            state = await self._lifespans[action.resource].get()
        consent = CallConsent(action, call, self.catalog, self.config.secrets)
        flow = self._flows.begin(action, call, consent)
        guard = flow.guard(consent.guard(self._guards[action.qualified]))
        context = Context(
            call=call,
            state=state,
            config=self.config,
            guard=guard.led_from(call.caller.led_from),
            consent=consent,
            flow=flow,
            web=partial(self._nested, call.caller, progress, files),
            check=partial(self.planned, call.caller),
            detach=lambda order: detach(self._lifespans.values(), self._nested, context, order),
            settings=self.catalog.settings.get(action.resource),
            report=progress,
            files=files,
        )
        consent.report = context.progress
        return await self._perform(action, context)

    async def _perform(self, action: Action, context: Context[Any]) -> Result:
        where = self._where[action.qualified]
        act = partial(self._act, action, context)
        go_on = surrounded(self._lifespans[action.resource], where, context, act)
        with self._watching(action), Blame(where):
            return await labelled(go_on, context)

    async def _act(self, action: Action, context: Context[Any]) -> Result:
        params, function, consent = context.call.params, action.function, context.consent
        context.state = self._lifespans[action.resource].of(self._owner(action))
        if not action.asks_person:
            await consent.by_fields(action.address(params))
        await context.flow.by_fields()
        threads = self._threads.get(action.qualified)
        result: Result = await (
            threads.run(function, params, context) if threads else function(params, context)
        )
        consent.check_settled()
        return result

    async def _nested(
        self,
        caller: Caller,
        progress: Progress | None,
        files: list[Path],
        *,
        led_from: Space = Space.LOOPBACK,
        **arguments: Any,
    ) -> Result:
        depth = _depth.get()
        if depth >= MAX_DEPTH:
            raise ActionError(f"Actions call each other {depth} deep; this one is refused.")
        caller = replace(caller, led_from=min(caller.led_from, led_from))
        token = _depth.set(depth + 1)
        try:
            result = await self.call(arguments, caller=caller, progress=progress)
            files.extend(result.files)
            return result
        finally:
            _depth.reset(token)

    def planned(self, caller: Caller, **arguments: Any) -> Call:
        """Return the call that an action means to make later, validated and not denied."""
        action, fields = find(self.catalog, arguments)
        call = validate(self.catalog, action, fields, caller)
        check_call(action, call, self._checks)
        return call
