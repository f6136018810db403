"""What a process answers to this machine's user: which places it has, and a link to them."""

from typing import Any

from strap_live.admission import Grant
from strap_live.place import Place
from strap_live.view import LiveView


async def answer(view: LiveView, asked: dict[str, Any]) -> dict[str, Any]:
    """Answer `{"op": "list"}` or `{"op": "link", "role", "place"}`; raises `ActionError`."""
    everything = Grant(role="control")
    if asked.get("op") == "list":
        return {"places": [place.summary() for place in view.places.seen_by(everything)]}
    if asked.get("op") == "link":
        role, wanted = asked.get("role"), asked.get("place")
        places = view.places.seen_by(everything) if wanted else []
        found = next((place.id for place in places if wanted in _names(place)), None)
        grant = Grant(role="control" if role == "control" else "watch", place=found)
        return {"url": await view.link(grant)}
    return {"error": "unknown question"}


def _names(place: Place) -> tuple[str, ...]:
    return (place.id, place.subject.run_id)
