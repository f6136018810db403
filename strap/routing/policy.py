"""Which actions may be called, and which need a person's yes: patterns, fail closed."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from strap.errors import StartupError, did_you_mean
from strap.records import record

log = logging.getLogger(__name__)
HINT = "Do not retry; the operator sets allow and deny."
"""What to do about a call that the policy forbids."""


@record
class Policy:
    """Patterns `resource.action` with `*`, optionally `@host` for calls that carry a `url`.

    An action needs a match in `allow` and none in `deny`. A pattern with a host decides only
    about calls to that host; without one it decides about the action as such. What the policy that
    it is `within` forbids it cannot allow. A match in `confirm` needs a person's yes.
    """

    allow: Sequence[str] = ("*",)
    deny: Sequence[str] = ()
    confirm: Sequence[str] = ()
    within: "Policy | None" = None

    def __post_init__(self) -> None:
        for pattern in (*self.allow, *self.deny, *self.confirm):
            if not pattern or " " in pattern or pattern.count("@") > 1:
                raise StartupError(
                    f"{pattern!r} is not a policy pattern.",
                    hint="Write resource.action, as in 'http.*' or 'browser.*@*.example.com'.",
                )

    def check(self, declared: Mapping[str, object], *, lenient: bool = False) -> None:
        """Raise `StartupError` for a pattern that is about none of the `declared` actions.

        `lenient`: only if it resembles the name of one; it may be about a plugin that cannot be
        loaded.
        """
        resources = {qualified.split(".")[0] for qualified in declared}
        for pattern in (*self.allow, *self.deny, *self.confirm):
            name = pattern.split("@")[0]
            if any(_matches(name, qualified) for qualified in declared):
                continue
            guess = did_you_mean(name, {*declared, *(f"{resource}.*" for resource in resources)})
            resource = name.split(".")[0]
            near = guess if resource in resources else did_you_mean(resource, resources)
            message = f"The policy pattern {pattern!r} is about no action that there is."
            if near or not lenient:
                raise StartupError(message, hint=f"'strap plugins' lists all actions.{guess}")
            log.warning(message)
        for pattern in self.confirm:
            _check_enforced(pattern, declared)

    @property
    def names_hosts(self) -> bool:
        """Whether a pattern is about a host."""
        own = any("@" in pattern for pattern in (*self.allow, *self.deny))
        return own or (self.within is not None and self.within.names_hosts)

    def advertises(self, qualified: str) -> bool:
        """Whether some call of the action can pass."""
        if self.within is not None and not self.within.advertises(qualified):
            return False
        return any(_matches(p.split("@")[0], qualified) for p in self.allow) and not any(
            _matches(p, qualified) for p in self.deny if "@" not in p
        )

    def permits(self, qualified: str, url: str | None = None) -> bool:
        """Whether this call passes; a `url` that cannot be read matches every host pattern."""
        if self.within is not None and not self.within.permits(qualified, url):
            return False
        if not any(_applies(p, qualified, url, unreadable=False) for p in self.allow):
            return False
        return not any(_applies(p, qualified, url, unreadable=True) for p in self.deny)

    def confirms(self, qualified: str, urls: Collection[str] = ()) -> bool:
        """Whether a call about these addresses needs a yes, which one of them is enough for."""
        return any(
            _applies(pattern, qualified, url, unreadable=True)
            for pattern in self._confirming()
            for url in (urls or (None,))
        )

    def may_confirm(self, qualified: str) -> bool:
        """Whether some call of the action needs a yes."""
        return any(_matches(p.split("@")[0], qualified) for p in self._confirming())

    @property
    def confirms_any(self) -> bool:
        """Whether some call of some action needs a yes."""
        return any(self._confirming())

    @property
    def confirms_hosts(self) -> bool:
        """Whether a yes is needed for calls to some hosts alone."""
        return any("@" in pattern for pattern in self._confirming())

    def _confirming(self) -> Iterator[str]:
        yield from self.confirm
        if self.within is not None:
            yield from self.within._confirming()  # noqa: SLF001 - of this very class


def _check_enforced(pattern: str, declared: Mapping[str, object]) -> None:
    """Raise `StartupError` for a pattern of `confirm` that no call would ever be asked for."""
    name, at, _ = pattern.partition("@")
    about = [action for qualified, action in declared.items() if _matches(name, qualified)]
    if name.endswith(".help"):
        raise StartupError(f"{pattern!r}: help tells what every model may know, and needs no yes.")
    if at and about and not any(map(_knows_address, about)):
        raise StartupError(
            f"The policy pattern {pattern!r} names a host, and what it is about knows none.",
            hint=f"Write {name!r}.",
        )


def _knows_address(action: object) -> bool:
    """Whether calls of an action are about an address: a `url`, or a page that it asks about."""
    fields = getattr(getattr(action, "params", None), "model_fields", ())
    return action is not None and (getattr(action, "asks_person", False) or "url" in fields)


def _matches(pattern: str, qualified: str) -> bool:
    return fnmatchcase(qualified, pattern if "." in pattern or pattern == "*" else f"{pattern}.*")


def _applies(pattern: str, qualified: str, url: str | None, *, unreadable: bool) -> bool:
    name, at, host_pattern = pattern.partition("@")
    if not _matches(name, qualified):
        return False
    if not at:
        return True
    if url is None:
        return False
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        host = ""
    return fnmatchcase(host, host_pattern.lower()) if host else unreadable
