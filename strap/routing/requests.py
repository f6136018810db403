"""From raw arguments to a validated call."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from strap.api.actions import Action
from strap.api.calls import Call, Caller
from strap.errors import ActionError, StrapError, UsageError
from strap.routing.argument_errors import explain
from strap.routing.catalog import Catalog
from strap.routing.plugin_boundary import Blame
from strap.text import replace_all_surrogates


def find(catalog: Catalog, arguments: Mapping[str, Any]) -> tuple[Action, dict[str, Any]]:
    """Return the action that is meant and its fields, as they were given; raises `UsageError`."""
    if not isinstance(arguments, Mapping):
        raise UsageError("The arguments must be an object with 'resource' and 'action'.")
    fields = replace_all_surrogates(dict(arguments))
    resource, name = fields.pop("resource", None), fields.pop("action", None)
    return catalog.find(resource, name), fields


def validate(catalog: Catalog, action: Action, fields: dict[str, Any], caller: Caller) -> Call:
    """Return the call; raises `UsageError`, and `ActionError` where something is missing.

    The code of the action is imported.
    """
    action.code.load()
    check_installed(catalog, action)
    try:
        params = action.params.model_validate(fields)
    except ValidationError as error:
        siblings = [a for a in catalog.advertised() if a.resource == action.resource]
        raise UsageError(explain(action, error, siblings)) from None
    return Call(
        resource=action.resource,
        action=action.name,
        effect=action.effect,
        params=params,
        caller=caller,
    )


def refusal(catalog: Catalog, arguments: Mapping[str, Any], caller: Caller) -> StrapError | None:
    """Return why no such call can be made, None where it may be: nothing of it is done."""
    try:
        with Blame("the router"):
            validate(catalog, *find(catalog, arguments), caller)
    except StrapError as error:
        return error
    return None


def check_installed(catalog: Catalog, action: Action) -> None:
    """Raise `ActionError` where a library that the action needs is missing."""
    if extra := catalog.lacking_extra(action):
        raise ActionError(
            f"{action.qualified} needs the extra {extra.name!r}, which is not installed.",
            hint=f"Install it: {extra.install}",
            code="not_installed",
        )
