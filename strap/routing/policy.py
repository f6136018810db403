"""Policy: which actions may be called, and which need a person's yes; it fails closed."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from strap.api.actions import Action, plain_part
from strap.errors import PolicyDenied, StartupError, did_you_mean
from strap.network import Guard, HostPattern, host_pattern, place_of
from strap.records import record

log = logging.getLogger(__name__)
HELP = "help"
"""The action of each resource that tells what there is."""
HINT = "Do not retry; the operator sets allow and deny."
"""Advice after a call that the policy forbids."""
NOWHERE = ("about:blank", "chrome-error://chromewebdata/", "://", "null", "")
"""Addresses of pages that nobody's content is on, and origins that say nothing."""


@record
class Pattern:
    """A pattern of actions, about calls to all hosts or to some."""

    name: str
    part: str | None
    host: HostPattern | None

    def names(self, qualified: str) -> bool:
        """Whether an action is meant, or the part of it after ":".

        One without ":" is the whole action, of which a part is meant.
        """
        dotted = "." in self.name or self.name == "*"
        whole, is_part, part = qualified.partition(":")
        named = fnmatchcase(whole, self.name if dotted else f"{self.name}.*")
        if self.part is None or not is_part:
            return named
        return named and fnmatchcase(plain_part(part), self.part)

    def applies(self, qualified: str, url: str | None, *, unreadable: bool) -> bool:
        """Whether a call is meant; `unreadable` is the answer for a `url` that has no host."""
        if not self.names(qualified):
            return False
        if self.host is None or url is None:
            return self.host is None
        place = place_of(url)
        return unreadable if place is None else self.host.matches(place)


@lru_cache(4_096)  # an operator's patterns, and those of 100 principals
def _read(text: str) -> Pattern:
    action, at, host = text.partition("@")
    name, is_part, part = action.partition(":")
    if not name or " " in text or text.count("@") > 1 or "[" in part:
        raise StartupError(
            f"{text!r} is not a policy pattern.",
            hint="Write resource.action, as in 'http.*' or 'browser.*@*.example.com'.",
        )
    try:
        about = plain_part(part) if is_part else None
        return Pattern(name=name, part=about, host=host_pattern(host) if at else None)
    except ValueError:
        raise StartupError(
            f"{text!r} is not a policy pattern: no URL has the host {host!r}.",
            hint="Write a host, with a port where one is meant: 'shop.example', '*.shop.example',"
            " '127.0.0.1:8080' or '[::1]:8080'.",
        ) from None


@lru_cache(4_096)
def _read_host(text: str) -> HostPattern:
    try:
        return host_pattern(text)
    except ValueError:
        raise StartupError(
            f"{text!r} is not a valid pattern of confirm_requests: no URL has such a host.",
            hint="Write a host, with a port where one is meant, as in '*.bank.example'.",
        ) from None


@record
class Refused:
    """Refusal by the policy: of an action, for an address where it depends on that."""

    name: str
    called: str
    """The action that was called, which can do the same."""
    url: str | None = None

    def __str__(self) -> str:
        where = f" for {self.url!r}" if self.url is not None else ""
        name, qualified = self.name.removesuffix(":"), self.called.removesuffix(":")
        other = "" if name == qualified else f", and {qualified} can do the same"
        return f"The policy does not allow {name}{where}{other}."


@record
class Policy:
    """Patterns `resource.action` with `*`, optionally `:part` and `@host` or `@host:port`.

    An action needs a match in `allow`. Neither it nor one in whose place it may be used
    (`Action.acts_as`) may have a match in `deny`. A pattern with a host decides only about calls
    to that host, by their `Action.destination` or by the page that they act on; without one it
    decides about the action as such. The policy in `within` must allow the action as well. A match
    in `confirm` needs a person's yes. So does each request of a page to a host of
    `confirm_requests`, unless it changes nothing.
    """

    allow: Sequence[str] = ("*",)
    deny: Sequence[str] = ()
    confirm: Sequence[str] = ()
    confirm_requests: Sequence[str] = ()
    within: "Policy | None" = None

    def __post_init__(self) -> None:
        for pattern in (*self.allow, *self.deny, *self.confirm):
            _read(pattern)
        for pattern in self.confirm_requests:
            _read_host(pattern)

    @classmethod
    def of(cls, settings: Any) -> "Policy":
        """Return the policy that a table of settings has."""
        return cls(
            allow=settings.allow,
            deny=settings.deny,
            confirm=settings.confirm,
            confirm_requests=settings.confirm_requests,
        )

    def check(self, declared: Mapping[str, Action | None], *, lenient: bool = False) -> None:
        """Raise `StartupError` for a pattern by which no call would ever be decided.

        `declared` are all actions. `lenient`: one about none of them only if it resembles the name
        of one; it may be about a plugin that cannot be loaded.
        """
        resources = {qualified.split(".")[0] for qualified in declared}
        for pattern in (*self.allow, *self.deny, *self.confirm):
            name = _read(pattern).name
            if any(map(_read(pattern).names, declared)):
                _check_enforced(pattern, declared)
                continue
            guess = did_you_mean(name, {*declared, *(f"{resource}.*" for resource in resources)})
            resource = name.split(".")[0]
            near = guess if resource in resources else did_you_mean(resource, resources)
            message = f"The policy pattern {pattern!r} is about no action that there is."
            if near or not lenient:
                raise StartupError(message, hint=f"'strap plugins' lists all actions.{guess}")
            log.warning(message)
        for pattern in self.confirm:
            if _read(pattern).name.endswith(f".{HELP}"):
                why = "help tells what every model may know, and needs no yes."
                raise StartupError(f"{pattern!r}: {why}")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The patterns of `allow` and `deny` that are about hosts, and those beside them."""
        own = tuple(f"{rule}{sorted(set(getattr(self, rule)))}" for rule in ("allow", "deny"))
        hosts = own if any(map(_has_host, (*self.allow, *self.deny))) else ()
        return hosts if self.within is None else (*hosts, *self.within.hosts)

    def depends(self, qualified: str, *also: str) -> bool:
        """Whether some calls of the action pass and others do not, by their host."""
        if self.within is not None and self.within.depends(qualified, *also):
            return True
        named = any(_has_host(p) and _read(p).names(_some(qualified)) for p in self.allow)
        free = self._allows(qualified, None)
        return (named and not free) or any(map(self._denied_somewhere, (qualified, *also)))

    def may_deny(self, qualified: str) -> bool:
        """Whether `deny` is about some call of the action, or about all of them."""
        outer = self.within is not None and self.within.may_deny(qualified)
        return outer or any(_read(p).names(qualified) for p in self.deny)

    def advertises(self, qualified: str, *also: str) -> bool:
        """Whether some call of the action, which can do what those of `also` do, can pass."""
        if self.within is not None and not self.within.advertises(qualified, *also):
            return False
        return any(_read(p).names(_some(qualified)) for p in self.allow) and not any(
            _read(p).applies(name, None, unreadable=False)
            for p in self.deny
            for name in (qualified, *also)
        )

    def permits(self, qualified: str, url: str | None = None) -> bool:
        """Whether this call passes; a `url` that cannot be read matches every host pattern."""
        return self.refused(qualified, url=url) is None

    def refused(self, qualified: str, *also: str, url: str | None = None) -> Refused | None:
        """Return what of a call is forbidden; the action can do what those of `also` do."""
        if self.within is not None and (outer := self.within.refused(qualified, *also, url=url)):
            return outer
        if not self._allows(qualified, url):
            where = url if self.advertises(qualified) else None
            return Refused(name=qualified, called=qualified, url=where)
        for name in (qualified, *also):
            if refusal := self.denied(name, url):
                return Refused(name=name, called=qualified, url=refusal.url)
        return None

    def denied(self, qualified: str, url: str | None = None) -> Refused | None:
        """Return what `deny` says to an action, None if it lets it pass."""
        if self.within is not None and (outer := self.within.denied(qualified, url)):
            return outer
        for pattern in map(_read, self.deny):
            if pattern.applies(qualified, url, unreadable=True):
                where = url if pattern.host else None
                return Refused(name=qualified, called=qualified, url=where)
        return None

    def confirms(self, qualified: str, urls: Collection[str] = ()) -> bool:
        """Whether a call about these addresses needs a yes, which one of them is enough for."""
        return any(
            _read(pattern).applies(qualified, url, unreadable=True)
            for pattern in self._confirming()
            for url in (urls or (None,))
        )

    def may_confirm(self, qualified: str) -> bool:
        """Whether some call of the action needs a yes."""
        return any(_read(p).names(qualified) for p in self._confirming())

    @property
    def confirms_any(self) -> bool:
        """Whether some call of some action needs a yes."""
        return any(self._confirming()) or bool(self.requests)

    @property
    def requests(self) -> tuple[HostPattern, ...]:
        """The hosts to which requests of pages need a yes."""
        outer = () if self.within is None else self.within.requests
        return (*map(_read_host, self.confirm_requests), *outer)

    @property
    def confirms_hosts(self) -> bool:
        """Whether a yes is needed for calls to some hosts alone."""
        return any(map(_has_host, self._confirming()))

    def _confirming(self) -> Iterator[str]:
        yield from self.confirm
        if self.within is not None:
            yield from self.within._confirming()  # noqa: SLF001 - of this very class

    def _allows(self, qualified: str, url: str | None) -> bool:
        some = _some(qualified)
        return any(_read(p).applies(some, url, unreadable=False) for p in self.allow)

    def _denied_somewhere(self, qualified: str) -> bool:
        return any(_has_host(p) and _read(p).names(qualified) for p in self.deny)


def knows_address(action: Action) -> bool:
    """Whether calls of an action are about an address: its own, or a page that it asks about."""
    return action.name != HELP and (action.asks_person or action.goes)


def held_to(policy: Policy, actions: Sequence[Action], guard: Guard) -> Guard:
    """Return a guard that reaches only what a call of one of these actions may be about.

    It holds for redirects as well.
    """

    def check(url: str) -> None:
        refused = [policy.refused(*action.names, url=url) for action in actions]
        if all(refused):
            several = f"The policy does not allow {actions[0].resource} to reach {url!r}."
            raise PolicyDenied(several if len(actions) > 1 else str(refused[0]), hint=HINT)

    hosts = policy.hosts
    return guard.also(check, hosts) if hosts and actions else guard


def _check_enforced(pattern: str, declared: Mapping[str, Action | None]) -> None:
    """Raise `StartupError` for a host or part by which no call would ever be decided."""
    read = _read(pattern)
    about = [name for name in declared if read.names(name) and not name.endswith(f".{HELP}")]
    parted = declared.get(read.name)
    if read.part is not None and not (parted and parted.part):
        raise StartupError(
            f"The policy pattern {pattern!r} names a part, and {read.name!r} has none.",
            hint=f"Write {read.name!r}.",
        )
    knowing = [declared[name] for name in about]
    if read.host is not None and not any(item is None or knows_address(item) for item in knowing):
        raise StartupError(
            f"The policy pattern {pattern!r} names a host, and what it is about knows none.",
            hint=f"Write {read.name!r}.",
        )


def _has_host(pattern: str) -> bool:
    return "@" in pattern


def _some(qualified: str) -> str:
    """Return the whole action for a call that means no part: it is allowed where some part is."""
    return qualified.removesuffix(":")
