"""The table of roles that the page script and the snapshot share (`roles.json`)."""

import json
from functools import cache
from pathlib import Path


@cache
def roles_with(fact: str) -> frozenset[str]:
    """Return the ARIA roles that the table gives this fact."""
    roles = _table()["roles"]
    return frozenset(role for role, facts in roles.items() if fact in facts)


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    table: dict[str, dict[str, list[str]]] = json.loads(
        Path(__file__).with_name("roles.json").read_text("utf-8")
    )
    return table
