"""Declaring resources, and the states that plugins add to them."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import field
from typing import Any

from pydantic import BaseModel

from strap.api.calls import Around, Call, Context, Environment, GoOn
from strap.api.extras import Extra
from strap.api.prestart import Prestart
from strap.api.results import Detached, Result
from strap.records import record

Open = Callable[[Environment], AbstractAsyncContextManager[Any]]
EndSession = Callable[[Any, str], Awaitable[None]]
DeclareHelper = Callable[[Environment], Prestart | None]
Gauges = Callable[[Any], Mapping[str, float]]
Archive = Callable[[Any, str], bytes | None]
OpenState = Callable[[Environment, Mapping[str, Any]], AbstractAsyncContextManager[Any]]
DetachIn = Callable[[Any, Call, Detached], Awaitable[Result]]
AroundState = Callable[[Any, Context[Any], GoOn], Awaitable[Result]]


@record
class Resource:
    """A noun of the `web` tool.

    `usage` is a hint of a few words that every model sees, `summary` the first line of its help.
    `open` makes the state that its actions share; it is entered on the first call, in a task of
    its own, and left when the router closes. `settings` is the model of `[plugins.NAME]`.
    `end_session` is called with the state and a caller key when that caller is gone; keys that
    begin with it and a slash are that caller's too, under handles of its own. `helper` declares
    what is worth starting early; it is there as `Environment.take_helper`. `around` runs around
    each action of the resource, inside its policy and time limit, and with its state. `gauges` is
    called with the state, in a thread, and tells what a server's `/metrics` shows: `strap_NAME`.
    `archive` is called so with the state and the `session_id` of an answer's data, and returns all
    that is stored of it as a zip archive, None for nothing. `topics` are further texts of its help,
    by the value that asks for them.
    """

    name: str
    summary: str
    usage: str = ""
    settings: type[BaseModel] | None = None
    open: Open | None = None
    end_session: EndSession | None = None
    helper: DeclareHelper | None = None
    around: Around | None = None
    gauges: Gauges | None = None
    archive: Archive | None = None
    extra: Extra | None = None
    topics: Mapping[str, str] = field(default_factory=dict)


@record
class ResourceState:
    """State that a plugin adds to a resource: `Context.state` of the plugin's actions there.

    `open(environment, states)` makes it right after the resource's own state; it is left before
    that. `states` are those opened before, by plugin, and the resource's own under its name.
    `around(state, context, go_on)` runs around each action of the resource. `detach(state, call,
    order)` keeps a call of any resource that goes on after it was answered. The other functions
    are those of `Resource`, with this state. One that cannot be opened fails the plugin's actions,
    and no others.
    """

    resource: str
    open: OpenState
    end_session: EndSession | None = None
    around: AroundState | None = None
    gauges: Gauges | None = None
    archive: Archive | None = None
    detach: DetachIn | None = None
