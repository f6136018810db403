"""Answers of a person that a script needs: `{{answer_1}}`, such as the code in a mail."""

import re
from typing import Any

from strap.api.results import Result
from strap.errors import ActionError
from strap.scripts.playing import MakeCall

_ANSWER = re.compile(r"\{\{\s*(answer_\w+)\s*\}\}")


class Answers:
    """Makes calls; a person is asked for each answer when the first call needs it."""

    def __init__(self, make: MakeCall) -> None:
        self._make = make
        self._names: dict[str, str] = {}
        """The names of the answers of now by those in the script."""

    async def make(self, arguments: dict[str, Any]) -> Result:
        """Make a call; raises `StrapError`, `ActionError` "no_answer" if nobody answers."""
        texts = {key: text for key, text in arguments.items() if isinstance(text, str)}
        for key, text in texts.items():
            for name in dict.fromkeys(_ANSWER.findall(text)):
                if name not in self._names:
                    self._names[name] = await self._ask(arguments)
            texts[key] = _ANSWER.sub(lambda match: f"{{{{{self._names[match[1]]}}}}}", text)
        return await self._make(arguments | texts)

    async def _ask(self, arguments: dict[str, Any]) -> str:
        where = arguments.get("ref") or arguments.get("selector") or "the page"
        question = f"What is to be entered in {str(where)[:200]}?"
        call = {"resource": "browser", "action": "live", "text": question}
        shared = {key: arguments[key] for key in ("profile", "session") if key in arguments}
        answer = await self._make(call | shared)
        if name := _ANSWER.search(answer.text):
            return name[1]
        raise ActionError(
            f"Nobody answered: {question}",
            hint="Run it at a terminal, or where somebody watches the live view.",
            code="unanswered",
        )
