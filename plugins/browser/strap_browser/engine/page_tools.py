"""The tools that a page and its frames register by WebMCP, as DevTools tells of them."""

import asyncio
import json
import re
from collections import OrderedDict
from typing import Any

from strap import Consent, record
from strap_browser.cdp.connection import LEFT_OUT, CdpSession, Params
from strap_browser.engine.frames.frame import Frame, addresses
from strap_browser.engine.page import Page

MOST_TOOLS = 1_000
"""Tools that are kept; a page may register any number."""
MOST_ANSWERS = 20
"""Answers that are kept until the caller takes them: they may come before the call returns."""
LONGEST = 2_000
"""Characters that are kept of a description or schema: it is the page's text."""
INVOCATION = re.compile(r'"WebMCP\.toolResponded".*?"invocationId":"([^"]+)"')


@record
class Tool:
    """Tool that a page declares in one of its frames."""

    name: str
    frame: Frame
    description: str
    schema: str
    reads: bool
    """Whether it says that it only reads."""
    whole: int
    """A hash of all that is said of it."""


class PageTools:
    """Follows one page: its tools now, by frame and name, and the answers of calls."""

    def __init__(self, page: Page) -> None:
        self.untold = 0
        """How many more there are than are kept, as far as it is known."""
        self.listed: dict[tuple[str, str], int] = {}
        """The hashes of tools as they were listed, by frame and name."""
        self._page = page
        self._tools: dict[tuple[str, str], Tool] = {}
        self._answers: OrderedDict[str, Params] = OrderedDict()
        self._came = asyncio.Event()
        self._followed = set[str]()

    def enable(self) -> None:
        """Begin to listen; nobody waits for it, as a browser without WebMCP refuses it."""
        self._page.on("session", self._follow)
        for frame in self._page.frames:
            self._follow(frame.session)

    @property
    def tools(self) -> list[Tool]:
        """The tools now: those of the page, then those of its frames, as they were registered."""
        tools = [tool for tool in self._tools.values() if not tool.frame.is_detached]
        return sorted(tools, key=lambda tool: tool.frame is not self._page.main_frame)

    def allowed(self, consent: Consent) -> list[Tool]:
        """Return the tools that the policy does not deny: a page may say no word of others."""
        main = self._page.main_frame
        return [
            tool
            for tool in self.tools
            if not consent.denied_by(f"tools:{tool.name}", *addresses(main, [tool.frame]))
        ]

    async def invoke(self, tool: Tool, arguments: dict[str, Any]) -> str:
        """Begin a call of a tool and return its number; raises `CdpError`."""
        params = {"frameId": tool.frame.id, "toolName": tool.name, "input": arguments}
        answer = await tool.frame.session.send("WebMCP.invokeTool", **params)
        return str(answer["invocationId"])

    async def answer(self, number: str) -> Params:
        """Wait for what a call answers, and return it."""
        while number not in self._answers:
            self._came.clear()
            await self._came.wait()
        return self._answers.pop(number)

    def cancel(self, tool: Tool, number: str) -> None:
        """Tell a tool that nobody waits for its answer any more."""
        tool.frame.session.send("WebMCP.cancelInvocation", invocationId=number)

    def _follow(self, session: CdpSession) -> None:
        if session.id in self._followed:
            return
        self._followed.add(session.id)
        session.on("WebMCP.toolsAdded", self._on_added)
        session.on("WebMCP.toolsRemoved", self._on_removed)
        session.on("WebMCP.toolResponded", self._on_answer)
        session.on(LEFT_OUT, self._on_left_out)
        session.on("Page.frameNavigated", self._on_navigated)
        session.send("WebMCP.enable")

    def _on_added(self, event: Params) -> None:
        for tool in event["tools"]:
            frame, key = self._page.frame(tool["frameId"]), (tool["frameId"], tool["name"])
            if frame is None or (key not in self._tools and len(self._tools) >= MOST_TOOLS):
                self.untold += frame is not None
                continue
            self._tools[key] = _read(tool, frame)

    def _on_removed(self, event: Params) -> None:
        for tool in event["tools"]:
            if not self._tools.pop((tool["frameId"], tool["name"]), None):
                self.untold = max(0, self.untold - 1)

    def _on_navigated(self, event: Params) -> None:
        frame = event["frame"]["id"]
        if frame == self._page.main_frame.id:
            self._tools, self.listed, self.untold = {}, {}, 0
        for mapping in (self._tools, self.listed):
            for key in [key for key in mapping if key[0] == frame]:
                del mapping[key]

    def _on_answer(self, event: Params) -> None:
        self._answers[event["invocationId"]] = event
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        self._came.set()

    def _on_left_out(self, event: Params) -> None:
        """Take an answer that is too long to be read for what it is."""
        if match := INVOCATION.search(event["head"]):
            failed = '"status":"Error"' in event["head"]
            size = {"left_out": event["characters"], "failed": failed}
            self._on_answer({"invocationId": match[1], **size})
        elif '"WebMCP.toolsAdded"' in event["head"]:
            self.untold += 1


def _read(raw: Params, frame: Frame) -> Tool:
    schema, hints = json.dumps(raw.get("inputSchema", {})), raw.get("annotations") or {}
    reads = bool(hints.get("readOnly") or hints.get("readOnlyHint"))
    description = str(raw.get("description", ""))
    return Tool(
        name=raw["name"],
        frame=frame,
        description=description[:LONGEST],
        schema=schema[:LONGEST],
        reads=reads,
        whole=hash((description, schema, reads)),
    )
