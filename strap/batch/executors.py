"""Engines by name: `local`, and those whose executors plugins bring."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strap.api.declarations import LOCAL, Executor
from strap.batch import options as batch_options
from strap.batch.engine import Engine, Outcome
from strap.batch.items import Calls
from strap.batch.local import LocalEngine
from strap.batch.options import BatchOptions
from strap.config import Config
from strap.errors import StartupError, StrapError, one_line
from strap.faults import is_fault
from strap.routing.plugins import loader
from strap.routing.plugins.loader import Plugins
from strap.text import short_repr

METHODS = ("refusal", "run", "aclose")
"""Methods that an engine must have, beside its numbers (`strap.batch.engine.Engine`)."""
_TEXTS = ("worker", "node", "text", "data", "code", "message", "session_id", "stop_reason")
COLUMNS: Mapping[str, Any] = {
    "retryable": bool,
    "started": int | float,
    "seconds": int | float,
    "archive": bytes,
    **dict.fromkeys(_TEXTS, str),
}
"""Columns of a row that an engine may tell beside the status, with their types."""
log = logging.getLogger(__name__)


def engine_names(config: Config) -> tuple[str, ...]:
    """Return the names that `[batch] engine` takes; loads the plugins."""
    return (LOCAL, *loader.load((), config).executors)


def executor_named(name: str, config: Config, plugins: Plugins | None = None) -> Executor | None:
    """Return the executor of that name, None for `local`; raises `StartupError`."""
    if name == LOCAL:
        return None
    executors = (plugins or loader.load((), config)).executors
    if name in executors:
        return executors[name]
    valid = " or ".join(map(repr, (LOCAL, *executors)))
    raise StartupError(f"Setting 'batch.engine': must be {valid}.")


def check(config: Config, plugins: Plugins) -> None:
    """Raise `StartupError` for what is wrong in the table `[batch]`."""
    executor_named(batch_options.read(config).engine, config, plugins)


async def open_engine(executor: Executor | None, config: Config, options: BatchOptions) -> Engine:
    """Open an engine; raises `StartupError` for one that does not start, or is none."""
    if executor is None:
        return LocalEngine.open(config, options)
    if executor.extra is not None and executor.extra.missing:
        what = f"The engine {executor.name!r} needs the extra {executor.extra.name!r}."
        raise StartupError(what, hint=f"Install it: {executor.extra.install}")
    try:
        engine = await executor.open(config, options)
        lacking = [name for name in METHODS if not callable(getattr(engine, name, None))]
    except BaseException as error:
        if isinstance(error, StrapError) or not is_fault(error):
            raise
        raise StartupError(
            f"The engine {executor.name!r} did not start: {one_line(error)}"
        ) from error
    if lacking:
        what = f"The engine {executor.name!r} is {short_repr(engine)}, without {lacking[0]!r}."
        raise StartupError(what)
    checked = _PluginEngine(executor.name, engine)
    _ = checked.slots, checked.capacity  # which raise for what is no number
    return checked


@dataclass(frozen=True, slots=True)
class _PluginEngine:
    """An engine of a plugin, whose foreign code may raise and return anything."""

    name: str
    engine: Any

    @property
    def slots(self) -> int:
        return self._number("slots")

    @property
    def capacity(self) -> int:
        return self._number("capacity", least=0)

    def refusal(self, calls: Calls) -> StrapError | None:
        refusal = self.engine.refusal(calls)
        return refusal if isinstance(refusal, StrapError) else None

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item; one that the engine fails at, or answers wrongly, has failed."""
        try:
            outcome = await self.engine.run(key, calls)
        except BaseException as error:
            if isinstance(error, StrapError) or not is_fault(error):
                raise
            return self._failed(one_line(error))
        if not isinstance(outcome, dict) or outcome.get("status") not in ("ok", "failed"):
            return self._failed(f"it returned {short_repr(outcome)}, which is not an outcome")
        columns = {name: outcome[name] for name in COLUMNS if name in outcome}
        for name, value in columns.items():
            if not isinstance(value, COLUMNS[name]):
                return self._failed(f"its outcome has {name} {short_repr(value)}")
        return {"status": outcome["status"], **columns}

    async def aclose(self) -> None:
        """Close it; the rows are on the disk, whatever becomes of that."""
        try:
            await self.engine.aclose()
        except BaseException as error:
            if not is_fault(error):
                raise
            log.warning("The engine %r did not close: %s", self.name, one_line(error))

    def _number(self, part: str, least: int = 1) -> int:
        number = getattr(self.engine, part, None)
        if not isinstance(number, int) or number < least:
            raise StartupError(
                f"The engine {self.name!r} has {part} {short_repr(number)}: "
                f"it has to be a number from {least}."
            )
        return number

    def _failed(self, why: str) -> Outcome:
        message = f"The engine {self.name!r} failed: {why}"
        return {"status": "failed", "code": "internal", "message": message, "text": message}
