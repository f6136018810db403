"""`help`: full documentation on demand, so that the always-loaded schema stays small."""

from collections.abc import Callable
from typing import Any

from pydantic.fields import FieldInfo

from strap.api.actions import Action, action
from strap.api.calls import Context
from strap.api.field_types import generated
from strap.api.params import COMMON, Params, fields_of
from strap.api.results import Result
from strap.errors import ActionError, UsageError, did_you_mean
from strap.routing.argument_errors import signature
from strap.routing.catalog import Catalog
from strap.routing.claims import HELP
from strap.routing.field_docs import field_docs
from strap.text import short_repr


class Help(Params):
    """Fields of `help`."""

    value: str | None = None
    """Name of the action to explain; all of the resource if left out."""


def help_actions(resources: list[str], catalog: Callable[[], Catalog]) -> list[Any]:
    """Make the `help` action of each resource; `catalog` is asked when it is called."""
    return [_help_action(resource, catalog) for resource in resources]


def _help_action(resource: str, catalog: Callable[[], Catalog]) -> Any:
    @action(resource, effect="read", name=HELP, asks_person=True)
    async def help_(params: Help, ctx: Context[Any]) -> Result:
        """Explain the actions of a resource, or one of them."""
        ctx.consent.settle()  # it tells what every model may know
        known = catalog()
        actions = {a.name: a for a in known.advertised() if a.resource == resource}
        if params.value is None:
            return Result(text=_overview(known, resource, list(actions.values())))
        if topic := known.resources[resource].topics.get(params.value):
            return Result(text=topic)
        if params.value not in actions:
            raise UsageError(
                f"{resource!r} has no action {short_repr(params.value)} "
                f"(valid: {', '.join(sorted(actions))})."
                f"{did_you_mean(params.value, actions)}"
            )
        return Result(text=document(actions[params.value]))

    return help_


def _overview(catalog: Catalog, resource: str, actions: list[Action]) -> str:
    lines = [f"{resource}: {catalog.resources[resource].summary}"]
    lines += [f"- {signature(a)}: {_purpose(a)}" for a in actions if a.name != HELP]
    lines.append(f'Fields of one: web(resource: {resource}, action: help, value: "<action>").')
    return "\n".join(lines)


def _purpose(action: Action) -> str:
    try:
        return action.doc.splitlines()[0]
    except ActionError:
        return "(cannot be loaded: strap's log says why)"


def document(action: Action) -> str:
    """Return the whole documentation of an action: purpose, limit, and each field."""
    effect = "changes something" if action.effect == "write" else "only reads"
    limit = f"timeout {action.timeout:g} s" if action.timeout else "keeps its own time limits"
    lines = [f"{action.resource}.{signature(action)}", action.doc, f"({effect}; {limit})"]
    described, docs = generated(action.params), field_docs(action.params)
    fields = fields_of(action.params)
    own = {info.alias or name: name for name, info in action.params.model_fields.items()}
    for name in sorted(fields, key=lambda n: (n in COMMON, not fields[n].is_required())):
        info = fields[name]
        kind = described[name].get("enum") or described[name]["type"]
        kind = "|".join(map(str, kind)) if isinstance(kind, list) else kind
        lines.append(f"- {name} ({kind}{_default(info)}): {docs[own[name]]}")
    return "\n".join(lines)


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return ", required"
    value = info.get_default(call_default_factory=True, validated_data={})
    return "" if value in (None, {}, [], ()) else f", default {value!r}"
