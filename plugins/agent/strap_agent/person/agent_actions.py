"""The actions that an agent of a run may be given: a closed list.

Each was read for where its texts go: none becomes part of a script. An action, or a field of one,
that a new version of browser-use brings stays out until somebody has read it and names it here.
"""

from collections.abc import Iterable
from typing import NamedTuple


class AgentAction(NamedTuple):
    """An action of the agent: what its model may fill in, and what it can do."""

    fields: tuple[str, ...]
    can: tuple[str, ...]
    """The actions of the browser that do the same."""


FILLS = ("fill", "type", "press", "click", "select", "hover")
CLICKS = ("click", "hover", "select")
NOTHING = ("description",)
"""The field of actions that need none: some providers refuse an empty object."""
ACTIONS: dict[str, AgentAction] = {
    "ask_person": AgentAction(("reason",), ()),
    "click": AgentAction(("index", "coordinate_x", "coordinate_y"), CLICKS),
    "close": AgentAction(("tab_id",), ("close_page",)),
    "done": AgentAction(("text", "success", "files_to_display"), ()),
    "dropdown_options": AgentAction(("index",), ("snapshot", "text", "click", "press")),
    "extract": AgentAction(
        (
            *("query", "extract_links", "extract_images", "start_from_char"),
            *("output_schema", "already_collected"),
        ),
        ("extract", "text"),
    ),
    "find_elements": AgentAction(
        ("selector", "attributes", "max_results", "include_text"), ("snapshot", "text", "extract")
    ),
    "find_text": AgentAction(("text",), ("scroll", "text")),
    "go_back": AgentAction(NOTHING, ("back",)),
    "input": AgentAction(("index", "text", "clear"), FILLS),
    "look": AgentAction((), ("snapshot", "text", "screenshot")),
    "navigate": AgentAction(("url", "new_tab"), ("navigate", "new_page")),
    "screenshot": AgentAction(("file_name", *NOTHING), ("screenshot",)),
    "scroll": AgentAction(("down", "pages", "index"), ("scroll",)),
    "search_page": AgentAction(
        ("pattern", "regex", "case_sensitive", "context_chars", "css_scope", "max_results"),
        ("text",),
    ),
    "select_dropdown": AgentAction(("index", "text"), ("select", "click")),
    "send_keys": AgentAction(("keys",), (*FILLS, "scroll")),
    "switch": AgentAction(("tab_id",), ()),
    "wait": AgentAction(("seconds",), ("wait",)),
}
"""Every action by its name; any other is refused.

`look` is what every step begins with. To type is to click as well: it gives a field the focus.
`dropdown_options` clicks on a list that is closed, to see what it offers, and presses Escape.
"""
LEFT_OUT = frozenset(
    (
        *("evaluate", "read_file", "replace_file", "save_as_pdf", "search"),
        *("upload_file", "write_file"),
    )
)
"""Those of browser-use that no agent gets: scripts, files, other people's searches."""


def refusal(name: str, fields: Iterable[str]) -> str:
    """Return why an action with these fields is not carried out, empty if it is."""
    if name not in ACTIONS:
        return f"strap does not know the action {name!r} and refuses it. Use another one."
    if other := sorted(set(fields).difference(ACTIONS[name].fields)):
        return f"strap does not know the field {other[0]!r} of {name} and refuses it. Leave it out."
    return ""
