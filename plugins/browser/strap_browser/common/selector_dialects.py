"""How selectors of other tools are written here: said where a selector is none."""

import re
from collections.abc import Callable

LONGEST = 500
"""Characters of a selector beyond which no nearest form is looked for."""
NATIVE = {
    "button": "button",
    "cell": "td",
    "heading": "h1, h2, h3, h4, h5, h6",
    "link": "a",
    "listitem": "li",
    "row": "tr",
}
"""The elements that have a role by themselves (HTML-AAM), of roles whose name is their text."""
LABELLED = frozenset(
    (
        "checkbox",
        "combobox",
        "img",
        "listbox",
        "radio",
        "searchbox",
        "slider",
        "spinbutton",
        "switch",
        "textbox",
    )
)
"""Roles whose name is a label beside them."""
ATTRIBUTES = {
    "alttext": "alt",
    "label": "aria-label",
    "placeholder": "placeholder",
    "testid": "data-testid",
    "title": "title",
}
"""What Playwright's locators look at, by their names without `get_by_`."""
LOCATOR = r"(?:await )?(?:page\.)?"
"""How a locator of Playwright's begins in code."""


def nearest_selector(part: str) -> str:
    """Return the nearest form that is a selector, "" where none is near."""
    if len(part) > LONGEST:
        return ""
    for pattern, write in DIALECTS:
        if found := re.fullmatch(pattern, part, re.IGNORECASE):
            return write(**{key: text for key, text in found.groupdict().items() if key != "mark"})
    return ""


def _of_text(css: str, text: str) -> str:
    return f"{css or '*'} >> text={text}"


def _of_attribute(name: str, value: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", value)
    return f'[{name}="{escaped}"]'


def _of_role(role: str, name: str | None) -> str:
    if role in LABELLED and name is not None:
        return _of_attribute("aria-label", name)
    css = f":is({NATIVE[role]}, [role={role}])" if role in NATIVE else f"[role={role}]"
    return css if name is None else _of_text(css, name)


def _of_locator(kind: str, text: str) -> str:
    kind = kind.replace("_", "").lower()
    return f"text={text}" if kind == "text" else _of_attribute(ATTRIBUTES[kind], text)


DIALECTS: tuple[tuple[str, Callable[..., str]], ...] = (
    (
        r"(?P<css>.*?):(?:has-text|text|text-is|contains)\((?P<mark>[\"'])(?P<text>.*)(?P=mark)\)",
        _of_text,
    ),
    (r"(?P<css>.+?):visible", "{css} >> visible=true".format),
    (
        r":nth-match\((?P<css>.+), *(?P<place>[1-9]\d{0,5})\)",
        lambda css, place: f"{css} >> nth={int(place) - 1}",
    ),
    (r"id=(?P<id>[\w-]+)", "#{id}".format),
    (r"data-test-?id=(?P<value>.+)", lambda value: _of_attribute("data-testid", value)),
    (r"label=(?P<value>.+)", lambda value: _of_attribute("aria-label", value)),
    (r"(?P<name>alt|aria-label|data-[\w-]+|name|placeholder|title)=(?P<value>.+)", _of_attribute),
    (r"role=(?P<role>\w+)(?:\[name=(?P<mark>[\"'])(?P<name>.*?)(?P=mark).*\])?", _of_role),
    (LOCATOR + r"(?:\$|locator)\((?P<mark>[\"'])(?P<css>.+)(?P=mark)\)", "{css}".format),
    (LOCATOR + r"get_?by_?role\([\"'](?P<role>\w+)[\"']\)", lambda role: _of_role(role, None)),
    (
        LOCATOR + r"get_?by_?role\([\"'](?P<role>\w+)[\"'], *\{? *name *[:=] *"
        r"(?P<mark>[\"'])(?P<name>.*?)(?P=mark).*\)",
        _of_role,
    ),
    (
        LOCATOR + r"get_?by_?(?P<kind>alt_?text|label|placeholder|test_?id|text|title)"
        r"\((?P<mark>[\"'])(?P<text>.*?)(?P=mark).*\)",
        _of_locator,
    ),
)
"""What is written in another way, as a pattern of its whole, and what writes it here."""
