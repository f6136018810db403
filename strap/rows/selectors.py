"""Short CSS selectors of elements that stand alike."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from strap.rows.elements import ROOTS, tokens

if TYPE_CHECKING:
    from lxml.html import HtmlElement  # type: ignore[import-untyped]


def selector_of(members: "Sequence[HtmlElement]", token: str) -> str:
    """Return a short CSS selector of the members, as far as tags and classes tell them."""
    steps = [step_of(members, token)]
    above = members[0].getparent()
    while "." not in steps[0] and above is not None and above.tag not in ROOTS and len(steps) < 4:
        name = above.get("id") or ""
        is_shared = _plain(name) and all(_has_id_above(member, name) for member in members)
        steps.insert(0, f"{above.tag}#{name}" if is_shared else step_of([above]))
        if is_shared:
            break
        above = above.getparent()
    return " > ".join(steps)


def _has_id_above(element: "HtmlElement", identifier: str) -> bool:
    return any(above.get("id") == identifier for above in element.iterancestors())


def step_of(members: "Iterable[HtmlElement]", token: str = "") -> str:
    """Return the tag of the members with a class that all have, `token` if it can be one."""
    members = list(members)
    tag = str(members[0].tag)
    if token and _plain(token):
        return f"{tag}.{token}"
    shared = [
        common
        for common in tokens(members[0])
        if _plain(common) and all(common in tokens(other) for other in members)
    ]
    return f"{tag}.{shared[0]}" if shared else tag


def _plain(token: str) -> bool:
    return token.replace("-", "_").isidentifier() and not token.startswith("--")
