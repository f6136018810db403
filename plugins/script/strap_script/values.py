"""Values of a script: what was typed, the address of the site, what no line can hold."""

import re
from urllib.parse import urlsplit

from strap import Secrets
from strap.scripts.script import is_plain
from strap_browser.api import Evidence, without_secrets

BASE = "base_url"
LONG = 3
"""Characters of a typed text that is looked for in what the page shows later."""
LONGEST = 30
"""Characters of a value's name."""


class Values:
    """The values that the lines name; one of None is never written down."""

    def __init__(self, secrets: Secrets) -> None:
        self.params: dict[str, str | None] = {}
        self._secrets = secrets
        self._passwords: dict[str, str] = {}

    def hide(self, text: str) -> str:
        """Return a text with names in place of secrets, and of what was typed for passwords."""
        text = self._secrets.hide(text)
        for value, name in self._passwords.items():
            text = text.replace(value, name) if len(value) > LONG else text
        return text

    def address(self, url: str) -> str:
        """Return an address with `{base_url}`, or a name for one that holds something secret."""
        if without_secrets(url) != url or self._secrets.held_in(url):
            return self._named("url", None)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.username or parts.password:
            is_plain_web = parts.scheme in ("about", "data") and not parts.password
            return self.plain(url, "url") if is_plain_web else self._named("url", None)
        origin = f"{parts.scheme}://{parts.netloc}"
        if self.params.setdefault(BASE, origin) != origin:
            return self.plain(url, "url")
        rest = url.strip()[len(origin) :].replace("{", "%7B").replace("}", "%7D")
        return f"{{{BASE}}}{rest}" if is_plain(rest) else self._named("url", url)

    def typed(self, value: str, evidence: Evidence | None) -> str:
        """Return the name of what was typed into a field, which is also its value next time."""
        if value == "" or (self._secrets.named(value) and is_plain(value)):
            return value
        name = _slug((evidence.name or evidence.marks.get("field", "")) if evidence else "")
        if evidence is not None and evidence.is_secret:
            placeholder = self._named(name or "password", None)
            self._passwords[value] = placeholder
            return placeholder
        if self._secrets.held_in(value):
            return self._secrets.hide(value)
        return self._named(name or "text", value)

    def plain(self, value: str, key: str) -> str:
        """Return a text as it is, or a name for one that no line can hold."""
        value = self._secrets.hide(value)
        return value if is_plain(value) else self._named(_slug(key) or "value", value)

    def shown(self, text: str) -> str:
        """Return a text of the page with the names of what was typed, "" if it cannot be told."""
        text = self._secrets.hide(text)
        if (
            not is_plain(text)
            or "{{" in text
            or any(password in text for password in self._passwords)
        ):
            return ""
        typed = [(v, n) for n, v in self.params.items() if v and n != BASE and len(v) >= LONG]
        for value, name in sorted(typed, key=lambda pair: -len(pair[0])):
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{name}}}", text)
        return text

    def _named(self, name: str, value: str | None) -> str:
        """Return a name for a value: a new one where another value has it."""
        free, number = name, 1
        while free in self.params and (value is None or self.params[free] != value):
            if value is None and self.params[free] is None:
                break
            number += 1
            free = f"{name}_{number}"
        self.params[free] = value
        return f"{{{free}}}"


def _slug(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")[:LONGEST].strip("_")
    return words if words[:1].isalpha() else ""
