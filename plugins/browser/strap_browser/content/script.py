"""Asking the page: commands to the part of strap that runs beside the page's own scripts.

It is a Playwright selector engine in the isolated world (`agent.js`): it gets the very
element that a ref, a selector or a role means, in any frame and shadow root, out of the reach of
the page, and answers in one round trip. `chained` marks a command on an element; where there is
no such element, the one that is given as `otherwise` answers.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from strap import ActionError, Secrets

if TYPE_CHECKING:
    from playwright.async_api import Frame, Locator, Page, Playwright

PARTS = (
    "areas",
    "code",
    "elements",
    "obstacles",
    "aria",
    "states",
    "names",
    "uses",
    "refs",
    "outline",
    "fields",
    "reading",
    "scrolling",
    "changes",
    "watching",
)
LIMIT_MS = 60_000
"""Time limit of Playwright's; the router's own is reached earlier."""
FRAME_LIMIT_MS = 1_000
ScriptAnswer = dict[str, Any]


async def install(playwright: "Playwright", engine: str) -> None:
    """Make the engine of that name known to all browser contexts there are.

    Playwright hands engines to contexts that are made later, but not to those that it finds when
    it connects to a browser: call it after each connection, with a name of its own each time.
    """
    await playwright.selectors.register(engine, source(engine), content_script=True)


@cache
def script(name: str) -> str:
    """Return a script of the page's side, without comments and indentation."""
    text = (files("strap_browser.content") / f"{name}.js").read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    return code.removesuffix(";")


def source(engine: str) -> str:
    """Return the script of the engine, of which its world has one, a global of the same name."""
    return f"(() => globalThis[{engine!r}] ??= {_engine()})()"


@cache
def _engine() -> str:
    parts = "\n".join(f"{script(part)};" for part in PARTS)
    return f"(() => {{\n{parts}\nreturn {script('commands')};\n}})()"


def question(op: str, arguments: dict[str, Any]) -> str:
    """Return a command and what of its arguments is given, as JSON text."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return json.dumps({"op": op, **given})


@dataclass(frozen=True, slots=True)
class PageScript:
    """The agent of one page, by the name of its engine."""

    page: "Page"
    engine: str
    secrets: Secrets = field(default_factory=Secrets)
    """What no answer is to show."""

    async def ask(self, op: str, **arguments: Any) -> ScriptAnswer:
        """Ask the main document."""
        return await self.ask_frame(self.page.main_frame, op, LIMIT_MS, **arguments)

    async def ask_frame(
        self, frame: "Frame", op: str, limit: int = FRAME_LIMIT_MS, **arguments: Any
    ) -> ScriptAnswer:
        """Ask the document of a frame."""
        return self._read(await frame.text_content(self._command(op, arguments), timeout=limit))

    async def ask_element(
        self, element: "Locator", op: str, *, otherwise: str = "gone", **arguments: Any
    ) -> ScriptAnswer:
        """Ask about the one element that `element` finds; `{"gone": True}` if there is none."""
        command = self._command(op, {**arguments, "chained": True})
        instead = self._command(otherwise, {**arguments, "otherwise": True})
        both = element.locator(command).or_(self.page.locator(instead))
        return self._read(await both.text_content(timeout=LIMIT_MS))

    def selector(self, ref: str) -> str:
        """Return the selector of the element with the page's own `ref`."""
        return self._command("element", {"ref": ref})

    def _command(self, op: str, arguments: dict[str, Any]) -> str:
        return f"{self.engine}={quote(question(op, arguments), safe='')}"

    def _read(self, text: str | None) -> ScriptAnswer:
        return self.checked(json.loads(text or "{}"))

    def checked(self, answer: Any) -> ScriptAnswer:
        """Return an answer of the page without what is not to be shown.

        Raises `ActionError` (code "page_script") where the page's side failed.
        """
        answer = self.secrets.hide_all(answer)
        if not isinstance(answer, dict) or "error" in answer:
            reason = answer.get("error") if isinstance(answer, dict) else answer
            raise ActionError(f"The page could not be asked: {reason}.", code="page_script")
        return answer
