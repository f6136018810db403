"""The configuration of a run of cases: a profile for each slot, and a data directory apart."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from strap import ActionError, Config, StrapError
from strap.credentials.sealed_files import opened, write_sealed

PROFILE = "case-{}"
MODEL_VARIABLES = ("STRAP_MODEL", "STRAP_BROWSER__MODEL")
HEADLESS_VARIABLES = ("STRAP_HEADLESS", "STRAP_BROWSER__HEADLESS")


def for_cases(
    config: Config, home: Path, *, jobs: int, model: str = "", headed: bool = False
) -> Config:
    """Return the configuration with `jobs` profiles without cookies; states are kept in `home`.

    Logins whose scripts are configured begin with what the user has saved of them.
    """
    for own, lent in _logins(config, home):
        _copy(own, lent)
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


def forget(home: Path, config: Config) -> None:
    """Remove what is no evidence: logins, which are made anew in each run, and empty browsers.

    Those of configured scripts are saved for the user of `config` first.
    """
    for own, lent in _logins(config, home):
        _copy(lent, own)
    for name in ("states", "profiles"):
        rmtree(home / name, ignore_errors=True)


def at_home(error: StrapError, moved_by: str) -> StrapError:
    """Return an error; if it is about the data directory, with what moves that of these runs."""
    if error.code == "home":
        error.hint = f"Mend that, or name another folder with {moved_by}."
    return error


def _logins(config: Config, home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of saved logins that have scripts: the user's, and that of the run."""
    for name, table in config.logins.items():
        file = f"{table.get('state') or name}.json"
        yield config.home / "states" / file, home / "states" / file


def _copy(file: Path, to: Path) -> None:
    with suppress(OSError, ActionError):  # without it the login is made anew
        write_sealed(to, opened(file, file.read_bytes()))


def _forget(environ: dict[str, str], names: tuple[str, ...]) -> None:
    for name in names:
        environ.pop(name, None)
