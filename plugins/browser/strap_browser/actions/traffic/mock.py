"""Rules for requests: answers in place of a server's, delays, failures."""

import asyncio
import re
from http import HTTPStatus
from mimetypes import guess_type
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, Result, Secrets, UsageError, action
from strap.text import counted
from strap_browser import interaction
from strap_browser.actions.elements.upload import output_file
from strap_browser.actions.evaluate import ANYTHING
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.traffic.profiles import refuse_foreign
from strap_browser.common.text import clip
from strap_browser.engine.traffic.har_answers import HarAnswers
from strap_browser.engine.traffic.holding import Holding
from strap_browser.engine.traffic.mocks import MOST, Mock, Mocks
from strap_browser.engine.traffic.paused_request import Fail, Fulfil

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.tab import Tab

CLEAR, HOLD, SEND, DROP = "clear", "hold", "send", "drop"
HOLDING = (
    "From now on requests other than GET, HEAD and OPTIONS wait, and answers tell what they would "
    "send. `mock value=send` sends one, `value=drop` drops it; `value=clear` drops all and ends it."
)
SHOWN = 200
"""Characters shown of an address."""
LARGEST = 5_000_000
"""Bytes of a file that answers: it goes to the browser in one message."""
LONGEST = 60_000
"""Milliseconds of a delay: no page waits longer in earnest."""
FAILURES = {"block": "BlockedByClient", "offline": "InternetDisconnected"}
"""Reasons of `Fetch.failRequest` by values."""
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
VALUES = (
    "Values: a status (200 to 599), block, offline, delay=800, file=body.json, from=x.har, hold, "
    "send, drop, clear."
)


class MockParams(BrowserParams):
    """Fields of `mock`."""

    url: str | None = Field(default=None, max_length=2_000)
    """Address of the requests; `*` stands for any text, as in `*/api/users*`."""
    value: str | None = Field(default=None, max_length=500)
    """A status, `block`, `offline`, `delay=800` (ms), `file=body.json`, `from=x.har`,
    `hold`, `send`, `drop`, or `clear`."""
    body: str | None = Field(default=None, max_length=1_000_000)
    """Text of the answer, with a status; JSON is sent as such, other text as HTML or plain."""


@action(
    "browser",
    effect="write",
    asks_person=True,
    destination="",
    acts_as=("evaluate", *ANYTHING),  # an answer may be a script of the page
)
async def mock(params: MockParams, ctx: "Context[BrowserRegistry]") -> Result:
    """Answer, delay or block requests of your pages; without fields list the rules and their hits.

    Rules are for all your pages in the profile, until `clear` or `close`; the newest that matches
    decides. `from` answers as a HAR has it; what it lacks is refused, and told. With `hold`
    requests that change something wait, for `hold_seconds` at most; the answer to a click tells
    what it would send. `send` and `drop` take `=h1` where several wait. Pages bypass
    their service workers meanwhile. WebSockets are not changed.
    """
    refuse_foreign(ctx, firefox_too=False)
    async with interaction.peek_page(ctx) as tab:
        mocks = tab.session.conditions.mocks
        if params.value is None:
            if params.url or params.body is not None:
                raise UsageError(f"What is to become of these requests? {VALUES}")
            return _listed(mocks, tab)
        value, holding = params.value.strip(), tab.session.conditions.holding
        if value == HOLD:
            refuse_foreign(ctx, shared_too=True)
            await tab.session.conditions.hold(_pattern(params.url or "*"), tab.connection)
            return Result(text=HOLDING)
        if value.partition("=")[0] in (SEND, DROP):
            return await _decide(holding, value, tab.secrets)
        if value == CLEAR:
            if params.url is None:
                await holding.end()
            return await _clear(mocks, params.url)
        rule = await asyncio.to_thread(_read, value, params, ctx)
        if len(mocks.rules) >= MOST and rule.url not in mocks.rules:
            raise ActionError(f"{MOST} rules are the limit.", hint=_CLEARING, code="too_many")
        guard = ctx.state.guard(ctx)

        async def check(url: str) -> None:
            await guard.check(url)
            ctx.consent.needed(url)
            ctx.check(resource="browser", action="navigate", url=url)

        await mocks.add(rule, check)
    note = f" It has {counted(rule.answers.count, 'answer')}." if rule.answers else ""
    return Result(text=f"Rule: {_line(rule)}. It is for requests from now on.{note}")


async def _decide(holding: Holding, value: str, secrets: Secrets) -> Result:
    """Send or drop the one that is held, or the one that is named: never one that was not told."""
    verb, _, ref = value.partition("=")
    held = holding.held.get(ref) if ref else None
    if not ref and len(holding.held) == 1:
        held = next(iter(holding.held.values()))
    if held is None:
        lines = [secrets.hide(f"{item.ref}: {item.line}") for item in holding.held.values()]
        raise ActionError(
            f"Which request? {'; '.join(lines)}" if lines else "No request is held.",
            hint=f"Name one, as in value={verb}={next(iter(holding.held))}." if lines else "",
            code="unknown_ref",
        )
    holding.decide(held, send=verb == SEND)
    was_sent = await held.request.ending.sent()
    done = "Sent" if was_sent else "Dropped, not sent," if verb == DROP else "Not sent:"
    return Result(text=secrets.hide(f"{done} {held.ref}: {held.line}."))


_CLEARING = "mock value=clear url=PATTERN drops one, without url all."


async def _clear(mocks: Mocks, url: str | None) -> Result:
    if url is not None and url not in mocks.rules:
        raise ActionError(
            f"There is no rule for {clip(url, SHOWN)!r}.",
            hint="mock without fields lists them.",
            code="unknown_rule",
        )
    urls = list(mocks.rules) if url is None else [url]
    await mocks.clear(urls)
    return Result(text=f"Dropped {counted(len(urls), 'rule')}.")


def _listed(mocks: Mocks, tab: "Tab") -> Result:
    lines = [_line(rule) + _hits(rule) for rule in mocks.rules.values()]
    data = [{"url": r.url, "value": r.effect, "hits": r.hits} for r in mocks.rules.values()]
    holding = tab.session.conditions.holding
    lines += [f"{pattern} → hold" for pattern in holding.patterns]
    lines += [tab.secrets.hide(f"Held {h.ref}: {h.line}") for h in holding.held.values()]
    return Result(text="\n".join(lines) or "No rules.", data=data)


def _hits(rule: Mock) -> str:
    missed = f", {rule.misses:,} refused" if rule.misses else ""
    return f", {counted(rule.hits, 'hit')}{missed}"


def _line(rule: Mock) -> str:
    return f"{clip(rule.url, SHOWN)} → {rule.effect}"


def _read(value: str, params: MockParams, ctx: "Context[BrowserRegistry]") -> Mock:
    """Return the rule; raises `UsageError`, or `ActionError`."""
    for_all = value == "offline" or value.startswith("from=")
    url = _pattern(params.url or ("*" if for_all else ""))
    if params.body is not None and not value.isdecimal():
        raise UsageError("body goes with a status, such as value=200.")
    if value in FAILURES:
        return Mock(url=url, effect=value, decision=Fail(reason=FAILURES[value]))
    if re.fullmatch(r"[2-5]\d\d", value, re.ASCII):
        return Mock(url=url, effect=value, decision=_answer(int(value), params.body or ""))
    name, _, argument = value.partition("=")
    if name == "delay" and re.fullmatch(r"\d{1,5}", argument, re.ASCII):
        if int(argument) > LONGEST:
            raise UsageError(f"delay={argument} is too long: {LONGEST} ms are the limit.")
        return Mock(url=url, effect=value, delay=int(argument) / 1000)
    if name == "file" and argument:
        return Mock(url=url, effect=value, decision=_from_file(argument, ctx))
    if name == "from" and argument:
        return Mock(url=url, effect=value, answers=HarAnswers(output_file(argument, ctx)))
    raise UsageError(f"mock knows no value {clip(value, SHOWN)!r}.", hint=VALUES)


def _pattern(url: str) -> str:
    if not url:
        raise UsageError("Which requests? Give url, such as url='*/api/users*'.")
    if "*" not in url and not re.match(r"https?://[^/]+/", url):
        raise ActionError(
            f"No request has the address {clip(url, SHOWN)!r}.",
            hint=f"Write a whole URL, or url={'*' + clip(url, SHOWN) + '*'!r}.",
            code="bad_pattern",
        )
    return url


def _answer(status: int, body: str) -> Fulfil:
    if body and status in BODILESS:
        raise UsageError(f"An answer with status {status} has no body.")
    start = body.lstrip()[:1]
    kind = {"{": "application/json", "[": "application/json", "<": "text/html"}.get(start)
    return _with_type(status, f"{kind or 'text/plain'}; charset=utf-8", body.encode())


def _with_type(status: int, kind: str, body: bytes) -> Fulfil:
    headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
    return Fulfil(status=status, headers=headers, body=body)


def _from_file(path: str, ctx: "Context[BrowserRegistry]") -> Fulfil:
    file = output_file(path, ctx)
    if file.stat().st_size > LARGEST:
        raise UsageError(f"{path!r} is too large: {LARGEST:,} bytes are the limit.")
    kind = guess_type(file.name)[0] or "application/octet-stream"
    return _with_type(HTTPStatus.OK, kind, file.read_bytes())
