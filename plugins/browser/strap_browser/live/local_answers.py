"""What a process answers to this machine's user: which places it has, and a link to them."""

from typing import Any

from strap_browser.live.admission import Grant
from strap_browser.live.place import Place
from strap_browser.live.subjects import RunSubject
from strap_browser.live.view import LiveView


async def answer(view: LiveView, asked: dict[str, Any]) -> dict[str, Any]:
    """Answer `{"op": "list"}` or `{"op": "link", "role", "place"}`; raises `ActionError`."""
    everything = Grant(role="control")
    if asked.get("op") == "list":
        return {"places": [_told(place) for place in view.places.seen_by(everything)]}
    if asked.get("op") == "link":
        role, wanted = asked.get("role"), asked.get("place")
        found = next((p.id for p in view.places.seen_by(everything) if wanted in _names(p)), None)
        grant = Grant(role="control" if role == "control" else "watch", place=found)
        return {"url": await view.link(grant)}
    return {"error": "unknown question"}


def _names(place: Place) -> tuple[str, ...]:
    subject = place.subject
    return (place.id, subject.run.session_id) if isinstance(subject, RunSubject) else (place.id,)


def _told(place: Place) -> dict[str, Any]:
    names = _names(place)
    return {**place.summary(), "run": names[-1] if len(names) > 1 else None}
