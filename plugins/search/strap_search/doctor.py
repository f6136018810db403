"""Lines of `strap doctor` about the engines: how each is reached, which are broken."""

from collections.abc import Iterator

from strap import ActionError, Diagnosis
from strap_search.registry import OWN, Listed, Registry, installed
from strap_search.settings import SearchSettings


def diagnose(settings: SearchSettings) -> Iterator[Diagnosis]:
    """Yield one line for the engines that work, and one for each problem; nothing is asked."""
    registry = installed()
    outcomes = {name: _outcome(registry, name, settings) for name in registry.names}
    detail = "; ".join(f"{name}: {text}" for name, (text, error) in outcomes.items() if not error)
    yield Diagnosis(subject="search", ok=bool(detail), detail=detail)
    for name, (text, error) in outcomes.items():
        if error:
            fix = _fix(registry.listed[name])
            yield Diagnosis(subject=f"search engine {name}", ok=False, detail=text, fix=fix)
    for engine in registry.taken:
        yield Diagnosis(
            subject=f"search engine {engine.name}",
            ok=False,
            detail=f"that of {engine.distribution} is not in use: the name is taken",
            fix=f"pip uninstall {engine.distribution}",
        )
    for name in sorted(settings.engines.keys() - (registry.listed.keys() - OWN.keys())):
        detail = f"{name!r} has settings, but no installed distribution adds such an engine"
        fix = f"Remove [plugins.search.engines.{name}], or install what adds the engine."
        yield Diagnosis(subject=f"search engine {name}", ok=False, detail=detail, fix=fix)


def _outcome(registry: Registry, name: str, settings: SearchSettings) -> tuple[str, bool]:
    try:
        engine_class = registry.resolve(name, settings)
    except ActionError as error:
        if error.code == "broken_engine":
            return _cause(error), True
        return "not set up", False
    who = engine_class.name if engine_class.name != name else ""
    keyless = "keyless" if engine_class.keyless else ""
    return ", ".join(filter(None, (who, keyless))) or "ready", False


def _cause(error: ActionError) -> str:
    cause = error.__cause__
    text = str(cause).strip().splitlines()
    return f"{type(cause).__name__}: {text[0] if text else 'no message'}"


def _fix(listed: Listed) -> str:
    return f"pip install --upgrade {listed.distribution or 'strap-web'}"
