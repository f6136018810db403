"""One run of browser-use's Agent in the browser that strap started for it."""

import asyncio
import logging
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strap_agent.worker import known_actions, prompt, schema_checker, secrets
from strap_agent.worker import llm as models
from strap_agent.worker.amendments import (
    confinement,
    covering,
    finishing,
    looking,
    new_pages,
    page_text,
    target_scope,
)
from strap_agent.worker.channel import Channel, Message
from strap_agent.worker.consent import Consent, StepLimit
from strap_agent.worker.gate import Gate
from strap_agent.worker.reporting import Reporter, ending

log = logging.getLogger(__name__)
LATER = "ws://127.0.0.1:0/"
"""Stands for the address of the browser until it is there: a session without one starts its own."""
MAX_FAILURES = 3
"""Failed steps in a row that end a run: what failed thrice fails again, at the budget's cost."""


class NoModel(Exception):
    """A model of browser-use cannot be made from what was configured."""


async def serve(channel: Channel) -> None:
    """Wait for the task, a run or a check, carry it out, and wait for the end.

    For a run a second order tells where it begins: the agent is made while its browser starts.
    """
    loop = asyncio.get_running_loop()
    orders: asyncio.Queue[Message] = asyncio.Queue()
    client, consent = models.ClientModel(channel), Consent(channel)
    obtaining = secrets.Obtaining(channel)
    gate = Gate(channel, consent)
    reporter = Reporter(channel, gate)

    takers: dict[str, Callable[[Message], object]] = {
        **dict.fromkeys(("run", "check", "begin"), orders.put_nowait),
        "sampled": client.answered,
        "answered": consent.answered,
        "secret": obtaining.answered,
        "learn": lambda message: obtaining.learn(message["name"], message["origin"]),
        "note": lambda message: reporter.notes.append(message["text"]),
        "pause": lambda message: gate.pause(message["number"]),
        "resume": lambda message: gate.resume(message["note"]),
        "watched": lambda _: gate.watched(),
    }

    def take(message: Message) -> None:
        takers[message["op"]](message)

    channel.listen(lambda message: loop.call_soon_threadsafe(take, message))
    channel.send("ready", pid=os.getpid())
    spec = await orders.get()
    consent.begin(spec.get("free"))
    gate.tells_pages = spec.get("tells_pages", False)
    if spec["op"] == "check":
        schema_checker.answer(spec, channel.send)
    else:
        await carry_out(channel, spec, orders, client, reporter, gate, consent, obtaining)
    await loop.create_future()


async def carry_out(
    channel: Channel,
    spec: Message,
    orders: asyncio.Queue[Message],
    client: models.ClientModel,
    reporter: Reporter,
    gate: Gate,
    consent: Consent,
    obtaining: secrets.Obtaining,
) -> None:
    """Run the agent as soon as `orders` tell its browser, and report; never raises."""
    try:
        agent = reporter.agent = make_agent(spec, client, reporter, gate, obtaining)
        if consent.is_needed:
            StepLimit(agent, spec["step_timeout_s"], consent)
        settle(agent.browser_session, await orders.get(), reporter.page_made)
        await gate.passes()
        await agent.run(
            max_steps=spec["max_steps"],
            on_step_start=gate.step_begins,
            on_step_end=reporter.step_ended,
        )
    except Exception as error:
        log.exception("The run failed")
        kind = "provider" if isinstance(error, NoModel) else "browser"
        text = str(error) if kind == "provider" else f"{type(error).__name__}: {error}"
        channel.send("crashed", kind=kind, error=text[:2_000])
    else:
        channel.send("finished", **ending(agent))


def _model(spec: Message, timeout: float) -> Any:
    try:
        return models.build(spec, timeout)
    except Exception as error:
        raise NoModel(f"The model {spec['model']!r} cannot be used: {error}") from error


def _watch(used: tuple[Any, Any], reporter: Reporter, hide: Callable[[str], str]) -> None:
    for model in filter(None, used):
        models.watch(model, reporter, hide)


def _tools(
    spec: Message, reporter: Reporter, gate: Gate, obtaining: secrets.Obtaining
) -> tuple[Any, Callable[[str], str]]:
    from browser_use import Tools

    finishing.ask_for_success()
    reporter.withheld(known_actions.keep_known(tools := Tools()))
    confinement.confine(tools)
    gate.watch(tools)
    return tools, secrets.register_secrets(tools, spec["secrets"], spec["task"], obtaining)


def make_agent(
    spec: Message,
    client: models.ClientModel,
    reporter: Reporter,
    gate: Gate,
    obtaining: secrets.Obtaining,
) -> Any:
    """Build the agent from what strap sent."""
    from browser_use import Agent

    timeout = spec["llm_timeout_s"]
    llm = client if spec["model"] is None else _model(spec["model"], timeout)
    fallback = _model(spec["fallback"], timeout) if spec["fallback"] else None
    tools, hide = _tools(spec, reporter, gate, obtaining)
    _watch((llm, fallback), reporter, hide)
    agent = Agent(
        task=spec["task"],
        llm=llm,
        fallback_llm=fallback,
        browser_session=make_session(spec),
        tools=tools,
        initial_actions=prompt.first_actions(spec),
        directly_open_url=False,
        extend_system_message=prompt.rules(spec),
        use_vision=spec["vision"],
        use_judge=spec["judge"],
        max_failures=MAX_FAILURES,
        step_timeout=math.ceil(spec["step_timeout_s"]),
        llm_timeout=math.ceil(timeout),
        register_done_callback=reporter.done,
        register_external_agent_status_raise_error_callback=gate.interrupts,
        enable_signal_handler=False,
        calculate_cost=False,
        generate_gif=False,
        task_id=spec["session_id"],
        file_system_path=str(Path(spec["folder"]) / "files"),
    )
    # Its constructor takes whole seconds only.
    agent.settings.step_timeout, agent.settings.llm_timeout = spec["step_timeout_s"], timeout
    return agent


def make_session(spec: Message) -> Any:
    """Make what attaches to the browser that strap runs, once that is there (`settle`)."""
    from browser_use import BrowserSession
    from browser_use.browser.watchdogs.aboutblank_watchdog import AboutBlankWatchdog

    # It decorates blank pages with a picture that it fetches from the vendor.
    AboutBlankWatchdog._show_dvd_screensaver_on_about_blank_tabs = _nothing  # noqa: SLF001
    # A client for its vendor's browsers takes as long to make as all the rest of the session.
    BrowserSession.__private_attributes__["_cloud_browser_client"].default_factory = _NoCloud
    confinement.install()
    covering.install()
    looking.install()
    new_pages.install()
    page_text.install()
    return BrowserSession(
        cdp_url=LATER,
        headless=False,
        no_viewport=True,
        permissions=[],
        captcha_solver=False,
        enable_default_extensions=False,
        highlight_elements=False,  # it draws into the page, and takes that away a second later
        downloads_path=str(Path(spec["folder"]) / "downloads"),
        storage_state=spec["storage_state"],
    )


def settle(session: Any, place: Message, made: Callable[[str], None]) -> None:
    """Tell a session its browser, of which it touches no more than the run's own.

    `made` is told of pages that the agent makes in a browser that others use as well.
    """
    if place["target"]:
        target_scope.install(place["target"], made)
    session.browser_profile.cdp_url = place["cdp_url"]
    session.browser_profile.headers = place["headers"] or None


class _NoCloud:
    """Stands for browser-use's client for browsers of its vendor, of which strap uses none."""

    current_session_id = None


async def _nothing(*_: Any) -> None:
    """Do nothing."""
