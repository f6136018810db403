"""The grammar of checks: from the text between back-ticks to a `Check`."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from strap import UsageError
from strap.targets.roles import ROLES
from strap_cases.checks import Check, Text
from strap_cases.problems import closest
from strap_cases.scanner import Scanner
from strap_cases.values import NoValue

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
STATES = ("checked", "disabled", "expanded")
RELATIONS = ("<", ">", "=")
Arguments = dict[str, Text | str | int]


class Kind(NamedTuple):
    """How a kind of check is written, and what reads it."""

    form: str
    read: Callable[[Scanner], Arguments]


def parse_check(source: str, line: int, values: Mapping[str, str]) -> Check:
    """Parse a check, then fill its values, which cannot change its meaning; raises `UsageError`."""
    scanner = Scanner(source, values)
    negative = scanner.take("no")
    name = _kind(scanner)
    kind = KINDS[name]
    try:
        arguments = kind.read(scanner)
        scanner.end()
    except NoValue as error:
        raise UsageError(f"`{source}`: {error}") from None
    except UsageError as error:
        what = str(error).rstrip(".")
        end = "" if what.endswith("?") else "."
        raise UsageError(f"`{source}`: {what}{end} Write `{kind.form}`.") from None
    return Check(kind=name, arguments=arguments, negative=negative, source=source, line=line)


def names_a_check(source: str) -> bool:
    """Whether a text begins as a check does."""
    scanner = Scanner(source, {})
    scanner.take("no")
    return any(scanner.take(*name.split()) for name in KINDS)


def _kind(scanner: Scanner) -> str:
    for name in KINDS:
        if scanner.take(*name.split()):
            return name
    first = scanner.rest.partition(" ")[0]
    raise UsageError(f"`{scanner.source}`: {first!r} is not a valid check.{closest(first, KINDS)}")


def _url(scanner: Scanner) -> Arguments:
    return {"pattern": scanner.pattern()}


def _string(scanner: Scanner) -> Arguments:
    return {"text": scanner.text()}


def _nothing(_: Scanner) -> Arguments:
    return {}


def _text(scanner: Scanner) -> Arguments:
    arguments: Arguments = {"text": scanner.text()}
    if scanner.take("in"):
        arguments["selector"] = scanner.selector()
    return arguments


def _role(scanner: Scanner) -> Arguments:
    role = scanner.word("a role")
    if role not in ROLES:
        raise UsageError(f"{role!r} is not a role of ARIA.{closest(role, ROLES)}")
    arguments: Arguments = {"role": role}
    if scanner.rest.startswith(('"', "/")):
        arguments["name"] = scanner.text()
    if state := next((state for state in STATES if scanner.take(state)), None):
        arguments["state"] = state
    return arguments


def _value(scanner: Scanner) -> Arguments:
    return {"selector": scanner.selector(), "text": scanner.text(may_be_empty=True)}


def _count(scanner: Scanner) -> Arguments:
    selector = scanner.selector()
    relation = next((sign for sign in RELATIONS if scanner.take(sign)), "=")
    return {"selector": selector, "relation": relation, "number": scanner.number("a number")}


def _cookie(scanner: Scanner) -> Arguments:
    return {"name": scanner.word("a name")}


def _status(scanner: Scanner) -> Arguments:
    status = scanner.number("a status")
    if not 100 <= status <= 599:
        raise UsageError(f"{status} is not a status of HTTP (100 to 599)")
    return {"status": status}


def _method(scanner: Scanner) -> Arguments:
    method = scanner.word("a method")
    if method not in METHODS:
        call = " (a call belongs in Given or Finally)" if re.match("[a-z]+$", method) else ""
        raise UsageError(
            f"{method!r} is not a method of HTTP{call}, but one of {', '.join(METHODS)}"
        )
    return {"method": method, "path": scanner.pattern()}


def _request(scanner: Scanner) -> Arguments:
    arguments = _method(scanner)
    return arguments | _status(scanner) if scanner.rest else arguments


def _http(scanner: Scanner) -> Arguments:
    arguments = _method(scanner) | _status(scanner)
    return arguments | _string(scanner) if scanner.rest else arguments


KINDS: Mapping[str, Kind] = {
    "url": Kind("url /path/*", _url),
    "title": Kind('title "…"', _string),
    "text": Kind('text "…" in SELECTOR', _text),
    "role": Kind('role ROLE "name" checked|disabled|expanded', _role),
    "value": Kind('value SELECTOR "…"', _value),
    "count": Kind("count SELECTOR <|>|= NUMBER", _count),
    "cookie": Kind("cookie NAME", _cookie),
    "page status": Kind("page status NUMBER", _status),
    "request": Kind("request METHOD /path STATUS", _request),
    "console errors": Kind("no console errors", _nothing),
    "console": Kind('console "…"', _string),
    "failed requests": Kind("no failed requests", _nothing),
    "dialog": Kind('dialog "…"', _string),
    "download": Kind("download name-*.pdf", _url),
    "answer": Kind('answer "…"', _string),
    "http": Kind('http METHOD /path STATUS "…"', _http),
    "js": Kind('js "expression"', _string),
}
"""Every kind of check; of two that begin alike the longer one comes first."""
