"""Replays the actions of a recording on the page of a case; no model is asked."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from strap import StrapError
from strap_cases.checking.scene import Session
from strap_cases.replays.finding import Drift, find
from strap_cases.replays.recordings import Act, Target
from strap_cases.replays.wording import read

REST = 2.0
"""Seconds for a page to come to rest."""
KEEPS = frozenset(
    (
        *("checkbox", "radio", "switch", "option", "menuitemcheckbox", "menuitemradio"),
        *("textbox", "searchbox", "spinbutton"),
    )
)
"""Roles of elements that a click changes themselves: nothing more has to come of it."""
FIELDS = {"fill": "value", "type": "text", "select": "value", "press": "key", "scroll": "text"}
"""Name of the field that takes an action's text, by action."""


async def play(
    session: Session,
    acts: Sequence[Act],
    values: Mapping[str, str],
    *,
    patience: float,
    tell: Callable[[str], None],
) -> None:
    """Do what was recorded, each action told before it is done; raises `Drift`."""
    found: list[Target] = []
    for act in acts:
        said: str = act.do
        try:
            done = _filled(act, values)
            said = _in_words(done)
            tell(said)
            if done.find in found:
                await _rest(session)
            await _do(session, done, values, patience)
            found += [done.find] if done.find else []
        except (StrapError, Drift) as error:
            raise Drift(f"{said}: {error}") from None


async def _rest(session: Session) -> None:
    with suppress(StrapError):
        await session.on_page("wait", value="idle", timeout=REST)


async def _do(session: Session, act: Act, values: Mapping[str, str], patience: float) -> None:
    if act.do == "open":
        url = urljoin(values["base_url"], act.text or "")
        await session.on_page("navigate", url=url)
        return
    given: dict[str, Any] = {FIELDS[act.do]: act.text} if act.do in FIELDS else {}
    if act.find is not None:
        given["ref"] = await find(session, act.find, act.at, patience)
    before = await session.pages() if act.do == "click" else []
    answer = await session.act(act.do, awaits_news=not _keeps(act), **given)
    if answer.is_error:
        raise Drift(answer.text)
    if act.do == "click":
        await _follow(session, before)


def _keeps(act: Act) -> bool:
    """Whether the action is done when the element shows it, whatever the page makes of it later."""
    return act.do == "select" or (
        act.do == "click" and act.find is not None and act.find.role in KEEPS
    )


async def _follow(session: Session, before: Sequence[str]) -> None:
    after = await session.pages()
    opened = [page for page in after if page not in before]
    if opened or (after and session.page not in after):
        session.page = [*after, *opened][-1]


def _filled(act: Act, values: Mapping[str, str]) -> Act:
    find = act.find and Target.model_validate(
        {
            key: read(value, values) if isinstance(value, str) else value
            for key, value in act.find.model_dump().items()
        }
    )
    text = None if act.text is None else read(act.text, values)
    return act.model_copy(update={"find": find, "text": text, "at": read(act.at, values)})


def _in_words(act: Act) -> str:
    find = act.find
    target = (
        "" if find is None else f'{find.role} "{find.name or find.field or find.testid or find.id}"'
    )
    row = find.row if find is not None else None
    words = [act.do, target, f'in "{row}"' if row else "", act.text or ""]
    return " ".join(filter(None, words))
