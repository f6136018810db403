"""Failures of engines, told apart by `code`, each with its next step."""

import re

from strap import ActionError

PATIENCE = 3_600.0
"""Most seconds that an engine is believed which says when to come back."""

CHANGED = "unreadable"
"""Code of an answer in another form than expected, as after a change of the engine's pages."""

# What OpenSSL and rustls say of a certificate, what that means, and what is to be done.
_UNTRUSTED = (
    (
        re.compile("expired|valid yet|yet valid"),
        "it is out of date",
        "The operator checks the clock of this machine; else the engine has to renew it.",
    ),
    (
        re.compile("mismatch|valid for name"),
        "it is for another host",
        "The operator checks the network, STRAP_SEARCH__PROXY and the engine's URL, if one is set.",
    ),
    (
        re.compile("[Ii]ssuer|self-signed"),
        "its authority is unknown",
        "Where a firewall reads along, the operator names its authority in STRAP_SEARCH__CA_FILE.",
    ),
    (re.compile(""), "", "The operator checks STRAP_SEARCH__CA_FILE and STRAP_SEARCH__PROXY."),
)


class Refusal(ActionError):
    """The engine does not want to be asked now; `after` is for how long, where it says so."""

    after: float | None = None


def rate_limited(engine: str, status: int, after: float | None = None) -> Refusal:
    """The engine takes no more queries for now."""
    error = Refusal(
        f"{engine} takes no more queries for now (HTTP {status}).",
        code="rate_limited",
        retryable=True,
    )
    error.after = after
    return error


def blocked(engine: str, sign: str) -> Refusal:
    """The engine takes strap for a robot; `sign` is what shows it."""
    return Refusal(
        f"{engine} shows a bot check in place of results ({sign}).",
        code="blocked",
        hint="The operator can set STRAP_SEARCH__PROXY to another way out.",
    )


def resting(error: Refusal, seconds: float) -> ActionError:
    """`error`, with what strap does about it: the engine is not asked for `seconds`."""
    wait = f"strap does not ask it again for {seconds:.0f} s; wait that long."
    steps = (wait if seconds >= 1 else "Ask again later.", error.hint)
    return _with_hint(error, " ".join(filter(None, steps)))


def cooling_down(engine: str, seconds: float) -> ActionError:
    """The engine refused before, and is left alone for now."""
    return ActionError(
        f"{engine} refused an earlier query and is left alone for another {seconds:.0f} s.",
        code="cooling_down",
        hint="Wait that long.",
        retryable=True,
    )


def timed_out(engine: str, seconds: float) -> ActionError:
    """The engine did not answer in time."""
    return ActionError(
        f"{engine} did not answer within {seconds:.3g} s.",
        code="timeout",
        hint="Repeat the query once, with a larger timeout.",
        retryable=True,
    )


def busy(engine: str, seconds: float) -> ActionError:
    """The query did not get its turn: others wait too, and the engine is asked one at a time."""
    return ActionError(
        f"{engine} was not asked within {seconds:.3g} s: other queries to it came first.",
        code="busy",
        hint="Make fewer queries at the same time.",
        retryable=True,
    )


def upstream(engine: str, what: str) -> ActionError:
    """The engine itself failed."""
    return ActionError(
        f"{engine} failed ({what}).",
        code="upstream",
        hint="Repeat the query in a minute.",
        retryable=True,
    )


def unreachable(engine: str, reason: str) -> ActionError:
    """No connection, or it broke."""
    return ActionError(
        f"{engine} could not be reached: {reason}.",
        code="unreachable",
        hint="Repeat the query once; if it persists, the operator checks the network, "
        "STRAP_SEARCH__PROXY and STRAP_SEARCH__CA_FILE.",
        retryable=True,
    )


def untrusted(engine: str, detail: str) -> ActionError:
    """Its certificate is refused, as it will be again; `detail` is what the library says of it."""
    why, hint = next((why, hint) for sign, why, hint in _UNTRUSTED if sign.search(detail))
    reason = "its certificate is not trusted" + (f" ({why})" if why else "")
    return ActionError(f"{engine} could not be reached: {reason}.", code="unreachable", hint=hint)


def unreadable(engine: str, what: str) -> ActionError:
    """The engine answered with something that is neither results nor a known notice."""
    return ActionError(
        f"{engine} answered with {what}.",
        code=CHANGED,
        hint="Try other words.",
    )


def rejected(engine: str, status: int) -> ActionError:
    """The engine does not take this query."""
    return ActionError(
        f"{engine} does not take this query (HTTP {status}).",
        code="rejected",
        hint="Use fewer and plainer words, and leave out what is optional.",
    )


def elsewhere(engine: str, host: str) -> ActionError:
    """The engine sent the query to another site, as a `!bang` asks it to."""
    return ActionError(
        f"{engine} passed the query on to {host!r} in place of answering it.",
        code="redirected",
        hint="Leave out words that start with '!'.",
    )


def bad_key(engine: str, status: int, setting: str) -> ActionError:
    """The API does not accept the key that `setting` holds."""
    return ActionError(
        f"{engine} refuses the key (HTTP {status}).",
        code="bad_key",
        hint=f"The operator corrects {setting}.",
    )


def used_up(engine: str, status: int, setting: str) -> ActionError:
    """The account behind the key that `setting` holds has nothing left."""
    return ActionError(
        f"{engine} has nothing left for this key (HTTP {status}).",
        code="quota",
        hint=f"The operator tops up the account behind {setting}.",
    )


def no_way(engine: str, ways: str) -> ActionError:
    """Nothing is set up that could answer; `ways` completes `The operator sets …`."""
    return ActionError(
        f"engine={engine!r} is not set up.",
        code="not_configured",
        hint=f"The operator sets {ways}.",
    )


def misconfigured(engine: str, what: str, fix: str) -> ActionError:
    """Settings that cannot work; `fix` completes `The operator …`."""
    return ActionError(f"{engine} {what}.", code="not_configured", hint=f"The operator {fix}.")


def broken(engine: str, error: BaseException) -> ActionError:
    """The code of the engine fails; the details are for the log."""
    return ActionError(
        f"engine={engine!r} failed in its own code ({type(error).__name__}).",
        code="broken_engine",
        hint="`strap doctor` and strap's log say more.",
    )


def instead(others: tuple[str, ...]) -> str:
    """Return ` Or use engine='x' or 'y'.` for the engines that may be used as well."""
    return f" Or use engine={' or '.join(map(repr, others))}." if others else ""


def or_use(error: ActionError, others: tuple[str, ...]) -> ActionError:
    """Return `error` with the other engines added to its hint."""
    return _with_hint(error, f"{error.hint}{instead(others)}".strip())


def _with_hint(error: ActionError, hint: str) -> ActionError:
    return ActionError(error.message, hint=hint, code=error.code, retryable=error.retryable)
