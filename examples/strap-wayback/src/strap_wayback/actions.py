"""The resource `wayback`, and an action on `http`."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field

from strap import ActionError, Context, Params, Resource, Result, action


class WaybackSettings(BaseModel):
    """`[plugins.wayback]` in `strap.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: str = "https://archive.org/wayback/available"
    """Address of the availability service."""


wayback = Resource(
    name="wayback",
    summary="archived copies of web pages",
    settings=WaybackSettings,
)


class Lookup(Params):
    """Fields of both actions."""

    url: str = Field(min_length=1)
    """Address of the page."""
    date: str | None = Field(default=None, pattern=r"^\d{4,14}$")
    """Wanted date as YYYYMMDD or a part of it; the latest copy unless given."""


@dataclass(frozen=True, kw_only=True)
class Copy:
    """An archived copy: where it is, and when it was made (`YYYYMMDDhhmmss`)."""

    url: str
    timestamp: str


@action(wayback, effect="read")
async def lookup(params: Lookup, ctx: Context[Any]) -> Result:
    """Find the archived copy of a page that is closest to a date."""
    assert isinstance(ctx.settings, WaybackSettings)
    copy = await _closest(ctx, ctx.settings.endpoint, params)
    return Result(text=f"{copy.timestamp} {copy.url}", data={"url": copy.url})


@action("http", effect="read", timeout=60)
async def fetch_archived(params: Lookup, ctx: Context[Any]) -> Result:
    """Fetch the archived copy of a page that is closest to a date."""
    # An action on somebody else's resource has that resource's state and settings; what belongs
    # to this plugin is reached through a call, which every rule applies to.
    fields = params.model_dump(exclude_none=True, include={"url", "date"})
    found = await ctx.web(resource="wayback", action="lookup", **fields)
    return await ctx.web(resource="http", action="fetch", url=found.data["url"])


async def _closest(ctx: Context[Any], endpoint: str, params: Lookup) -> Copy:
    query = {"url": params.url} | ({"timestamp": params.date} if params.date else {})
    answer = await ctx.web(resource="http", action="fetch", url=f"{endpoint}?{urlencode(query)}")
    head, _, body = answer.text.partition("\n")
    try:
        closest = json.loads(body)["archived_snapshots"].get("closest")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ActionError(
            f"The archive did not answer as expected ({head}).",
            hint="Try again later.",
            code="upstream",
            retryable=True,
        ) from None
    if not closest or not closest.get("available"):
        raise ActionError(f"There is no archived copy of {params.url!r}.", code="not_found")
    return Copy(url=closest["url"], timestamp=closest["timestamp"])
