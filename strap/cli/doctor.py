"""Findings of `strap doctor`: what is there, what is missing, the command that fixes it."""

import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryFile

from strap.api.extras import Diagnosis, Extra
from strap.atomic_files import FULL, make_private
from strap.config import Config
from strap.errors import StartupError
from strap.installation import DISTRIBUTION, install_command
from strap.routing.assembly import make_router
from strap.routing.plugins.advice import description, mending
from strap.routing.plugins.discovery import discover
from strap.routing.plugins.loader import InstalledPlugin
from strap.routing.router import Router
from strap.routing.tool_schema import tool_definition
from strap.version import __version__

ROOM = 1_000_000
"""Bytes that the data directory has to take: less than a browser writes as it starts."""


def examine(read_config: Callable[[], Config]) -> Iterator[Diagnosis]:
    """Yield one line a finding; goes on after a failure, so that all of them are seen."""
    yield Diagnosis(
        subject="strap",
        ok=True,
        detail=f"{__version__} on Python {platform.python_version()} ({sys.executable})",
    )
    yield _library("mcp")
    try:
        config = read_config()
        router = make_router(config)
    except StartupError as error:
        yield _unusable(error)
        for entry in discover():
            yield Diagnosis(
                subject=f"plugin {entry.name}", ok=True, detail=f"installed: {entry.value}"
            )
        return
    yield from _configuration(config, router)
    yield _home(config.home)
    for plugin in router.plugins.installed:
        yield _plugin(plugin, dict(router.catalog.unloadable(plugin.name)))
    yield from _extras(router)
    for answer in router.plugins.collect("strap_diagnose", config=config):
        if isinstance(answer, StartupError):
            yield _broken(router, answer)
        else:
            yield from answer
    yield _tool(router)


def _unusable(error: StartupError) -> Diagnosis:
    """Tell what keeps strap from starting: a plugin that is required, or the configuration."""
    subject = f"plugin {error.plugin}" if error.plugin else "configuration"
    return Diagnosis(subject=subject, ok=False, detail=error.message, fix=error.hint)


def _library(name: str) -> Diagnosis:
    try:
        return Diagnosis(subject=name, ok=True, detail=version(name))
    except PackageNotFoundError:
        fix = install_command(DISTRIBUTION)
        return Diagnosis(subject=name, ok=False, detail="not installed", fix=fix)


def _configuration(config: Config, router: Router) -> Iterator[Diagnosis]:
    from strap.batch import executors as batch
    from strap.mcp.http import serve_settings as serve

    for check in (serve.read, partial(batch.check, plugins=router.plugins)):
        try:
            check(config)
        except StartupError as error:
            yield _unusable(error)
    source = str(config.source) if config.source else "defaults (no strap.toml found)"
    network = config.network or "local over stdio, public over HTTP"
    yield Diagnosis(subject="configuration", ok=True, detail=f"{source}; network: {network}")


def _home(home: Path) -> Diagnosis:
    try:
        make_private(home)
        with TemporaryFile(dir=home) as probe:
            probe.write(bytes(ROOM))
            probe.flush()
            return Diagnosis(subject="data directory", ok=True, detail=str(home))
    except OSError as error:
        what = "Make room there, or set" if error.errno in FULL else "Set"
        return Diagnosis(
            subject="data directory",
            ok=False,
            detail=f"{home} cannot be written: {error.strerror}",
            fix=f"{what} STRAP_HOME to a directory that you may write to.",
        )


def _broken(router: Router, error: StartupError) -> Diagnosis:
    plugin = router.plugins.named(error.plugin)
    source = plugin.distribution
    return Diagnosis(
        subject=f"plugin {plugin.name}",
        ok=False,
        detail=f"{error.message} (from {source or 'this process'})",
        fix=f"pip install --upgrade {source}" if source else "",
    )


def _plugin(plugin: InstalledPlugin, broken: Mapping[str, BaseException]) -> Diagnosis:
    """Tell of a plugin, with those of its actions that cannot be loaded."""
    detail, fix = f"from {plugin.distribution or 'this process'}", plugin.fix
    if plugin.problem:
        detail += f", not in use: {plugin.whole_problem}"
    for name, error in broken.items():
        detail += f"; {name} cannot be loaded: {description(error)}"
        fix = mending(plugin.distribution, error)
    is_right = not plugin.problem and not broken
    return Diagnosis(subject=f"plugin {plugin.name}", ok=is_right, detail=detail, fix=fix)


def _extras(router: Router) -> Iterator[Diagnosis]:
    """Tell which optional libraries are there; to do without them is no mistake."""
    catalog = router.catalog
    extras = Counter(map(catalog.extra, catalog.actions.values()))
    for extra in sorted((e for e in extras if e), key=lambda e: e.name):
        detail, fix = "installed", ""
        if extra.missing_in(catalog.environments):
            needed = "an action needs" if extras[extra] == 1 else f"{extras[extra]} actions need"
            detail, fix = f"not installed, and {needed} it", extra.install
        yield Diagnosis(subject=f"extra {extra.name}", ok=True, detail=detail, fix=fix)
    for extra in _of_commands():
        yield Diagnosis.of_extra(extra)


def _of_commands() -> tuple[Extra, ...]:
    """The extras of `strap batch` and `strap serve --http`, which no action needs."""
    from strap.batch.sources import TABLE
    from strap.mcp.http.identity.access_tokens import OAUTH
    from strap.mcp.http.metrics import TELEMETRY

    return TABLE, OAUTH, TELEMETRY


def _tool(router: Router) -> Diagnosis:
    names = router.catalog.advertised_names()
    actions = sum(len(own) for own in names.values())
    size = len(tool_definition(router.catalog)["description"])
    detail = f"{', '.join(sorted(names))}: {actions} actions, description {size} characters"
    return Diagnosis(subject="tool web", ok=bool(names), detail=detail)
