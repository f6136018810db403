"""The action `audit`: what is wrong with the page, ranked, each with a ref and a remedy."""

import asyncio
import json
import re
from collections import Counter
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from strap import Context, Result, action
from strap_browser import interaction
from strap_browser.actions.audit.rules import BLOCKING_MS, GOOD, RULES
from strap_browser.actions.params import ElementParams
from strap_browser.cdp.errors import CdpError
from strap_browser.common.text import clip, quoted
from strap_browser.engine.frames.frame_elements import frame_within
from strap_browser.snapshot.refs import ShownElement

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.element import Element
    from strap_browser.interaction.page_state import PageState
    from strap_browser.pages.registry import BrowserRegistry

KINDS = ("a11y", "links", "speed")
MOST = 20
"""Findings that are told."""
MOST_ALIKE = 4
"""Findings of a rule that are told: the others have the same remedy."""
MEASURE_LIMIT = 12.0
"""Seconds for asking 20 links and for what the browser measured."""
FRAME_LIMIT = 3.0
"""Seconds for a frame: what one that hangs would tell is left out."""
LOAD_LIMIT = 3.0
"""Seconds for pictures: what is not there by then is left out."""
SESSION = re.compile("sess|auth|token|sid|login|csrf", re.IGNORECASE)
Finding = dict[str, Any]


class Audit(ElementParams):
    """Fields of `audit`."""

    value: Literal["a11y", "speed", "links"] | None = None
    """`a11y`, `speed` or `links`; left out: all, with the console and cookies."""


@action("browser", effect="read", asks_person=True)
async def audit(params: Audit, ctx: "Context[BrowserRegistry]") -> Result:
    """List what is wrong with the page: the 20 worst findings, each with its ref and remedy.

    `a11y`: names, labels, alt, language, headings, contrast, focus, size of targets, by the numbers
    of WCAG 2.2. `speed`: LCP, CLS, INP and TTFB as the browser measured them here. `links`: broken
    pictures, links of the site (the first 20 are asked for, without cookies), mixed content. It
    looks into frames too. Speed, and links that are asked for, are those of the page itself.
    """
    kinds: list[str] = [params.value] if params.value else [*KINDS]
    async with interaction.using_page(ctx, reads=True) as state:
        answer = interaction.response_for(ctx)
        element = await interaction.find_element(state, params.ref, params.selector)
        await _loaded(state)
        findings = await _findings(state, element, kinds)
        vitals = ""
        if element is None:
            vitals = await _measured(state, kinds, findings)
            if params.value is None:
                findings += [*_errors(state), *await _cookies(state)]
        answer.add(*_lines(state, findings), vitals)
        answer.data["findings"] = [_as_data(state, finding) for finding in findings]
        return answer.result(state.tab)


async def _findings(
    state: "PageState", element: "Element | None", kinds: list[str]
) -> list[Finding]:
    """Return the findings in an element, or in all documents of the page."""
    page = state.tab.page
    await state.peek()  # which tells what document is in which frame
    frame = page.main_frame
    if element is not None:
        inner = await frame_within(page.frame, element.frame, element.node_id)
        if inner is None:
            report, _ = await interaction.ask(state, element, "audit", kinds=kinds)
            return list(report["findings"])
        frame = inner
    findings: list[Finding] = []
    for child in frame.walk():
        if child is page.main_frame:
            findings += (await state.ask("audit", kinds=kinds))["findings"]
        elif child in page.inner_frames and await _is_shown(child):
            params = {"kinds": kinds, "framed": True}
            answer = await state.ask_within(child, "audit", FRAME_LIMIT, **params)
            findings += answer["findings"] if answer else []
    return findings


async def _is_shown(frame: "Frame") -> bool:
    with suppress(CdpError):
        return await frame.is_shown()
    return False


async def _loaded(state: "PageState") -> None:
    """Wait until pictures are there, or a while: what is on its way is not broken."""
    until = monotonic() + LOAD_LIMIT
    while not state.activity.loaded and (left := until - monotonic()) > 0:
        await state.activity.change(left)


async def _measured(state: "PageState", kinds: list[str], findings: list[Finding]) -> str:
    """Add what takes a while, and return the figures."""
    frame, figures = state.tab.page.main_frame, ""
    try:
        async with asyncio.timeout(MEASURE_LIMIT):
            if "links" in kinds:
                missing = json.loads(await frame.measure(".missing()"))
                words = [f"{link['status']} {link['url']}" for link in missing]
                pairs = zip(missing, words, strict=True)
                findings += [{"rule": "link", "what": what, **link} for link, what in pairs]
            if "speed" in kinds:
                vitals = json.loads(await frame.measure(".vitals()"))
                findings += _slow(vitals)
                figures = _figures(vitals)
    except (TimeoutError, CdpError):
        return "Not all was measured: the page did not answer in time."
    return figures


def _slow(vitals: dict[str, Any]) -> list[Finding]:
    slow = [
        {"rule": name, "what": _figure(name, vitals[name]), **vitals.get(f"{name}At", {})}
        for name, good in GOOD.items()
        if vitals[name] > good
    ]
    return slow + [
        {"rule": "blocking", "what": f"{task['ms']:,} ms {clip(task['name'], 100)}"}
        for task in vitals["blocking"]
        if task["ms"] > BLOCKING_MS
    ]


def _figures(vitals: dict[str, Any]) -> str:
    shown = (f"{name.upper()} {_figure(name, vitals[name])}" for name in GOOD if vitals[name])
    return f"Measured here: {', '.join(shown)}."


def _figure(name: str, value: float) -> str:
    return f"{value:g}" if name == "cls" else f"{value:,.0f} ms"


def _errors(state: "PageState") -> list[Finding]:
    """Return what the document that is there told the console as an error."""
    records, document = state.tab.records, state.activity.document
    since = next((e.began for e in reversed(records.exchanges) if e.request is document), 0.0)
    texts = Counter(m.text for m in records.messages if m.level == "error" and m.at >= since)
    return [{"rule": "console", "what": quoted(clip(text, 120))} for text in texts]


async def _cookies(state: "PageState") -> list[Finding]:
    """Return cookies of the page that lack a flag which their name or scheme calls for."""
    url = state.tab.page.url
    try:
        cookies = (await state.send("Network.getCookies", urls=[url]))["cookies"]
    except CdpError:
        return []
    findings = []
    for cookie in cookies:
        is_login = SESSION.search(cookie["name"]) is not None
        lacks = [
            *(["Secure"] if url.startswith("https:") and not cookie["secure"] else []),
            *(["HttpOnly"] if is_login and not cookie["httpOnly"] else []),
            *(["SameSite"] if is_login and not cookie.get("sameSite") else []),
        ]
        if lacks:
            what = f"{quoted(clip(cookie['name'], 40))} lacks {', '.join(lacks)}"
            findings.append({"rule": "cookie", "what": what})
    return findings


def _lines(state: "PageState", findings: list[Finding]) -> list[str]:
    """Write the worst findings, a few of each rule."""
    if not findings:
        return ["Nothing was found."]
    counts = Counter(finding["rule"] for finding in findings)
    order = sorted(counts, key=lambda rule: -RULES[rule].weight)
    lines, left, shown_rules = list[str](), MOST, 0
    for rule in order:
        if not left:
            break
        shown_rules += 1
        alike = [finding for finding in findings if finding["rule"] == rule]
        shown = alike[: min(MOST_ALIKE, left)]
        left -= len(shown)
        lines += [_line(state, finding) for finding in shown]
        if shown and len(alike) > len(shown):
            lines.append(f"… {len(alike) - len(shown):,} more with {RULES[rule].title}")
    untold = sum(counts[rule] for rule in order[shown_rules:])
    total = f"{len(findings):,} findings" if len(findings) > 1 else "1 finding"
    more = [f"… {untold:,} more that matter less: value=a11y|speed|links"] if untold else []
    return [f"{total}, the worst first:", *lines, *more]


def _line(state: "PageState", finding: Finding) -> str:
    rule = RULES[finding["rule"]]
    where = "" if finding.get("page") or "ref" not in finding else f": {_called(state, finding)}"
    what = f" ({finding['what']})" if finding.get("what") else ""
    return f"{rule.title}{where}{what}: {rule.mend}"


def _called(state: "PageState", finding: Finding) -> str:
    """Name the element with a ref that actions take."""
    ref = _ref(state, finding)
    words = quoted(finding["name"]) if finding["name"] else finding["tag"]
    role = finding["role"] if finding["role"] not in ("", "generic") else ""
    return " ".join(filter(None, (role if finding["name"] else "", words, ref)))


def _ref(state: "PageState", finding: Finding) -> str:
    raw: str = finding["ref"]
    shown = ShownElement(
        node_id=raw,
        role=finding["role"],
        name=finding["name"],
        url=state.tab.page.url,
        version=finding["version"],
    )
    inner = state.is_framed(raw)
    return state.refs.show(shown, main="" if inner else raw.rpartition(".")[0])


def _as_data(state: "PageState", finding: Finding) -> dict[str, Any]:
    ref = state.refs.seen(finding["ref"]) if "ref" in finding else ""
    return {"rule": finding["rule"], "what": finding.get("what", ""), "ref": ref}
