"""How selectors of other tools are written here: said where a selector is none."""

import re
from collections.abc import Callable

LONGEST = 500
"""Characters of a selector beyond which no nearest form is looked for."""
NATIVE = {
    "button": "button",
    "cell": "td",
    "checkbox": "input[type=checkbox]",
    "combobox": "select",
    "heading": "h1, h2, h3, h4, h5, h6",
    "img": "img",
    "link": "a",
    "listitem": "li",
    "radio": "input[type=radio]",
    "row": "tr",
    "textbox": "input, textarea",
}
"""The elements that have a role by themselves (HTML-AAM), the commonest of them."""
NAMED_BY_TEXT = frozenset(("button", "cell", "heading", "link", "listitem", "row", "tab"))
"""Roles whose name is their text; that of others is a label beside them, which no CSS finds."""
ATTRIBUTES = {
    "alttext": "alt",
    "placeholder": "placeholder",
    "testid": "data-testid",
    "title": "title",
}
"""Attributes that Playwright's locators look at, by their names without `get_by_`."""
QUOTED = r"(?P<mark>[\"'])(?P<text>[^\"'\\]+)(?P=mark)"
VALUE = r"(?P<mark>[\"']?)(?P<text>.+)(?P=mark)"
LOCATED = r"(?:await )?(?:page\.)?"
"""How a locator of Playwright's begins in code."""
OPTIONS = r"(?:, *\{[^{}]*\}|, *exact *= *\w+)?\)"
"""How it ends: nothing may follow, as what follows means another element."""


def nearest_selector(selector: str, part: str) -> str:
    """Return the nearest form of `selector`, as `part` of it is none; "" where none is near."""
    near = _nearest(part) if selector.count(part) == 1 else ""
    return near and selector.replace(part, near)


def _nearest(part: str) -> str:
    if len(part) > LONGEST:
        return ""
    for pattern, write in DIALECTS:
        if match := re.fullmatch(pattern, part, re.IGNORECASE):
            return write(**{key: text for key, text in match.groupdict().items() if key != "mark"})
    return ""


def _of_text(css: str, text: str) -> str:
    return f"{css or '*'} >> text={text}"


def _of_attribute(name: str, text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return f'[{name}="{escaped}"]'


def _of_role(role: str, text: str | None = None) -> str:
    css = f":is({NATIVE[role]}, [role={role}])" if role in NATIVE else f"[role={role}]"
    if text is None:
        return css
    return _of_text(css, text) if role in NAMED_BY_TEXT else ""


def _of_locator(kind: str, text: str) -> str:
    return _of_attribute(ATTRIBUTES[kind.replace("_", "").lower()], text)


PLAIN = r"[^\"':>]"
"""A sign of CSS in which nothing of other tools can be."""
DIALECTS: tuple[tuple[str, Callable[..., str]], ...] = (
    (rf"(?P<css>{PLAIN}*):(?:has-text|text|text-is|contains)\({QUOTED}\)", _of_text),
    (rf"(?P<css>{PLAIN}+):visible", "{css} >> visible=true".format),
    (
        rf":nth-match\((?P<css>{PLAIN}+), *(?P<place>[1-9]\d{{0,5}})\)",
        lambda css, place: f"{css} >> nth={int(place) - 1}",
    ),
    (r"id=(?P<id>[\w-]+)", "#{id}".format),
    (rf"(?P<name>alt|aria-label|data-[\w-]+|name|placeholder|title)={VALUE}", _of_attribute),
    (rf"role=(?P<role>\w+)(?:\[name={QUOTED}\])?", _of_role),
    (
        LOCATED + rf"(?:\$|locator)\((?P<mark>[\"'])(?P<css>(?!\w+=)[\w.#\[*]{PLAIN}*)(?P=mark)\)",
        "{css}".format,
    ),
    (LOCATED + r"get_?by_?role\([\"'](?P<role>\w+)[\"']\)", _of_role),
    (
        LOCATED + r"get_?by_?role\([\"'](?P<role>\w+)[\"'], *(?:name=|\{ *name: *)"
        rf"{QUOTED}(?:, *exact[=:] *\w+)? *\}}?\)",
        _of_role,
    ),
    (LOCATED + rf"get_?by_?text\({QUOTED}{OPTIONS}", "text={text}".format),
    (
        LOCATED + rf"get_?by_?(?P<kind>alt_?text|placeholder|test_?id|title)\({QUOTED}{OPTIONS}",
        _of_locator,
    ),
)
"""Patterns of whole selectors in other dialects, and the function that writes each as strap's."""
