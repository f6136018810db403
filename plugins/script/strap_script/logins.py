"""The tables `[logins.NAME]`: scripts that log in, and the page that shows whether one is in."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from fcntl import LOCK_EX
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from strap import ActionError, Config, UsageError, make_private, record
from strap.config.validation_words import describe_error
from strap.errors import did_you_mean
from strap.scripts.evidence import load_calls
from strap.scripts.script import Line
from strap_browser.api import PROFILE_NAME, login_file, read_login, try_lock

PAUSE = 0.1
"""Seconds between two looks whether another login has ended: one takes seconds."""


class LoginSettings(BaseModel):
    """One login: `[logins.NAME]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    script: Path
    """The script that logs in, as `strap script -o FILE` writes it."""
    check: str = Field(min_length=1, max_length=2_000)
    """The page that is shown only after a login, as in `/home`."""
    text: str = Field(default="", max_length=1_000)
    """Text on that page; without it, the page must show no password field."""
    state: str = Field(default="", pattern=rf"^$|{PROFILE_NAME}")
    """The name of the saved state, if it is not that of the login."""
    params: dict[str, str] = {}
    """Values of `{NAME}` in the script."""


@record
class Login:
    """A login whose script was read."""

    name: str
    state: str
    calls: tuple[tuple[Line, dict[str, Any]], ...]
    check: str
    """The whole address of the page."""
    text: str = ""


def login_of(config: Config, name: str) -> Login:
    """Return a login of the configuration; raises `UsageError` and `ActionError`."""
    if name not in config.logins:
        known = ", ".join(sorted(config.logins)) or "none; set one in [logins.NAME]"
        guess = did_you_mean(name, config.logins)
        raise UsageError(f"There is no login {name!r}.", hint=f"Known: {known}.{guess}")
    try:
        settings = LoginSettings.model_validate(config.logins[name])
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(("logins", name, *map(str, first["loc"])))
        raise _wrong(
            f"Setting {key!r} {describe_error(first)}.",
            "A table [logins.NAME] has 'script' and 'check', as in check = \"/home\".",
        ) from None
    folder = config.source.parent if config.source else Path.cwd()
    calls = _calls(name, folder / settings.script.expanduser(), settings.params)
    check = urljoin(_first_address(name, calls), settings.check)
    if urlsplit(check).scheme not in ("http", "https"):
        raise _wrong(f"The check of the login {name!r}, {check!r}, is not a page of a server.")
    return Login(
        name=name, state=settings.state or name, calls=calls, check=check, text=settings.text
    )


def _calls(
    name: str, path: Path, params: Mapping[str, str]
) -> tuple[tuple[Line, dict[str, Any]], ...]:
    try:
        return tuple(load_calls(path, params))
    except OSError as error:
        raise _wrong(
            f"The script of the login {name!r} cannot be read: {path}: {error.strerror}.",
            "Log in once in a kept session, then write it: strap script -o FILE.",
        ) from None
    except UsageError as error:
        hint = error.hint.replace("--param ", f"[logins.{name}.params] ")
        raise _wrong(f"The script of the login {name!r}: {error.message}", hint) from None


def _first_address(name: str, calls: tuple[tuple[Line, dict[str, Any]], ...]) -> str:
    for line, arguments in calls:
        if line.action in ("navigate", "new_page") and arguments.get("url"):
            return str(arguments["url"])
    raise _wrong(
        f"The script of the login {name!r} opens no page.", "Begin it with `navigate url=…`."
    )


def refuse_foreign(home: Path, login: Login) -> bool:
    """Return whether the state is saved already; raises `ActionError` if it is of another site."""
    try:
        state = read_login(login_file(home, login.state)) or {}
    except FileNotFoundError:
        return False
    hosts = _hosts(state)
    host = urlsplit(login.check).hostname or ""
    if hosts and not any(_covers(pattern, host) for pattern in hosts):
        raise _wrong(
            f"The state {login.state!r} is of {', '.join(sorted(hosts)[:3])}, and the login"
            f" {login.name!r} is for {host}.",
            f"Name another one: state in [logins.{login.name}].",
        )
    return True


@asynccontextmanager
async def alone(home: Path, login: Login) -> AsyncIterator[None]:
    """Wait for other processes that log in with the same state: each would end the other's.

    Raises `ActionError` where nothing can be written.
    """
    file = login_file(home, login.state).with_suffix(".lock")
    try:
        make_private(file.parent)
        lock = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _wrong(f"Cannot write {str(file)!r}: {error.strerror}.") from None
    try:
        while not try_lock(lock, LOCK_EX):  # noqa: ASYNC110 - another process tells of nothing
            await asyncio.sleep(PAUSE)
        yield
    finally:
        os.close(lock)


def _hosts(state: Mapping[str, Any]) -> set[str]:
    """Return the hosts that a state has something of."""
    hosts = [str(cookie.get("domain", "")).lstrip(".") for cookie in state.get("cookies") or ()]
    hosts += [
        urlsplit(str(origin["origin"])).hostname or "" for origin in state.get("origins") or ()
    ]
    hosts += [str(passkey.get("rpId", "")) for passkey in state.get("passkeys") or ()]
    return set(filter(None, hosts))


def _covers(domain: str, host: str) -> bool:
    return host == domain or host.endswith(f".{domain}") or domain.endswith(f".{host}")


def _wrong(what: str, hint: str = "") -> ActionError:
    return ActionError(what, hint=hint, code="login")
