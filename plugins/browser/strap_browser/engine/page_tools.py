"""The tools that a page registers by WebMCP, as DevTools tells of them."""

import asyncio
from collections import OrderedDict
from typing import Any

from strap_browser.cdp.connection import Params
from strap_browser.engine.page import Page

MOST_TOOLS = 200
"""Tools that are kept; a page may register thousands."""
MOST_ANSWERS = 20
"""Answers that are kept until the caller takes them: they may come before the call returns."""
Tool = dict[str, Any]


class PageTools:
    """Follows one page: its tools now, by frame and name, and the answers of calls."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._tools: dict[tuple[str, str], Tool] = {}
        self._answers: OrderedDict[str, Params] = OrderedDict()
        self._came = asyncio.Event()
        session = page.session
        session.on("WebMCP.toolsAdded", self._on_added)
        session.on("WebMCP.toolsRemoved", self._on_removed)
        session.on("WebMCP.toolResponded", self._on_answer)
        session.on("Page.frameNavigated", self._on_navigated)

    def enable(self) -> None:
        """Begin to listen; nobody waits for it, as a browser without WebMCP refuses it."""
        self._page.session.send("WebMCP.enable")

    @property
    def tools(self) -> list[Tool]:
        """The tools now, in the order in which they were registered."""
        return list(self._tools.values())

    async def call(self, tool: Tool, arguments: dict[str, Any]) -> Params:
        """Call a tool and return what it answers; raises `CdpError`."""
        asked = {"frameId": tool["frameId"], "toolName": tool["name"], "input": arguments}
        told = await self._page.session.send("WebMCP.invokeTool", **asked)
        number = told["invocationId"]
        while number not in self._answers:
            self._came.clear()
            await self._came.wait()
        return self._answers.pop(number)

    def _on_added(self, event: Params) -> None:
        for tool in event["tools"]:
            if len(self._tools) < MOST_TOOLS:
                self._tools[tool["frameId"], tool["name"]] = tool

    def _on_removed(self, event: Params) -> None:
        for tool in event["tools"]:
            self._tools.pop((tool["frameId"], tool["name"]), None)

    def _on_navigated(self, event: Params) -> None:
        frame = event["frame"]
        gone = [key for key in self._tools if key[0] == frame["id"] or not frame.get("parentId")]
        for key in gone:
            del self._tools[key]

    def _on_answer(self, event: Params) -> None:
        self._answers[event["invocationId"]] = event
        if len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        self._came.set()
