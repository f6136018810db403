"""The catalog as one flat JSON schema and a description: what is always in the model's context.

Both are sorted and byte-identical from run to run. The budget, pinned by tests: the complete tool
definition of the built-in actions ≤ 1,000 o200k tokens, the description ≤ 2,048 characters
(clients cut there).
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from strap.api.actions import Action
from strap.api.params import COMMON
from strap.api.resources import Resource
from strap.routing.argument_errors import signature
from strap.routing.catalog import Catalog
from strap.routing.claims import HELP

NAME = "web"
MAX_DESCRIPTION = 2_048
MIN_SHARING = 3
MOST = 0.55
"""From how many actions, and from which share of them, a field is named once for all."""
_PLAIN = ("type", "items")
BUILTIN_OWNERS = frozenset({"http", "search", "browser", "agent", "live", "script", HELP})
_CLOSING = "All: [timeout(s) max_tokens session]; help [value=action]."
_INTRO = "[optional] fields."


def tool_definition(catalog: Catalog) -> dict[str, Any]:
    """Return the MCP tool; its inputSchema is flat and has no combinator at the root."""
    return {
        "name": NAME,
        "description": description(catalog),
        "inputSchema": input_schema(catalog),
        "annotations": {"openWorldHint": True},
    }


def input_schema(catalog: Catalog) -> dict[str, Any]:
    """Return the JSON schema of the arguments: every advertised field, typed and flat."""
    properties: dict[str, Any] = {
        "resource": {"type": "string", "enum": sorted(catalog.advertised_names())},
        "action": {"type": "string"},
    }
    properties |= {name: _plain(shape) for name, shape in catalog.fields.items()}
    return {"type": "object", "properties": properties, "required": ["resource", "action"]}


def description(catalog: Catalog) -> str:
    """Return the signatures of all actions, one line a resource and action.

    Plugins of third parties share the budget: beyond it their signatures shrink to names, then to
    a pointer to `help`. The built-in ones never shrink.
    """
    own, foreign = _split(catalog)
    lines = _lines(catalog, own)
    for further in (_lines(catalog, foreign), _names(foreign), _pointer(foreign)):
        text = "\n".join([_INTRO, *lines, *further, _CLOSING])
        if len(text) <= MAX_DESCRIPTION:
            break
    return text


def _plain(shape: dict[str, Any]) -> dict[str, Any]:
    """Drop what costs tokens and tells a model nothing: enums are in `help`, errors list them."""
    plain: dict[str, Any] = {key: shape[key] for key in _PLAIN if key in shape}
    if "items" in plain:
        plain["items"] = {"type": plain["items"]["type"]}
    return plain


def _split(catalog: Catalog) -> tuple[list[Action], list[Action]]:
    own: list[Action] = []
    foreign: list[Action] = []
    for action in catalog.advertised():
        if action.name != HELP:
            owner = catalog.owners[action.qualified]
            (own if owner in BUILTIN_OWNERS else foreign).append(action)
    return own, foreign


def _lines(catalog: Catalog, actions: Iterable[Action]) -> list[str]:
    by_resource: dict[str, list[Action]] = {}
    for action in actions:
        by_resource.setdefault(action.resource, []).append(action)
    return [
        _line(catalog.resources[resource], its_actions)
        for resource, its_actions in sorted(by_resource.items())
    ]


def _line(resource: Resource, actions: list[Action]) -> str:
    shared = _shared(actions)
    notes = [resource.usage, f"most: [{' '.join(sorted(shared))}]" if shared else ""]
    text = "; ".join(note for note in notes if note)
    heading = f"{resource.name} ({text})" if text else resource.name
    common = COMMON | shared
    signatures = (signature(action, common=common | _unadvertised(action)) for action in actions)
    return f"{heading}: {'; '.join(signatures)}"


def _unadvertised(action: Action) -> frozenset[str]:
    return frozenset(name for name, field in action.fields.items() if not field.advertised)


def _shared(actions: list[Action]) -> frozenset[str]:
    optional: Counter[str] = Counter()
    required: set[str] = set()
    for action in actions:
        for name, field in action.fields.items():
            if field.required:
                required.add(name)
            else:
                optional[name] += 1
    most = {name for name, count in optional.items() if count > len(actions) * MOST}
    return frozenset(most if len(actions) >= MIN_SHARING else ()) - required - COMMON


def _names(actions: list[Action]) -> list[str]:
    by_resource: dict[str, list[str]] = {}
    for action in actions:
        by_resource.setdefault(action.resource, []).append(action.name)
    return [
        f"{resource} also: {' '.join(names)}" for resource, names in sorted(by_resource.items())
    ]


def _pointer(actions: list[Action]) -> list[str]:
    return [f"{len(actions)} more actions of plugins: see help of each resource"]
