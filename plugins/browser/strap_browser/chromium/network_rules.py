"""Under which network rules a browser runs, as its record tells them without a secret."""

import hmac
import json
import secrets
from collections.abc import Sequence

from strap import ActionError, Guard
from strap_browser.settings.managed import ManagedSettings


class NetworkRules:
    """The rules of this process: a browser of others is joined only if it runs by the same."""

    def __init__(self, guard: Guard, settings: ManagedSettings) -> None:
        proxy = settings.proxy.get_secret_value() if settings.proxy else None
        self.mode = guard.mode
        self._rules = json.dumps(
            (
                guard.mode,
                sorted(guard.allow_hosts),
                proxy,
                _sorted(settings.no_proxy),
                guard.rules,
            )
        )

    def sealed(self) -> str:
        """Return what tells others whether their rules are the same, and nothing else of them."""
        return self._sealed_with(secrets.token_hex(16))

    def fit(self, sealed: str) -> bool:
        """Whether the rules that were sealed are these."""
        salt = sealed.partition(":")[0]
        return bool(salt) and self._sealed_with(salt) == sealed

    def why_not(self, mode: str) -> str:
        """Say what is different about a browser in network mode `mode`, '' if it is not known."""
        if mode == self.mode:
            other = "another proxy, other allow_hosts or other hosts in allow and deny"
            return f"in network mode {mode!r}, but with {other}"
        return f"in network mode {mode or 'unknown'!r}, and this strap is in mode {self.mode!r}"

    def refused(self, profile: str, mode: str, pid: int) -> ActionError:
        """Return the error of joining a browser that process `pid` runs by other rules."""
        return ActionError(
            f"Another strap (process {pid}) runs the browser of profile {profile!r} "
            f"{self.why_not(mode)}.",
            hint="Close it there, use another profile, or start both with the same network rules.",
            code="profile_in_use",
        )

    def _sealed_with(self, salt: str) -> str:
        key = salt.encode(errors="replace")
        return f"{salt}:{hmac.digest(key, self._rules.encode(), 'sha256').hex()}"


def _sorted(names: Sequence[str] | None) -> list[str]:
    return sorted(names or ())
