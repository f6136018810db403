"""The words of a call that a shell offers: resources, then their actions."""

import click
from click.shell_completion import CompletionItem


def complete(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return what may stand next, as the installed plugins have it."""
    from strap.config import load
    from strap.routing.assembly import make_router

    words = context.params.get("words") or ()
    names = make_router(load()).catalog.advertised_names()
    choices = list(names) if not words else names.get(words[0], []) if len(words) == 1 else []
    return [CompletionItem(name) for name in sorted(choices) if name.startswith(incomplete)]
