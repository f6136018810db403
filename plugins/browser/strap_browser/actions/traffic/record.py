"""Recordings of what pages do, as files for people and other tools."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from strap import ActionError, Context, PolicyDenied, Result, UsageError, action
from strap.evidence.har import Masking
from strap_browser import interaction
from strap_browser.actions.params import BrowserParams
from strap_browser.actions.traffic.profiles import refuse_foreign
from strap_browser.common.text import clip
from strap_browser.recorders.har import HarRecorder
from strap_browser.recorders.profile import ProfileRecorder
from strap_browser.recorders.recording import Recorder, Recording
from strap_browser.recorders.report import ReportRecorder
from strap_browser.recorders.video import VideoRecorder
from strap_browser.settings.browser import BrowserSettings

if TYPE_CHECKING:
    from strap_browser.pages.registry import BrowserRegistry
    from strap_browser.pages.rules.conditions import Conditions
    from strap_browser.pages.tab import Tab

STOP, HAR, CREDENTIALS, REPORT = "stop", "har", "har+credentials", "report"
PROFILE, VIDEO = "profile", "video"
SUFFIXES = {HAR: ".har", REPORT: ".html", PROFILE: ".trace.json", VIDEO: ".webm"}
"""How the names of files end, by what they have."""
VALID = f"{', '.join(SUFFIXES)}, several as in har,report, or stop"


class Record(BrowserParams):
    """Fields of `record`."""

    value: str | None = Field(default=None, max_length=100)
    """`har`, `report`, `video`, `profile`, several as in `har,video`, or `stop`; left out: what
    is recorded."""
    output: str | None = Field(default=None, max_length=1_000)
    """Name of the file in the output folder; its ending is added."""


@action("browser", effect="read", asks_person=True)
async def record(params: Record, ctx: "Context[BrowserRegistry]") -> Result:
    """Record what your pages do into files.

    `har` has requests with bodies, timings and WebSockets, `report` is a page for people: each call
    in words, a picture, requests, console, what changed. `video` is a WebM with each call as its
    caption. `profile` is a trace of the current page for DevTools or Perfetto, written at the end.
    It is for all your pages in the profile, until `stop`, `close`, 30 minutes or 200 MB; the file
    is valid all the time. Values of secrets are masked, and so are credentials:
    `har+credentials` keeps those that are no secrets of the configuration, where the operator
    allows it.
    """
    value = (params.value or "").strip()
    if value in ("", STOP):
        async with interaction.peek_page(ctx) as tab:
            return await _stopped(tab.session.conditions, value, ctx)
    words = _words(value, ctx)
    if PROFILE in words or VIDEO in words:
        refuse_foreign(ctx, shared_too=True)
    paths = _paths(words, params.output, ctx)
    async with interaction.using_page(ctx, leaving=True, reads=True) as state:
        conditions = state.tab.session.conditions
        if conditions.recording is not None and not conditions.recording.is_over:
            raise ActionError("A recording goes on.", hint="End it with record value=stop.")
        recorders = await _started(paths, state.tab)
        conditions.recording = Recording(recorders, conditions.tell)
    return Result(text="\n".join(f"Recording {item.what} to {item.path}." for item in recorders))


async def _stopped(conditions: "Conditions", value: str, ctx: "Context[BrowserRegistry]") -> Result:
    """Tell what is recorded, or end it."""
    recording = conditions.recording
    if recording is None or recording.is_over:
        if value == STOP:
            raise ActionError("Nothing is recorded.", hint=f"Values: {VALID}.")
        return Result(text=f"Nothing is recorded. Values: {VALID}.")
    if value == STOP:
        ctx.files.extend(recorder.path for recorder in recording.recorders)
        return Result(text="\n".join(await conditions.stop_recording()))
    return Result(text="\n".join((f"Recording for {recording.seconds:.0f} s.", *recording.lines())))


def _words(value: str, ctx: "Context[BrowserRegistry]") -> list[str]:
    words = list(dict.fromkeys(word.strip() for word in value.split(",")))
    for word in words:
        if word != CREDENTIALS and word not in SUFFIXES:
            raise UsageError(f"record knows no value {clip(word, 40)!r}.", hint=f"Values: {VALID}.")
    settings = ctx.settings
    assert isinstance(settings, BrowserSettings)
    if CREDENTIALS in words and not settings.record_credentials:
        raise PolicyDenied(
            "Credentials are not recorded.",
            hint="The operator allows it: record_credentials = true in [plugins.browser].",
            code="credentials",
        )
    if CREDENTIALS in words and HAR in words:
        raise UsageError("Give har or har+credentials, not both.")
    return words


def _paths(
    words: list[str], output: str | None, ctx: "Context[BrowserRegistry]"
) -> dict[str, Path]:
    """Return the files by what they will have; raises where one is there already."""
    stem = output or time.strftime("recording-%Y%m%d-%H%M%S")
    for suffix in SUFFIXES.values():
        stem = stem.removesuffix(suffix)
    paths = {word: ctx.outputs.resolve(stem + SUFFIXES[word.partition("+")[0]]) for word in words}
    for path in paths.values():
        ctx.outputs.refuse_taken(path)
    return paths


async def _started(paths: dict[str, Path], tab: "Tab") -> list[Recorder]:
    """Return recorders at work; where one cannot begin, none of the files is left."""
    recorders: list[Recorder] = []
    try:
        for word, path in paths.items():
            recorders.append(await _recorder(word, path, tab))
            if isinstance(recorders[-1], ProfileRecorder):
                await recorders[-1].start(tab.page.session)
            elif isinstance(recorders[-1], VideoRecorder):
                await recorders[-1].start(tab.page)
    except BaseException:
        for recorder in recorders:
            await recorder.stop()
            recorder.path.unlink(missing_ok=True)
        raise
    return recorders


async def _recorder(word: str, path: Path, tab: "Tab") -> Recorder:
    conditions = tab.session.conditions

    def failed(why: str) -> None:
        if conditions.recording is not None:
            conditions.recording.end(f"because of its file: {why}")

    masking = Masking(secrets=tab.secrets, credentials=word == CREDENTIALS)

    def made() -> HarRecorder | ReportRecorder | ProfileRecorder | VideoRecorder:
        if word == VIDEO:
            return VideoRecorder(path, masking, failed, lambda: tab.session.private)
        if word == REPORT:
            return ReportRecorder(path, masking, failed)
        if word == PROFILE:
            return ProfileRecorder(path, masking, failed)
        return HarRecorder(path, masking, failed)

    try:
        return await asyncio.to_thread(made)
    except OSError as error:
        raise ActionError(f"Cannot write {str(path)!r}: {error.strerror}.", code="output") from None
