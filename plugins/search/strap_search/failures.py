"""What can go wrong with an engine, told apart by `code`, each with its next step."""

from strap import ActionError


def rate_limited(engine: str, status: int) -> ActionError:
    """The engine takes no more queries for now."""
    return ActionError(
        f"{engine} takes no more queries for now (HTTP {status}).",
        code="rate_limited",
        hint="Wait a minute before the next query.",
        retryable=True,
    )


def blocked(engine: str, sign: str) -> ActionError:
    """The engine takes strap for a robot; `sign` is what shows it."""
    return ActionError(
        f"{engine} shows a bot check in place of results ({sign}).",
        code="blocked",
        hint="Do not repeat it soon; the operator can set STRAP_SEARCH__PROXY to another way out.",
    )


def timed_out(engine: str, seconds: float) -> ActionError:
    """The engine did not answer in time."""
    return ActionError(
        f"{engine} did not answer within {seconds:g} s.",
        code="timeout",
        hint="Repeat the query once, with a larger timeout.",
        retryable=True,
    )


def upstream(engine: str, status: int) -> ActionError:
    """The engine itself failed."""
    return ActionError(
        f"{engine} failed (HTTP {status}).",
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


def unreadable(engine: str, what: str) -> ActionError:
    """The engine answered with something that is neither results nor a known notice."""
    return ActionError(
        f"{engine} answered with {what}.",
        code="unreadable",
        hint="Try other words.",
    )


def elsewhere(engine: str, host: str) -> ActionError:
    """The engine sent the query to another site, as a `!bang` asks it to."""
    return ActionError(
        f"{engine} passed the query on to {host!r} in place of answering it.",
        code="redirected",
        hint="Leave out words that start with '!'.",
    )


def bad_key(engine: str, status: int) -> ActionError:
    """The API does not accept the key."""
    return ActionError(
        f"{engine} refuses the key (HTTP {status}).",
        code="bad_key",
        hint="The operator corrects STRAP_SEARCH__SERPER_KEY.",
    )


def used_up(engine: str, status: int) -> ActionError:
    """The account behind the key has nothing left."""
    return ActionError(
        f"{engine} has no credits left for this key (HTTP {status}).",
        code="quota",
        hint="The operator tops up the account behind STRAP_SEARCH__SERPER_KEY.",
    )


def no_way(engine: str, ways: str) -> ActionError:
    """Nothing is set up that could answer."""
    return ActionError(
        f"engine={engine!r} is not set up.",
        code="not_configured",
        hint=f"The operator sets {ways}.",
    )


def either(others: tuple[str, ...]) -> str:
    """Return `, or engine='x'` for the engines that may be used as well."""
    return "".join(f", or engine={name!r}" for name in others)


def or_use(error: ActionError, others: tuple[str, ...]) -> ActionError:
    """Return `error` with the other engines added to its hint."""
    return ActionError(
        error.message,
        hint=f"{error.hint.removesuffix('.')}{either(others)}.",
        code=error.code,
        retryable=error.retryable,
    )
