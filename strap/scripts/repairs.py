"""Repairs of a script: lines whose elements have changed, found again by their evidence."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from strap.api.results import Result
from strap.errors import ActionError, StrapError
from strap.records import record
from strap.scripts.evidence import Entry
from strap.scripts.script import Line, names_in

MOST_TRIES = 3
"""Repairs of one line: two dialogs in the way, and another element."""
NOT_ALIKE = "not_alike"
"""The code of a search that found no element without doubt."""
MOVED = frozenset(("not_found", "ambiguous"))
BARRED = frozenset(("covered", "inert", "hidden", "cut_off", "focus_lost"))
Agree = Callable[[str], Awaitable[bool]]
"""Asks whether a line may be made so."""


@record(frozen=False)
class Repairs:
    """Repairs made while a script is played."""

    document: Entry
    """The file of evidence: each repair changes its entry here."""
    entries: Mapping[int, Entry]
    """The entries of the document by the numbers of their lines."""
    make: Callable[[dict[str, Any]], Awaitable[Result]]
    agree: Agree
    lines: dict[int, Line] = field(default_factory=dict)
    """The lines that were repaired, by their number."""
    notes: list[str] = field(default_factory=list)
    """Each repair in words."""

    async def repaired(
        self, line: Line, arguments: dict[str, Any], error: StrapError
    ) -> dict[str, Any] | None:
        """Return the arguments with which the call can be made after all, None if it cannot.

        Raises `ActionError` with the reason where no element is without doubt the recorded one.
        """
        entry = self.entries.get(line.number)
        if entry is None or error.code not in MOVED | BARRED:
            return None
        for name in [argument for argument in arguments if isinstance(entry.get(argument), dict)]:
            try:
                answer = await self._healed(entry, name, arguments)
            except StrapError as refused:
                if refused.code != NOT_ALIKE:
                    continue
                both = f"{error.message} {refused.message}"
                raise ActionError(both, hint=refused.hint, code=error.code) from None
            if "target" not in answer:
                return arguments if await self._cleared(line, answer) else None
            if error.code in MOVED and answer["target"] != arguments[name]:
                return await self._with_target(line, arguments, name, answer)
        return None

    async def _healed(self, entry: Entry, name: str, arguments: Mapping[str, Any]) -> Entry:
        came = entry.get("came")
        sent = came.get("requests", []) if isinstance(came, dict) else []
        evidence = json.dumps(entry[name] | {"requests": sent})
        call = {"resource": "browser", "action": "heal", "ref": arguments[name], "value": evidence}
        call |= {key: arguments[key] for key in ("profile", "target_id") if key in arguments}
        return dict((await self.make(call)).data or {})

    async def _cleared(self, line: Line, answer: Entry) -> bool:
        """Close what is in the way; returns whether that was tried."""
        if "close" in answer:
            call = {"action": "click", "ref": answer["close"]}
        else:
            call = {"action": "press", "key": answer["press"]}
        words = str(Line(arguments=call))
        if not await self.agree(f"line {line.number}: {words} first, to close what is in the way?"):
            return False
        try:
            await self.make({"resource": "browser", **call})
        except StrapError:
            return False
        self.notes.append(f"line {line.number}: {words} first, as something was in the way")
        return True

    async def _with_target(
        self, line: Line, arguments: dict[str, Any], name: str, answer: Entry
    ) -> dict[str, Any] | None:
        """Return the arguments with another target, None where that is not agreed to.

        A target that reads as the name of a value, as in `{name}`, cannot stand in a script.
        """
        target, known = str(answer["target"]), self.lines.get(line.number, line)
        own = "ref" if name == "selector" else name
        old = known.arguments.get(name)
        new = "with other marks" if old == target else f"→ {target}"
        words = f"line {line.number}: {old} {new} ({answer['same']})"
        if [*names_in(target)] or not await self.agree(f"{words}?"):
            return None
        changed = _replaced(known.arguments, name, own, target)
        self.lines[line.number] = Line(arguments=changed, number=line.number)
        entry = self.entries[line.number]
        del entry[name]
        entry |= {own: answer["evidence"], "line": str(self.lines[line.number])}
        self.notes.append(words)
        return _replaced(arguments, name, own, target)

    def written(self, text: str) -> str:
        """Return the text of the script with the lines that were repaired."""
        rows = text.split("\n")
        for number, line in self.lines.items():
            rows[number - 1] = str(line)
        return "\n".join(rows)


def _replaced(arguments: Mapping[str, Any], name: str, own: str, value: str) -> dict[str, Any]:
    """Return the arguments with another value in the place of one, by the name `own`."""
    return {
        own if key == name else key: value if key == name else old for key, old in arguments.items()
    }
