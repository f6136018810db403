"""The error tree: each class says who can act.

StrapError
├── UsageError      the caller fixes its arguments
├── PolicyDenied    a rule forbids it: retrying cannot help
├── ActionError     the action could not do it: `code`, `hint` and `retryable` say how to go on
└── StartupError    the operator fixes the installation or the configuration
"""

from collections.abc import Iterable

LONGEST_NAME = 64
"""Characters; comparing a text of megabytes with every name would take seconds."""
SHORTEST_BEGINNING = 3
"""Characters; with fewer, too much begins so."""
LONGEST_TOLD = 400
"""Characters of a message of foreign code that are told."""


class StrapError(Exception):
    """Base of everything that leaves the router.

    `message` says what happened and why, `hint` is the next call to make, `code` is a stable
    snake_case word for programs, `retryable` tells whether the same call may succeed later.
    """

    code = "error"

    def __init__(
        self, message: str, *, hint: str = "", code: str | None = None, retryable: bool = False
    ) -> None:
        message = str(message)  # plugins give the error that they caught
        super().__init__(message)
        self.message = message
        self.hint = str(hint or "")
        self.code = code or type(self).code
        self.retryable = retryable

    def __str__(self) -> str:
        """The one wire shape: the message, then the hint."""
        return f"{self.message} {self.hint}" if self.hint else self.message


class UsageError(StrapError):
    """The arguments are wrong; nothing was opened or launched."""

    code = "invalid_arguments"


class PolicyDenied(StrapError):
    """The policy or the network guard forbids the call."""

    code = "denied"


class ActionError(StrapError):
    """The action was tried and failed."""

    code = "failed"


class StartupError(StrapError):
    """The installation or the configuration is wrong; names the culprit."""

    code = "startup"

    def __init__(self, message: str, *, plugin: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.plugin = plugin


class WrongSetting(StartupError):
    """The operator has set what a plugin does not take."""


def did_you_mean(name: object, valid: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the closest of `valid`; empty for what can be no name."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return ""
    near = closest(name.lower(), valid)
    return f" Did you mean {near!r}?" if near else ""


def closest(name: str, valid: Iterable[str]) -> str:
    """Return the one of `valid` that is most like `name`, or begins with it, "" where none does."""
    from difflib import get_close_matches

    names = list(valid)
    begun = [known for known in names if len(name) >= SHORTEST_BEGINNING and known.startswith(name)]
    return next(iter(get_close_matches(name, names, n=1) or begun), "")


def one_line(error: BaseException) -> str:
    """Return an exception of foreign code in one line of bounded length."""
    if isinstance(error, StrapError):
        return str(error)
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - its class is foreign as well
        text = ""
    if len(text) > LONGEST_TOLD:
        text = f"{text[:LONGEST_TOLD]}…"
    return f"{type(error).__name__}: {text or 'no message'}"
