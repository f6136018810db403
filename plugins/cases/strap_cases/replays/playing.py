"""Replays the calls of a recording on the page of a case; no model is asked."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

from strap import Result, StrapError
from strap.scripts.playing import has_failed, make_patiently
from strap.scripts.script import Line
from strap.targets.grammar import parse_target
from strap_cases.checking.scene import Session

REST = 2.0
"""Seconds for a page to come to rest."""
KEEPS = frozenset(
    (
        *("checkbox", "radio", "switch", "option", "menuitemcheckbox", "menuitemradio"),
        *("textbox", "searchbox", "spinbutton"),
    )
)
"""Roles of elements that a click changes themselves: nothing more has to come of it."""


class Drift(Exception):
    """The page is not what it was when the case was recorded; the text says how."""


async def play(
    session: Session,
    lines: Sequence[Line],
    values: Mapping[str, str],
    *,
    patience: float,
    tell: Callable[[str], None],
) -> None:
    """Make the calls that were recorded, each told before it is made; raises `Drift`."""
    known: set[str] = set()
    for line in lines:
        text = str(line)
        try:
            fields = line.filled(values)
            text = _in_words(fields)
            tell(text)
            ref = fields.get("ref", "")
            if ref in known:
                await _rest(session)
            known |= {ref} - {""}
            await _make(session, fields, values, patience)
        except (StrapError, Drift) as error:
            raise Drift(f"{text}: {error}") from None


async def _rest(session: Session) -> None:
    with suppress(StrapError):
        await session.on_page("wait", value="idle", timeout=REST)


async def _make(
    session: Session, fields: dict[str, Any], values: Mapping[str, str], patience: float
) -> None:
    action = fields["action"]
    if action == "navigate":
        fields["url"] = urljoin(values["base_url"], fields["url"])
    if action == "wait":
        fields["timeout"] = patience
    before = await session.pages() if action == "click" else []

    async def make(arguments: dict[str, Any]) -> Result:
        fields_set = {k: v for k, v in arguments.items() if k not in ("resource", "action")}
        return await session.act(action, awaits_news=not _keeps(fields), **fields_set)

    answer = await make_patiently(fields, make, patience)
    if has_failed(answer):
        raise Drift(answer.text)
    if action == "click":
        await _follow(session, before)


def _keeps(fields: Mapping[str, Any]) -> bool:
    """Tell whether the element itself shows that the call is done."""
    action = fields["action"]
    return action == "select" or (
        action == "click" and parse_target(fields["ref"]).element.role in KEEPS
    )


async def _follow(session: Session, before: Sequence[str]) -> None:
    after = await session.pages()
    opened = [page for page in after if page not in before]
    if opened or (after and session.page not in after):
        session.page = [*after, *opened][-1]


def _in_words(fields: Mapping[str, Any]) -> str:
    return " ".join(str(fields[name]) for name in fields if name != "resource")
