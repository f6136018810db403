"""A test for pytest and Playwright, which imports nothing of strap."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from strap_script.formats.locators import Step
from strap_script.formats.playwright_test import COUNTS, HOLD, PlaywrightTest

SIMPLE = {
    "navigate": "page.goto({url})",
    "back": "page.go_back()",
    "forward": "page.go_forward()",
    "reload": "page.reload()",
    "hover": "{target}.hover()",
    "evaluate": "page.evaluate({text})",
    "drag to": "{target}.drag_to({to})",
    "scroll into view": "{target}.scroll_into_view_if_needed()",
    "scroll to": 'page.evaluate("window.scrollTo(0, {end})")',
    "scroll by": "page.mouse.wheel({x:g}, {y:g})",
    "resize": 'page.set_viewport_size({{"width": {width}, "height": {height}}})',
}
KEYED = {
    "fill": ("{target}.fill({value})", ""),
    "type": ("{target}.press_sequentially({text})", "page.keyboard.type({text})"),
    "press": ("{target}.press({key})", "page.keyboard.press({key})"),
    "select": ("{target}.select_option({value})", ""),
    "upload": ("{target}.set_input_files({paths})", ""),
}


class PythonTest(PlaywrightTest):
    """Writes a module with one test."""

    forms, keyed = SIMPLE, KEYED
    own = (*PlaywrightTest.own, "new_page")

    def text(self) -> str:
        """Return the whole file."""
        lines = [f"    {row}" for statement in self.statements() for row in statement.split("\n")]
        head = [f'"""{self._made.script.comment or "Recorded"}; written by strap."""', ""]
        body = "\n".join(lines)
        head += ["import os", *(["import re"] if "re." in body else [])]
        head += ["", "from playwright.sync_api import Page, expect", ""]
        head += [_constant(name, default) for name, default in self.named_values()]
        return "\n".join([*head, "", "", "def test_recorded(page: Page) -> None:", body]) + "\n"

    def step(self, step: Step) -> str:
        """Return the code of one step of a locator."""
        text = self.string(step.text)
        if step.kind == "role":
            level = f", level={step.number}" if step.number else ""
            name = "" if step.name is None else f", name={self._words(step.name, step)}"
            return f".get_by_role({text}{name}{level})"
        if step.kind in ("text", "label"):
            return f".get_by_{step.kind}({self._words(step.text, step)})"
        return {
            "css": f".locator({text})",
            "frame": f".frame_locator({text})",
            "having": f".filter(has_text={text})",
            "and": f".and_(page.locator({text}))",
            "nth": f".nth({step.number})",
        }[step.kind]

    def _words(self, words: str, step: Step) -> str:
        if step.open_end:
            return f"re.compile({self.string('^' + re.escape(words))})"
        return f"{self.string(words)}, exact=True"

    def _click(self, target: str, arguments: Mapping[str, Any]) -> str:
        how, more = arguments.get("value"), []
        if how in ("right", "middle"):
            more.append(f'button="{how}"')
        if how in COUNTS:
            more.append(f"click_count={COUNTS[how]}")
        if how == "hold":
            more.append(f"delay={HOLD}")
        if key := arguments.get("key"):
            more.append(f"modifiers={json.dumps(str(key).split('+'))}")
        if not target:
            return "page.mouse.click({x:g}, {y:g})".format(**arguments)
        if "x" in arguments:
            more.append('position={{"x": {x:g}, "y": {y:g}}}'.format(**arguments))
        return f"{target}.click({', '.join(more)})"

    def _new_page(self, _target: str, arguments: Mapping[str, Any]) -> str:
        going = f"\npage.goto({self.value(str(arguments['url']))})" if arguments.get("url") else ""
        return f"page = page.context.new_page(){going}"

    def expect(self, what: str, value: str, *, gone: bool) -> str:
        """Return the statement that waits for something."""
        if what == "url":
            return f"expect(page).to_have_url(re.compile({self.string(value)}))"
        locator = (
            f"page.get_by_text({value}).filter(visible=True).first" if what == "text" else value
        )
        return f"expect({locator}).to_be_{'hidden' if gone else 'visible'}()"

    def answering(self, request: tuple[str, str], act: str) -> Iterator[str]:
        """Yield the action within the wait for an answer."""
        method, pattern = map(self.string, request)
        condition = f"r.request.method == {method} and re.search({pattern}, r.url) is not None"
        yield f"with page.expect_response(lambda r: {condition}):"
        yield "\n".join(f"    {line}" for line in act.split("\n"))

    def accepting(self, arguments: Mapping[str, Any]) -> str:
        """Return the statement that answers the next dialog."""
        if arguments.get("value") == "dismiss":
            return 'page.once("dialog", lambda dialog: dialog.dismiss())'
        text = self.value(str(arguments["text"])) if arguments.get("text") is not None else ""
        return f'page.once("dialog", lambda dialog: dialog.accept({text}))'


def _constant(name: str, default: str | None) -> str:
    if default is None:
        return f'{name} = os.environ["{name}"]'
    return f'{name} = os.environ.get("{name}", {json.dumps(default, ensure_ascii=False)})'
