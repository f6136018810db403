"""Console of a page: calls of its scripts, messages of the browser, uncaught errors.

Sources: the Formatter of the Console Standard (WHATWG, 2.2); the domains Runtime and Log of the
Chrome DevTools protocol.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from strap import record

if TYPE_CHECKING:
    from cdp_use.cdp.log.types import LogEntry
    from cdp_use.cdp.runtime.events import ConsoleAPICalledEvent, ExceptionThrownEvent
    from cdp_use.cdp.runtime.types import ObjectPreview, RemoteObject

_SPECIFIER = re.compile(r"%([%sdifoOc])")
_STACK = "\n    at "


@record
class ConsoleMessage:
    """A line of the console; `url` and `line`, from 0, are where it came from."""

    type: str
    text: str
    url: str = ""
    line: int = 0
    is_of_network: bool = False
    """Whether it tells of a request that failed, as the request itself does."""


def spoken(event: "ConsoleAPICalledEvent") -> ConsoleMessage:
    """Return the message of `Runtime.consoleAPICalled`."""
    stack = event.get("stackTrace")
    call = stack["callFrames"][0] if stack and stack["callFrames"] else None
    return ConsoleMessage(
        type=event["type"],
        text=formatted(list(map(_shown, event["args"]))),
        url=call["url"] if call else "",
        line=call["lineNumber"] if call else 0,
    )


def logged(entry: "LogEntry") -> ConsoleMessage:
    """Return the message of `Log.entryAdded`."""
    url, line = entry.get("url", ""), entry.get("lineNumber", 0)
    return ConsoleMessage(
        type=entry["level"],
        text=entry["text"],
        url=url,
        line=line,
        is_of_network=entry["source"] == "network",
    )


def thrown(event: "ExceptionThrownEvent") -> str:
    """Return the message of `Runtime.exceptionThrown`, without the error's name and stack."""
    details = event["exceptionDetails"]
    error = details.get("exception", {})
    text = str(error.get("description") or error.get("value") or details.get("text", ""))
    name, colon, message = text.partition(_STACK)[0].partition(": ")
    return message if colon else name


def formatted(arguments: list[str]) -> str:
    """Return the arguments, each as text already, as a console shows them.

    What the first one says with `%s`, `%d`, `%i`, `%f`, `%o`, `%O` and `%c` is filled in.
    """
    if len(arguments) < 2:
        return " ".join(arguments)
    first, *rest = arguments
    values = iter(rest)
    text = _SPECIFIER.sub(lambda match: _filled(match, values), first)
    return " ".join((text, *values))


def _filled(match: re.Match[str], values: Iterator[str]) -> str:
    kind = match[1]
    if kind == "%":
        return "%"
    value = next(values, None)
    if value is None:
        return match[0]
    if kind == "c":  # a style
        return ""
    return _number(value, whole=kind != "f") if kind in "dif" else value


def _number(text: str, *, whole: bool) -> str:
    try:
        return str(int(float(text))) if whole else f"{float(text):g}"
    except (ValueError, OverflowError):
        return "NaN"


def _shown(value: "RemoteObject") -> str:
    if "value" in value:
        plain = value["value"]
        return str(plain).lower() if isinstance(plain, bool) else _text(plain)
    if preview := value.get("preview"):
        if preview.get("subtype") == "array":
            return f"[{', '.join(_properties(preview, named=False))}]"
        if value.get("description") == "Object":
            return f"{{{', '.join(_properties(preview, named=True))}}}"
    return str(value.get("unserializableValue") or value.get("description") or value["type"])


def _text(plain: object) -> str:
    if plain is None:
        return "null"
    is_whole = isinstance(plain, float) and plain.is_integer()
    return str(int(plain)) if is_whole and isinstance(plain, float) else str(plain)


def _properties(preview: "ObjectPreview", *, named: bool) -> Iterator[str]:
    for prop in preview.get("properties", ()):
        yield f"{prop['name']}: {prop.get('value', '')}" if named else prop.get("value", "")
