"""The configuration of a run of cases: a profile for each slot, and a data directory apart."""

from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from strap import Config, StrapError

PROFILE = "case-{}"
MODEL_VARIABLES = ("STRAP_MODEL", "STRAP_BROWSER__MODEL")
HEADLESS_VARIABLES = ("STRAP_HEADLESS", "STRAP_BROWSER__HEADLESS")


def for_cases(
    config: Config, home: Path, *, jobs: int, model: str = "", headed: bool = False
) -> Config:
    """Return the configuration with `jobs` profiles without cookies; states are kept in `home`."""
    browser: dict[str, Any] = dict(config.plugins.get("browser", {}))
    slots = {PROFILE.format(number): {"ephemeral": True} for number in range(1, jobs + 1)}
    browser["profiles"] = {**browser.get("profiles", {}), **slots}
    browser["max_runs"] = max(jobs, int(browser.get("max_runs", 0)))
    environ = dict(config.environ)
    if model:
        browser["model"] = model
        _forget(environ, MODEL_VARIABLES)
    if headed:
        browser["headless"] = False
        _forget(environ, HEADLESS_VARIABLES)
    return replace(
        config,
        home=home,
        outputs=home / "outputs",
        environ=environ,
        plugins={**config.plugins, "browser": browser},
    )


def forget(home: Path) -> None:
    """Remove what is no evidence: logins, which are made anew in each run, and empty browsers."""
    for name in ("states", "profiles"):
        rmtree(home / name, ignore_errors=True)


def at_home(error: StrapError, moved_by: str) -> StrapError:
    """Return an error; if it is about the data directory, with what moves that of these runs."""
    if error.code == "home":
        error.hint = f"Mend that, or name another folder with {moved_by}."
    return error


def _forget(environ: dict[str, str], names: tuple[str, ...]) -> None:
    for name in names:
        environ.pop(name, None)
