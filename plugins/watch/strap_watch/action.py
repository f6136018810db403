"""The action `http.watch`: what `strap watch` has seen, told to callers."""

import asyncio
from typing import Any

from pydantic import Field

from strap import Context, Params, PolicyDenied, Result, UsageError, action, with_scheme
from strap_watch.store import Watch, Watches
from strap_watch.watching import change_line, watch_line

OWNERS = ("local", "bearer")
"""Principals of a server of one user: watches belong to whoever has the data directory."""


class WatchParams(Params):
    """Choice of watches."""

    url: str | None = Field(default=None, max_length=20_000)
    """A watched page; left out: the watched pages are listed."""
    limit: int = Field(default=20, ge=1, le=100)
    """Number of pages or changes, the newest first."""


@action("http", effect="read", advertised=False)
async def watch(params: WatchParams, ctx: "Context[Any]") -> Result:
    """Tell the last changes of a page that `strap watch` watches, or list the watched pages.

    Watches are added and run on the command line: a server ends with its client.
    """
    if ctx.caller.principal not in OWNERS:
        raise PolicyDenied("Watches are told to the user of this data directory alone.")
    return await asyncio.to_thread(_result, Watches(ctx.config.home), params)


def _data(watch: Watch) -> dict[str, Any]:
    """Return what a model may know: a way of notifying may have a password in it."""
    shown = ("id", "url", "mode", "every", "state", "looked_at", "number")
    return {name: getattr(watch, name) for name in shown}


def _result(watches: Watches, params: WatchParams) -> Result:
    known = watches.all()[::-1]
    if params.url is None:
        shown = known[: params.limit]
        lines = [f"{len(known)} watched, {len(shown)} shown.", *map(watch_line, shown)]
        return Result(text="\n".join(lines), data={"watches": [*map(_data, shown)]})
    url = with_scheme(params.url)
    matches = [item for item in known if item.url == url]
    if not matches:
        hint = f"Watch it from a terminal: strap watch add {url}"
        raise UsageError(f"{url!r} is not watched.", hint=hint)
    lines, data = list[str](), list[dict[str, Any]]()
    for entry in matches:
        changes = watches.changes(entry, params.limit)
        lines += [watch_line(entry), *map(change_line, changes)]
        data.append({**_data(entry), "changes": changes})
    return Result(text="\n".join(lines), data={"watches": data})
