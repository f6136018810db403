"""A test for @playwright/test, in TypeScript."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from strap_script.formats.locators import Step
from strap_script.formats.playwright_test import COUNTS, HOLD, PlaywrightTest

SIMPLE = {
    "navigate": "await page.goto({url});",
    "back": "await page.goBack();",
    "forward": "await page.goForward();",
    "reload": "await page.reload();",
    "hover": "await {target}.hover();",
    "evaluate": "await page.evaluate({text});",
    "drag to": "await {target}.dragTo({to});",
    "scroll into view": "await {target}.scrollIntoViewIfNeeded();",
    "scroll to": "await page.evaluate('window.scrollTo(0, {end})');",
    "scroll by": "await page.mouse.wheel({x:g}, {y:g});",
    "resize": "await page.setViewportSize({{ width: {width}, height: {height} }});",
}
KEYED = {
    "fill": ("await {target}.fill({value});", ""),
    "type": ("await {target}.pressSequentially({text});", "await page.keyboard.type({text});"),
    "press": ("await {target}.press({key});", "await page.keyboard.press({key});"),
    "select": ("await {target}.selectOption({value});", ""),
    "upload": ("await {target}.setInputFiles({paths});", ""),
}


class TypeScriptTest(PlaywrightTest):
    """Writes a module with one test."""

    forms, keyed = SIMPLE, KEYED

    def text(self) -> str:
        """Return the whole file."""
        body = [f"  {row}" for statement in self.statements() for row in statement.split("\n")]
        values = [_constant(name, default) for name, default in self.named_values()]
        needs = [_NEEDED] if any("needed(" in value for value in values) else []
        return "\n".join(
            (
                f"// {self._made.script.comment or 'Recorded'}; written by strap.",
                "import { expect, test } from '@playwright/test';",
                "",
                *needs,
                *values,
                "",
                "test('recorded', async ({ page }) => {",
                *body,
                "});",
                "",
            )
        )

    def step(self, step: Step) -> str:
        """Return the code of one step of a locator."""
        text = self.string(step.text)
        if step.kind == "role":
            options = [] if step.name is None else self._named(step)
            options += [f"level: {step.number}"] if step.number else []
            more = f", {{ {', '.join(options)} }}" if options else ""
            return f".getByRole({text}{more})"
        if step.kind in ("text", "label"):
            call = "getByText" if step.kind == "text" else "getByLabel"
            if step.open_end:
                return f".{call}({_regex('^' + re.escape(step.text))})"
            return f".{call}({text}, {{ exact: true }})"
        return {
            "css": f".locator({text})",
            "frame": f".frameLocator({text})",
            "having": f".filter({{ hasText: {text} }})",
            "and": f".and(page.locator({text}))",
            "nth": f".nth({step.number})",
        }[step.kind]

    def _named(self, step: Step) -> list[str]:
        if step.open_end:
            return [f"name: {_regex('^' + re.escape(step.name or ''))}"]
        return [f"name: {self.string(step.name or '')}", "exact: true"]

    def _click(self, target: str, arguments: Mapping[str, Any]) -> str:
        how, more = arguments.get("value"), []
        if how in ("right", "middle"):
            more.append(f"button: '{how}'")
        if how in COUNTS:
            more.append(f"clickCount: {COUNTS[how]}")
        if how == "hold":
            more.append(f"delay: {HOLD}")
        if key := arguments.get("key"):
            more.append(f"modifiers: {json.dumps(str(key).split('+'))}")
        if not target:
            return "await page.mouse.click({x:g}, {y:g});".format(**arguments)
        if "x" in arguments:
            more.append("position: {{ x: {x:g}, y: {y:g} }}".format(**arguments))
        options = f"{{ {', '.join(more)} }}" if more else ""
        return f"await {target}.click({options});"

    def expect(self, what: str, value: str, *, gone: bool) -> str:
        """Return the statement that waits for something."""
        if what == "url":
            return f"await expect(page).toHaveURL({_regex(value)});"
        locator = value
        if what == "text":
            locator = f"page.getByText({value}).filter({{ visible: true }}).first()"
        return f"await expect({locator}).{'toBeHidden' if gone else 'toBeVisible'}();"

    def answering(self, request: tuple[str, str], act: str) -> Iterator[str]:
        """Yield the action, and the wait for an answer that began before it."""
        method, pattern = self.string(request[0]), _regex(request[1])
        condition = f"r.request().method() === {method} && {pattern}.test(r.url())"
        yield f"await Promise.all([\n  page.waitForResponse((r) => {condition}),"
        yield "\n".join(f"  {line}" for line in [act.removeprefix("await ").rstrip(";") + ","])
        yield "]);"

    def accepting(self, arguments: Mapping[str, Any]) -> str:
        """Return the statement that answers the next dialog."""
        if arguments.get("value") == "dismiss":
            return "page.once('dialog', (dialog) => dialog.dismiss());"
        text = self.value(str(arguments["text"])) if arguments.get("text") is not None else ""
        return f"page.once('dialog', (dialog) => dialog.accept({text}));"


_NEEDED = """const needed = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`Set ${name} in the environment.`);
  return value;
};"""


def _constant(name: str, default: str | None) -> str:
    if default is None:
        return f"const {name} = needed('{name}');"
    return f"const {name} = process.env.{name} ?? {json.dumps(default, ensure_ascii=False)};"


def _regex(pattern: str) -> str:
    """Return a regular expression literal; one of Python escapes signs that JavaScript does not."""
    plain = re.sub(r"\\([\s\-#&~])", r"\1", pattern).replace("\n", "\\n")
    return "/" + re.sub(r"(?<!\\)/", r"\\/", plain) + "/"
