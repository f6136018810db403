"""`guard`: applies the configured policy to every call."""

from collections.abc import Mapping

from strap.api.actions import Action
from strap.api.calls import Call, Denial
from strap.api.hookspecs import hookimpl
from strap.network import with_scheme
from strap.routing.policy import HINT, Policy


class PolicyGuard:
    """Denies what the allow and deny lists do not let through."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.actions: Mapping[str, Action] = {}
        """All that there are, by their qualified names."""

    @hookimpl
    def strap_check_call(self, call: Call) -> Denial | None:
        """Match the action, and the host of its address if it has one, against the policy.

        What acts on a page is matched with its address later (`CallConsent.needed`).
        """
        action = self.actions[f"{call.resource}.{call.action}"]
        url, names = action.address(call.params), action.names_of(call.params)
        if url is None and action.asks_person and self.policy.advertises(*names):
            return None
        where = None if url is None else with_scheme(url)
        refused = self.policy.refused(*names, url=where)
        return Denial(reason=str(refused), hint=HINT) if refused else None
