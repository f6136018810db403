"""A call of the console as text: the Formatter of the Console Standard (WHATWG, 2.2)."""

import re
from collections.abc import Iterator

_SPECIFIER = re.compile(r"%([%sdifoOc])")


def formatted(arguments: list[str]) -> str:
    """Return the arguments, each as text already, as a console shows them.

    What the first one says with `%s`, `%d`, `%i`, `%f`, `%o`, `%O` and `%c` is filled in.
    """
    if len(arguments) < 2:
        return " ".join(arguments)
    first, *rest = arguments
    given = iter(rest)
    text = _SPECIFIER.sub(lambda found: _filled(found, given), first)
    return " ".join((text, *given))


def _filled(found: re.Match[str], given: Iterator[str]) -> str:
    kind = found[1]
    if kind == "%":
        return "%"
    value = next(given, None)
    if value is None:
        return found[0]
    if kind == "c":  # a style
        return ""
    return _number(value, whole=kind != "f") if kind in "dif" else value


def _number(text: str, *, whole: bool) -> str:
    try:
        return str(int(float(text))) if whole else f"{float(text):g}"
    except (ValueError, OverflowError):
        return "NaN"
