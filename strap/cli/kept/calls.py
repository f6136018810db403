"""Calls of the command line that are made in a kept session."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from strap.api.results import Result
from strap.cli.answers import Answer, answer_of, show
from strap.cli.call_words import Read, calls_of
from strap.cli.kept.client import KeptSession, open_session
from strap.cli.kept.sessions import digest
from strap.errors import StartupError, UsageError
from strap.mcp.signals import ending
from strap.text import replace_surrogates


def run_calls(
    settings: Mapping[str, Any],
    name: str,
    words: Sequence[str],
    *,
    as_json: bool,
    check_status: bool,
) -> int:
    """Make the call of `words`, or those of standard input; return the exit status.

    Raises `StartupError` for a session that cannot be begun, or is not to be used.
    """
    status, mark = 0, digest(settings)
    with closing(open_session(name, settings)) as session:
        session.check()
        for read in calls_of(words):
            answer = _make_call(session, name, read, mark)
            status = max(status, show(answer, as_json=as_json, check_status=check_status))
            if ending.came:
                break
    return status


def _make_call(session: KeptSession, name: str, read: Read, mark: str) -> Answer:
    try:
        words = [replace_surrogates(word) for word in read()]
    except UsageError as problem:
        return answer_of(Result(text=replace_surrogates(str(problem)), is_error=True), problem)
    answer = session.ask(do="call", words=words, digest=mark)
    if "other_settings" in answer:
        raise StartupError(
            f"Session {name!r} was begun with other settings.",
            hint=f"Give the same, or close it: strap sessions close {name}",
        )
    return answer
