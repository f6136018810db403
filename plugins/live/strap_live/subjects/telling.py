"""Facts about pages for viewers: nothing hostile, and no secret."""

from collections.abc import Callable, Mapping
from typing import Any

from strap_browser.api import without_query
from strap_live.subjects.run import RunSubject
from strap_live.subjects.session import SessionSubject
from strap_live.subjects.subject import PageFacts
from strap_live.timeline import clean

Subject = RunSubject | SessionSubject
"""Subject of a place."""
LONGEST_URL = 2_000
NOWHERE = {"url": "", "page": ""}
NO_FILE = {
    "session": "The page asks for a file, which is the agent's to give (`upload`).",
    "run": "The page asks for a file, which is not given in a run.",
}
"""Notice to the person who has the page in hand, by the kind of the place."""
ASKS_FILE = {
    "session": "The page asks for a file: give it with `upload`.",
    "run": "The page asks for a file, which you cannot give.",
}
"""Notice to the agent when it has the page again."""


def current_of(subject: Subject) -> PageFacts | None:
    """Return the page on which the agent works."""
    return next((page for page in subject.pages() if page.current), None)


def page_of(subject: Subject, page: str | None) -> PageFacts | None:
    """Return a page, or that on which the agent works where none of that id is there."""
    match = next((candidate for candidate in subject.pages() if candidate.id == page), None)
    return match or current_of(subject)


def told_of(subject: Subject, title: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the pages; `title` knows the title of a target."""
    return [
        {
            "id": page.id,
            "url": clean(subject.hide(page.url), LONGEST_URL),
            "title": clean(subject.hide(title(page.target)), 200),
            "current": page.current,
        }
        for page in subject.pages()
    ]


def now_at(subject: Subject, title: Callable[[str], str]) -> Mapping[str, str]:
    """Return address and title of the page on which the agent works."""
    if (page := current_of(subject)) is None:
        return NOWHERE
    url, called = subject.hide(page.url), subject.hide(title(page.target))
    return {"url": clean(url, 300), "page": clean(called, 200)}


def where(subject: Subject) -> str:
    """Return where the agent's page is."""
    page = current_of(subject)
    return clean(subject.hide(without_query(page.url)), 300) if page else "no page"


def handed_back(subject: Subject, seconds: float, was: tuple[str, str]) -> str:
    """Return what the agent is told; `was` are id and address of its page before."""
    address, page = where(subject), current_of(subject)
    on = f", on page {page.id}" if page and page.tab and page.id != was[0] else ""
    before = f" (was {was[1]})" if was[1] != address else ""
    file = f" {ASKS_FILE[subject.kind]}" if asks_file(subject) else ""
    return f"A person had control for {seconds:.0f} s: now at {address}{before}{on}.{file}"


def asks_file(subject: Subject) -> bool:
    """Return whether the agent's page asks for a file, which no person can give."""
    page = current_of(subject)
    return page is not None and page.asks_file


def no_file(subject: Subject) -> dict[str, Any]:
    """Return what a person is told of that who has the page in hand."""
    return {"type": "refused", "of": "file", "text": NO_FILE[subject.kind]}


def dialog_of(subject: Subject) -> dict[str, Any] | None:
    """Return the dialog that is open, None for none."""
    for page in subject.pages():
        if page.tab is not None and (dialog := page.tab.dialog) is not None:
            text = clean(subject.hide(dialog.message))
            return {"kind": dialog.type, "text": text, "default": dialog.default_value[:200]}
    return None
