"""The action `http.map`: which pages a site has."""

from typing import TYPE_CHECKING

from pydantic import Field

from strap import DEFAULT_MAX_TOKENS, Context, Params, Result, UsageError, action, count_tokens
from strap_http.call_session import SHARE, named_caller, visitor

if TYPE_CHECKING:
    from strap_http.sites.mapping import SiteMap
    from strap_http.state import HttpState

TIMEOUT = 30.0
_NOTE = 60
"""Tokens that are left for the line about the rest."""


class Map(Params):
    """The parameters of `http.map`."""

    url: str
    """A page of the site."""
    text: str | None = Field(default=None, min_length=1, max_length=256)
    """Only addresses that have all of these words in them."""
    limit: int = Field(default=5_000, ge=1, le=5_000)
    """Number of addresses."""
    start: int = Field(default=0, ge=0)
    """Addresses to pass over, as the previous answer named it."""


@action("http", effect="read", timeout=TIMEOUT, name="map", acts_as=("fetch",))
async def map_(params: Map, ctx: "Context[HttpState]") -> Result:
    """List the pages of a site: from its sitemaps, feeds, llms.txt and the links of the page.

    The first line says which source brought how many. robots.txt is kept to, one request a second
    is sent. A further call with `start` or `text` asks the site for nothing again.
    """
    from strap.documents.passages import refuse_blank
    from strap_http.sites.mapping import map_site

    refuse_blank(params.text)
    key = named_caller(ctx) or ctx.caller.principal, params.url
    site_map = ctx.state.maps.get(key) if params.start or params.text else None
    if site_map is None:
        seconds = SHARE * (params.timeout or TIMEOUT)
        site_map = await map_site(params.url, visitor(ctx, seconds=seconds))
        ctx.state.maps.put(key, site_map)
    return _listed(site_map, params, ctx.max_tokens or DEFAULT_MAX_TOKENS)


def _listed(site_map: "SiteMap", params: Map, max_tokens: int) -> Result:
    words = (params.text or "").casefold().split()
    selected = [url for url in site_map.urls if all(word in url.casefold() for word in words)]
    if params.start and params.start >= len(selected):
        raise UsageError(
            f"start={params.start} is past the end: there are {len(selected):,}.",
            hint="Give a smaller start.",
        )
    head = _head(site_map, len(selected), params)
    lines, room = [head], max_tokens - count_tokens(head) - _NOTE
    until = params.start + params.limit
    for url in selected[params.start : until]:
        room -= count_tokens(url) + 1
        if room < 0 and len(lines) > 1:
            break
        lines.append(url)
    end = params.start + len(lines) - 1
    following = end if end < len(selected) else None
    if following is not None:
        lines.append(f"[{len(selected) - end:,} more. Next: the same call with start={end}]")
    shown = selected[params.start : end]
    data = {
        "urls": [{"url": url, "source": site_map.urls[url]} for url in shown],
        "total": len(selected),
        "sources": dict(site_map.sources),
        "notes": list(site_map.notes),
        "next_start": following,
    }
    return Result(text="\n".join(lines), data=data)


def _head(site_map: "SiteMap", total: int, params: Map) -> str:
    sources = ", ".join(f"{name} {count:,}" for name, count in site_map.sources.most_common())
    matching = f"{total:,} with {params.text!r} of " if params.text else ""
    most = ", no more are listed" if site_map.is_full else ""
    known = f"{len(site_map.urls):,} address{'es' if len(site_map.urls) != 1 else ''}"
    lines = [f"{matching}{known} of {site_map.url} ({sources}{most})"]
    if site_map.elsewhere:
        lines.append(f"[{site_map.elsewhere:,} of other sites left out]")
    return "\n".join((*lines, *(f"[Not read: {note}]" for note in site_map.notes)))
