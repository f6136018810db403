"""The engine `ray`: workers are actors, on this machine or on a cluster."""

import asyncio
import logging
import os
import secrets
import shutil
import sys
import tempfile
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from strap.api.extras import Extra
from strap.batch.artifacts import Wanted
from strap.batch.engine import NoWorkers, Outcome, WorkerLost
from strap.batch.homes import sweep
from strap.batch.items import Calls
from strap.batch.options import BatchOptions
from strap.batch.ray_worker import Spec, Worker
from strap.config import Config
from strap.errors import StartupError

RAY = Extra(name="ray", modules=("ray",))
STORE = 100 * 1024 * 1024
"""Bytes of Ray's object store, whose least is 75 MB: rows are small."""
STOP_SECONDS = 5.0
"""For a worker to close its browser; one that hangs is killed."""
LOCAL = {
    # On Linux Ray listens on all interfaces unless it takes this for one of the others.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Environment of a Ray of our own, beside a token that only it and its children know."""


class Seat:
    """A worker, and whether it answers."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.recovering: asyncio.Task[bool] | None = None


class RayEngine:
    """Runs items on actors, `concurrency` on each at a time."""

    def __init__(self, ray: Any, options: BatchOptions, folder: Path | None) -> None:
        self.capacity = 0
        self._ray = ray
        self._options = options
        self._folder = folder
        self._seats: list[Seat] = []
        self._free = asyncio.Queue[Seat | None]()
        self._tasks = set[asyncio.Task[None]]()
        self._lost = 0

    @classmethod
    async def open(cls, config: Config, options: BatchOptions) -> "RayEngine":
        """Start Ray or join a cluster, and wait for workers; raises `StartupError`."""
        if RAY.missing:
            what = "The engine 'ray' needs the extra 'ray'."
            raise StartupError(what, hint=f"Install it: {RAY.install}")
        folder = None
        if options.address is None:
            folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short: paths of sockets are
            os.environ.update(LOCAL, RAY_AUTH_TOKEN=secrets.token_hex(32))
        else:
            check_address(options.address, insecure=options.insecure)
        import ray

        where: dict[str, Any] = {"address": options.address}
        if folder is not None:
            where = {"include_dashboard": False, "object_store_memory": STORE}
            where |= {"address": "local", "_temp_dir": str(folder)}
        try:
            ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise StartupError(f"Ray cannot be reached: {error}") from None
        engine = cls(ray, options, folder)
        try:
            await engine._place(Spec.of(config, Wanted.of(options)))
        except BaseException:
            await engine.aclose()
            raise
        return engine

    async def run(self, key: str, calls: Calls) -> Outcome:
        """Run an item on the next worker that is free."""
        seat = await self._free.get()
        if seat is None:
            self._free.put_nowait(None)
            raise NoWorkers(f"No worker came back within {self._options.worker_wait:g} s.")
        call = seat.actor.run.remote(key, calls)
        try:
            outcome: Outcome = await call
        except asyncio.CancelledError:
            self._ray.cancel(call)
            self._free.put_nowait(seat)
            raise
        except self._ray.exceptions.RayError as error:
            self._give_back_later(seat)
            raise WorkerLost(f"Its worker ended: {type(error).__name__}.") from None
        self._free.put_nowait(seat)
        return outcome

    async def aclose(self) -> None:
        """End the workers, and Ray where it is our own."""
        for task in self._tasks:
            task.cancel()
        stopping = [
            asyncio.ensure_future(_answer(seat.actor.stop.remote())) for seat in self._seats
        ]
        if stopping:
            await asyncio.wait(stopping, timeout=STOP_SECONDS)
        for seat in self._seats:
            with suppress(Exception):
                self._ray.kill(seat.actor)
        await asyncio.to_thread(self._ray.shutdown)
        sweep()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _place(self, spec: Spec) -> None:
        room = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        wanted = self._options.workers or room
        if wanted > room:
            sys.stderr.write(f"strap: {wanted} workers were asked for, there is room for {room}\n")
        kind = self._ray.remote(Worker).options(
            num_cpus=1,
            max_restarts=-1,
            max_task_retries=0,  # the driver tries again, so that it can count
            max_concurrency=self._options.concurrency + 2,  # `start` and `stop` beside them
        )
        self._seats = [Seat(kind.remote(spec)) for _ in range(min(wanted, room))]
        answers = await asyncio.gather(*map(self._answers, self._seats))
        self._seats = [s for s, ready in zip(self._seats, answers, strict=True) if ready]
        if not self._seats:
            raise StartupError("No worker of Ray started.", hint="Look at the logs of Ray.")
        self.capacity = len(self._seats) * self._options.concurrency
        for seat in self._seats * self._options.concurrency:
            self._free.put_nowait(seat)

    async def _answers(self, seat: Seat) -> bool:
        """Whether a worker that starts, or starts again, answers in time."""
        errors = self._ray.exceptions
        with suppress(TimeoutError, errors.ActorDiedError, errors.RayTaskError):
            async with asyncio.timeout(self._options.worker_wait):
                while True:
                    try:
                        await seat.actor.start.remote()
                        return True
                    except errors.ActorUnavailableError:
                        await asyncio.sleep(0.1)
        return False

    def _give_back_later(self, seat: Seat) -> None:
        """Let a worker run something again when it answers: until then every call would be lost."""
        if seat.recovering is None:
            seat.recovering = asyncio.create_task(self._recover(seat))
        task = asyncio.create_task(self._give_back(seat, seat.recovering))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _recover(self, seat: Seat) -> bool:
        back = await self._answers(seat)
        seat.recovering = None
        if not back:
            self._lost += 1
            if self._lost == len(self._seats):
                self._free.put_nowait(None)
        return back

    async def _give_back(self, seat: Seat, recovering: "asyncio.Task[bool]") -> None:
        if await recovering:
            self._free.put_nowait(seat)


def check_address(address: str, *, insecure: bool) -> None:
    """Raise `StartupError` for a cluster on which anybody who reaches it may run code."""
    host = address.removeprefix("ray://").rpartition(":")[0].strip("[]") or address
    token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    if insecure or token or _is_loopback(host):
        return
    raise StartupError(
        f"The Ray cluster at {address!r} is asked without a token: whoever reaches it runs code.",
        hint="Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN there and here, or give --insecure.",
    )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


async def _answer(call: Any) -> None:
    with suppress(Exception):  # the worker may have ended
        await call
