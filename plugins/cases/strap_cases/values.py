"""Values in braces: `{name}` is filled in here; `{{name}}` is a secret and stays."""

import re
from collections.abc import Callable, Mapping

from strap import UsageError
from strap_cases.problems import closest

NAME = re.compile(r"[A-Za-z_]\w*")
BUILT_IN = ("base_url", "case", "attempt", "unique")
BRACES: Mapping[str, str] = {"{": "{", "}": "}"}
_PLACES = re.compile(
    rf"\\(?P<escaped>.)|\{{\{{[^{{}}]*\}}\}}|\{{(?P<name>{NAME.pattern})\}}", re.DOTALL
)


def fill(
    text: str,
    values: Mapping[str, str],
    *,
    escapes: Mapping[str, str] = BRACES,
    quote: Callable[[str], str] = str,
) -> str:
    r"""Return the text with each `{name}` replaced by its value; raises `UsageError` for others.

    `escapes` says what `\` and a character stand for; other backslashes stay. `quote` makes a value
    fit for its place.
    """

    def place(match: re.Match[str]) -> str:
        if match["name"]:
            return quote(_value(match["name"], values))
        return escapes.get(match["escaped"] or "", match[0])

    return _PLACES.sub(place, text)


class NoValue(UsageError):
    """A name stands for nothing: what is around it may be right."""


def _value(name: str, values: Mapping[str, str]) -> str:
    if name not in values:
        raise NoValue(
            f"there is no value for {{{name}}}; give it as a column of Examples, in params or with"
            f" --param, or write \\{{{name}}} for the braces.{closest(name, sorted(values))}"
        )
    return values[name]
