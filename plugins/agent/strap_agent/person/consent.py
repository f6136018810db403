"""Consent to the actions of a run's agent: denied by policy, or confirmed by a person."""

from collections.abc import Sequence
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from strap import Asker, Consent, PolicyDenied, Question, Secrets, with_scheme
from strap.text import counted
from strap_agent.person.agent_actions import ACTIONS
from strap_agent.workers.pool import Message
from strap_browser.api import clip, quoted

ANYWHERE = frozenset(("input", "send_keys"))
"""Those that may reach any frame of the page: keys move the focus."""
ONCE = "look"
"""Action that is asked for once for a host and a run: the agent looks at each step."""
OF_RUNS = (
    "eval",
    "get_run",
    "get_run_events",
    "get_screenshots",
    "list_runs",
    "cancel_run",
    "live",
)
"""Actions that no agent does in a run."""
NOT_TOLD = frozenset(("index", "url", "new_tab", "clear", "coordinate_x", "coordinate_y"))
MASK = "••••"
BLANK = "about:blank"
"""Address of a frame that nobody knows: it counts as every host's."""


class Refusal(Exception):
    """Nobody can be asked, or nobody answered: the run ends with this."""


class RunConsent:
    """Judges each action of one run, and asks the person where that is needed."""

    def __init__(self, consent: Consent, secrets: Secrets, actions: Sequence[str]) -> None:
        """`actions` are the actions of the browser that may need a yes, or be denied."""
        self._consent = consent
        self._secrets = secrets
        self._all = tuple(actions)
        self._declined: set[tuple[Any, ...]] = set()
        self._looked: set[str] = set()
        """Hosts at whose pages the agent may look."""

    @property
    def free(self) -> list[str]:
        """The agent's actions that are allowed and need no yes, wherever they act."""
        return [name for name, own in ACTIONS.items() if not set(own.can) & set(self._all)]

    def also(self, asker: Asker) -> None:
        """Ask there as well."""
        self._consent.also(asker)

    def denial(self, message: Message, page: Sequence[str]) -> str:
        """Return why the policy does not let the agent do it, empty where it does.

        `page` is that of `question`. Raises `Refusal` for looking at a page, as each step does.
        """
        urls = _addresses(message, page)
        denied = (self._consent.denied_by(action, *urls) for action in self._can(message))
        why = next(filter(None, denied), "")
        if why and message["name"] == ONCE:
            raise Refusal(why)
        return why

    def question(self, message: Message, page: Sequence[str]) -> Question | None:
        """Return what a person is to be asked, None where no yes is needed.

        `page` has the addresses of the page and of its frames, that of the page first.
        """
        name, about = message["name"], message["about"]
        urls = _addresses(message, page)
        needing = [
            action for action in self._can(message) if self._consent.needed_by(action, *urls)
        ]
        if not needing or (name == ONCE and set(map(_host, urls)) <= self._looked):
            return None
        hide = self._secrets.hide
        return Question(
            action=f"browser.{needing[0]}",
            target=hide(_called(about) or ("" if name in ACTIONS else f"the action {name!r}")),
            url=hide(urls[0]),
            fields={k: hide(v) for k, v in _fields(message).items()},
        )

    def _can(self, message: Message) -> Sequence[str]:
        name = message["name"]
        return ACTIONS[name].can if name in ACTIONS else self._all

    async def put(self, question: Question, message: Message, page: Sequence[str]) -> str:
        """Ask; return why not, empty for a yes. Raises `Refusal` where nobody says anything."""
        key = _key(question)
        if key in self._declined:
            return f"A person said no to this {question.action} already. Do something else."
        try:
            await self._consent.put(question, quiet=True)
        except PolicyDenied as error:
            if error.code != "declined" or message["name"] == ONCE:
                raise Refusal(str(error)) from None
            self._declined.add(key)
            return str(error)
        if message["name"] == ONCE:
            self._looked.update(map(_host, _addresses(message, page)))
        return ""


def _key(question: Question) -> tuple[Any, ...]:
    return question.action, question.target, question.url, tuple(question.fields.items())


def _addresses(message: Message, page: Sequence[str]) -> tuple[str, ...]:
    name, about = message["name"], message["about"]
    if name == "navigate":
        return (with_scheme(str(message["params"].get("url", ""))),)
    if about.get("unknown") or not page:
        return (*page, BLANK)
    known = name in ACTIONS and name not in ANYWHERE
    own = [url for url in about.get("urls", ()) if _host(url)]
    return tuple(dict.fromkeys(chain(own, page[:1] if known else page)))


def _called(about: Message) -> str:
    if "tag" not in about:
        return ""
    name, role = about["name"], about["role"]
    text = f"{role} {quoted(clip(name))}" if name else f"<{about['tag']}>"
    return f"{text}, which holds {quoted(clip(about['holds']))}" if about["holds"] else text


def _fields(message: Message) -> dict[str, str]:
    """Return what the agent gives an action; of a password its length alone."""
    secret = message["about"].get("secret")
    params = {k: v for k, v in message["params"].items() if k not in NOT_TOLD and v is not None}
    return {
        k: f"{MASK} ({counted(len(str(v)), 'character')})" if secret and k == "text" else str(v)
        for k, v in params.items()
    }


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
