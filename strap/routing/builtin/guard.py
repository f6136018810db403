"""`guard`: applies the configured policy to every call."""

from strap.api.calls import Call, Denial
from strap.api.hookspecs import hookimpl
from strap.routing.policy import HINT, Policy


class PolicyGuard:
    """Denies what the allow and deny lists do not let through."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    @hookimpl
    def strap_check_call(self, call: Call) -> Denial | None:
        """Match the action, and the host of its `url` if it has one, against the policy."""
        qualified = f"{call.resource}.{call.action}"
        url = getattr(call.params, "url", None)
        if self.policy.permits(qualified, url):
            return None
        where = f" for {url!r}" if self.policy.permits(qualified) else ""
        return Denial(
            reason=f"The policy does not allow {qualified}{where}.",
            hint=HINT,
        )
