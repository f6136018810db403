"""Lines of `strap plugins`: what each plugin adds, what it lacks, and what is wrong."""

from collections.abc import Iterator

from strap.api.actions import Action
from strap.routing.plugins.advice import description, mending
from strap.routing.plugins.loader import InstalledPlugin
from strap.routing.router import Router

SLOW = 1.0
"""Seconds; every start of strap waits that long, and strap's own plugins take .05."""
_WORDS = {
    "wraps or checks calls": ("strap_wrap_call", "strap_check_call"),
    "shows kinds of files": ("strap_register_converters",),
    "runs batches": ("strap_register_executors",),
    "adds commands": ("strap_register_commands",),
}


def listed(router: Router) -> Iterator[str]:
    """Yield the lines."""
    for plugin in router.plugins.installed:
        who = f"{plugin.name} ({plugin.distribution or 'this process'}):"
        if plugin.problem:
            yield f"{who} not in use: {plugin.whole_problem}"
            if plugin.fix:
                yield f"    → {plugin.fix}"
        else:
            yield from _added(router, plugin, who)
            if plugin.seconds > SLOW:
                yield f"    took {plugin.seconds:.1f} s to import; import large libraries at use"


def _added(router: Router, plugin: InstalledPlugin, who: str) -> Iterator[str]:
    catalog = router.catalog
    usable, lacking = list[str](), dict[str, list[str]]()
    broken = dict(catalog.unloadable(plugin.name))
    for name, action in sorted(catalog.actions.items()):
        if catalog.owners[name] == plugin.name and name not in broken:
            (lacking.setdefault(way, []) if (way := _install(router, action)) else usable).append(
                name
            )
    adds = [", ".join(usable)] if usable else []
    adds += _beside(router, plugin.name)
    yield f"{who} {'; '.join(adds) or 'nothing'}"
    for way, names in lacking.items():
        yield f"    not installed: {', '.join(names)}"
        yield f"    → {way}"
    for name, error in broken.items():
        yield f"    cannot be loaded: {name}: {description(error)}"
        if way := mending(plugin.distribution, error):
            yield f"    → {way}"


def _beside(router: Router, plugin: str) -> Iterator[str]:
    for word, hooks in _WORDS.items():
        implementing = (name for hook in hooks for name, _ in router.plugins.implementations(hook))
        if plugin in implementing:
            yield word


def _install(router: Router, action: Action) -> str:
    extra = router.catalog.lacking_extra(action)
    return extra.install if extra else ""
