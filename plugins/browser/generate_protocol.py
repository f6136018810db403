"""Write `strap_browser/cdp/protocol.py`: types of what a browser tells, as far as it is read.

    python plugins/browser/generate_protocol.py

Source: the protocol's own description, as the browser on this machine serves it (`/json/protocol`).
Written are the types that strap's code names as `protocol.…`, with the fields whose names it
contains: an event or type as `protocol.PageFrame`, an answer as `protocol.PageNavigateAnswer`.
"""

import ast
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from strap import Guard
from strap_browser.chromium.launch import start
from strap_browser.settings.browser import BrowserSettings

PACKAGE = Path(__file__).parent / "strap_browser"
WRITTEN = PACKAGE / "cdp" / "protocol.py"
PLAIN = {"string": "str", "binary": "str", "integer": "int", "number": "float", "boolean": "bool"}
HEAD = '''"""Types of the DevTools protocol that strap reads: events, answers and their parts.

Written by generate_protocol.py from the Chrome DevTools Protocol; do not edit.
"""

from typing import Any, NotRequired, TypedDict
'''
Described = dict[str, Any]


async def description() -> Described:
    """Return the protocol as the browser on this machine describes it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = await start(BrowserSettings(headless=True), Path(folder), 0, Guard("all"))
        try:
            port = urlsplit(started.browser.address).netloc
            return await asyncio.to_thread(read, f"http://{port}/json/protocol")
        finally:
            await started.stop()


def read(address: str) -> Described:
    """Return the JSON object at an address."""
    with urllib.request.urlopen(address) as answer:
        return dict(json.load(answer))


def words() -> tuple[set[str], set[str]]:
    """Return the texts in strap's own code, and the types that it names."""
    texts, named = set(), set()
    for path in set(PACKAGE.rglob("*.py")) - {WRITTEN}:
        code = path.read_text()
        named |= set(re.findall(r"\bprotocol\.([A-Z]\w+)", code))
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
    return texts, named


class Types:
    """The types of the protocol, and those that are written."""

    def __init__(self, protocol: Described, texts: set[str]) -> None:
        self._texts = texts
        self._domains: dict[str, str] = {}
        self._known: dict[str, Described] = {}
        for domain in protocol["domains"]:
            name = domain["domain"]
            for each in domain.get("types", ()):
                self._know(name, each["id"], each)
            for each in domain.get("events", ()):
                self._know(name, each["name"], {"properties": each.get("parameters", [])})
            for each in domain.get("commands", ()):
                told = {"properties": each.get("returns", [])}
                self._know(name, f"{each['name']}Answer", told)
        self._written: dict[str, str] = {}

    def add(self, name: str) -> None:
        """Write a type, with the fields that are used; raises `KeyError` for one that is none."""
        if name in self._written:
            return
        self._written[name] = ""  # it may refer to itself
        fields = self._known[name]["properties"]
        body = [self._field(each, name) for each in fields if each["name"] in self._texts]
        self._written[name] = "\n    ".join([f"class {name}(TypedDict):", *(body or ["pass"])])

    def text(self) -> str:
        """Return all that were written, by their names."""
        return "\n\n\n".join(self._written[name] for name in sorted(self._written))

    def _know(self, domain: str, name: str, what: Described) -> None:
        titled = _titled(domain, name)
        self._known[titled], self._domains[titled] = what, domain

    def _field(self, field: Described, name: str) -> str:
        kind = self._kind(field, self._domains[name])
        return f"{field['name']}: {f'NotRequired[{kind}]' if field.get('optional') else kind}"

    def _kind(self, field: Described, domain: str) -> str:
        if reference := field.get("$ref"):
            *other, name = reference.split(".")
            return self._referred(_titled(*other or [domain], name))
        if field["type"] == "array":
            return f"list[{self._kind(field['items'], domain)}]"
        return PLAIN.get(field["type"], "dict[str, Any]" if field["type"] == "object" else "Any")

    def _referred(self, name: str) -> str:
        known = self._known[name]
        if "properties" not in known:
            return self._kind(known, self._domains[name])
        self.add(name)
        return f'"{name}"'


def _titled(domain: str, name: str) -> str:
    return f"{domain}{name[0].upper()}{name[1:]}"


if __name__ == "__main__":
    texts, named = words()
    types = Types(asyncio.run(description()), texts)
    for each in sorted(named):
        types.add(each)
    WRITTEN.write_text(f"{HEAD}\n\n{types.text()}\n")
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(WRITTEN)], check=True)
