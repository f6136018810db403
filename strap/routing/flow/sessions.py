"""The information flow of all sessions of a process."""

from strap.api.actions import Action
from strap.api.calls import Call, Caller, Consent
from strap.config import Config
from strap.routing.flow.call_flow import CallFlow
from strap.routing.flow.rules import read_rules
from strap.routing.flow.session import FlowSession


class Flows:
    """Information flows of all sessions, by their keys."""

    def __init__(self, config: Config) -> None:
        self._mode, self._secrets = config.flow, config.secrets
        self._rules = read_rules(config.flows, config.allow)
        self._sessions: dict[str, FlowSession] = {}
        self._off = FlowSession("off", self._rules)

    def begin(self, action: Action, call: Call, consent: Consent) -> CallFlow:
        """Return the flow of a call."""
        return CallFlow(action, call, self.of(call.caller), consent, self._secrets)

    def of(self, caller: Caller) -> FlowSession:
        """Return what a caller's session was shown.

        Handles of one principal are one session: whoever holds one may use the others.
        """
        if self._mode == "off":
            return self._off
        key = "/".join(filter(None, (caller.principal, caller.session)))
        if key not in self._sessions:
            self._sessions[key] = FlowSession(self._mode, self._rules)
        return self._sessions[key]

    def end(self, key: str) -> None:
        """Forget a session that is gone."""
        self._sessions.pop(key, None)
