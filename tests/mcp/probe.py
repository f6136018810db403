"""A plugin whose actions do what servers must survive; what happens is noted in a file."""

import asyncio
import os
import sys
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from strap import ActionError, Context, Image, Params, Prestart, Resource, Result, action, hookimpl


class Notes:
    """Appends one word a line to `notes` in the data directory."""

    def __init__(self, home: Path) -> None:
        self.path = home / "notes"
        self.words = 0

    def add(self, word: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(word + "\n")


@asynccontextmanager
async def open_notes(env):
    notes = Notes(env.config.home)
    notes.helper = None if os.environ.get("PROBE_TAKES_NONE") else env.take_helper()
    notes.add("opened")
    yield notes
    if os.environ.get("PROBE_HANG"):
        await asyncio.sleep(60)
    notes.add("closed")


async def end_session(notes, key):
    notes.add(f"ended {key}")


def helper(env):
    program = os.environ.get("PROBE_HELPER", sys.executable)
    arguments = {"program": program, "pids": str(env.config.home / "helpers")}
    return Prestart(starter="echoing:start", arguments=arguments, actions=("echo",))


def gauges(notes):
    return {"words": notes.words}


probe = Resource(
    name="probe",
    summary="A probe.",
    open=open_notes,
    end_session=end_session,
    helper=helper,
    gauges=gauges,
)


class Nothing(Params):
    pass


class Words(Params):
    words: str
    """Text to say."""


class Number(Params):
    number: float
    """How many."""


@action(probe, effect="read")
async def say(params: Words, ctx: Context[Notes]) -> Result:
    """Say something."""
    ctx.state.words += 1
    return Result(text=params.words)


@action(probe, effect="read")
async def echo(params: Words, ctx: Context[Notes]) -> Result:
    """Let the helper say something."""
    helper = ctx.state.helper
    if helper is None:
        return Result(text="There is no helper.")
    helper.stdin.write(f"{params.words}\n".encode())
    return Result(text=helper.stdout.readline().decode().strip())


@action(probe, effect="read")
async def who(params: Nothing, ctx: Context[Notes]) -> Result:
    """Tell who calls."""
    return Result(text=f"{ctx.caller.transport} {ctx.caller_key}")


@action(probe, effect="read")
async def task(params: Nothing, ctx: Context[Notes]) -> Result:
    """Tell which task it runs in."""
    return Result(text=asyncio.current_task().get_name())


@action(probe, effect="read", timeout=60)
async def sleep(params: Number, ctx: Context[Notes]) -> Result:
    """Sleep for a number of seconds; clean up when cancelled."""
    ctx.state.add("asleep")
    try:
        await asyncio.sleep(params.number)
    except asyncio.CancelledError:
        ctx.state.add("cancelled")
        raise
    ctx.state.add("awake")
    return Result(text="awake")


@action(probe, effect="read", timeout=60)
async def stick(params: Nothing, ctx: Context[Notes]) -> Result:
    """Do not end when cancelled."""
    ctx.state.add("asleep")
    while True:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


@action(probe, effect="read")
async def count(params: Number, ctx: Context[Notes]) -> Result:
    """Count with progress."""
    for step in range(int(params.number)):
        await ctx.progress(f"step {step + 1} \ud83d", step + 1, params.number)
    return Result(text="counted")


@action(probe, effect="read")
async def fail(params: Nothing, ctx: Context[Notes]) -> Result:
    """Fail as an action does."""
    raise ActionError("It rains.", hint="Wait.", code="weather", retryable=True)


@action(probe, effect="read")
async def crash(params: Nothing, ctx: Context[Notes]) -> Result:
    """Fail as no action should."""
    raise RuntimeError("the secret of the house")


@action(probe, effect="read")
async def leave(params: Words, ctx: Context[Notes]) -> Result:
    """End the process, as some code does: by itself, in a task or in a callback."""
    if params.words == "by itself":
        sys.exit(3)
    if params.words == "in a task":
        task = asyncio.create_task(leave(Words(words="by itself"), ctx))
        await asyncio.wait({task})
    else:
        asyncio.get_running_loop().call_soon(sys.exit, 3)
    await asyncio.sleep(0.05)
    return Result(text="left")


@action(probe, effect="read")
async def block(params: Number, ctx: Context[Notes]) -> Result:
    """Let nobody else run for a number of seconds."""
    time.sleep(params.number)  # noqa: ASYNC251
    return Result(text="blocked")


@action(probe, effect="read", timeout=60, blocking=True)
def hang(params: Number, ctx: Context[Notes]) -> Result:
    """Wait in a thread."""
    ctx.state.add("hanging")
    time.sleep(params.number)
    return Result(text="hung")


@action(probe, effect="read")
async def halves(params: Nothing, ctx: Context[Notes]) -> Result:
    """Answer with lone surrogates."""
    print("a stray line")  # noqa: T201
    os.system("echo a stray line of a child")  # noqa: ASYNC221
    return Result(text="left \ud83d right \ude00 end")


@action(probe, effect="read")
async def picture(params: Number, ctx: Context[Notes]) -> Result:
    """Answer with an image of a number of bytes."""
    return Result(text="picture", images=(Image(data=b"\0" * int(params.number)),))


class Files(Params):
    paths: list[str] | None = None
    """Files to write."""
    words: str = "words"
    """Text to write, once for each of `number`."""
    number: float = 1
    """How often."""
    after: float = 0
    """Seconds before the first question."""


@action(probe, effect="read", asks_caller=True)
async def ask(params: Files, ctx: Context[Notes]) -> Result:
    """Ask the caller's model, so often one after the other, and note when that is given up."""
    if ctx.caller.sample is None:
        return Result(text="nobody to ask")
    said = []
    await asyncio.sleep(params.after)
    try:
        for number in range(int(params.number)):
            await ctx.progress(f"question {number}")
            turn = {"role": "user", "parts": [{"type": "text", "text": f"question {number}"}]}
            said.append(await ctx.caller.sample("Answer.", [turn]))
    except asyncio.CancelledError:
        ctx.state.add("given up")
        raise
    return Result(text=", ".join(said))


@action(probe, effect="write")
async def save(params: Files, ctx: Context[Notes]) -> Result:
    """Write the same into files."""
    for path in params.paths or ():
        content = (params.words * int(params.number)).encode()
        await asyncio.to_thread(ctx.outputs.write, ctx.outputs.resolve(path), content)
    return Result(text=f"{len(params.paths or ())} written")


@action(probe, effect="write")
async def let_save(params: Files, ctx: Context[Notes]) -> Result:
    """Let another call write."""
    fields = params.model_dump(include={"paths", "words", "number"})
    return await ctx.web(resource="probe", action="save", **fields)


@action(probe, effect="read")
async def loaded(params: Nothing, ctx: Context[Notes]) -> Result:
    """Tell whether the SDK is loaded."""
    return Result(text=str("mcp_types" in sys.modules))


@action(probe, effect="read")
async def surplus(params: Nothing, ctx: Context[Notes]) -> Result:
    """Be there only where the environment says so."""
    return Result(text="surplus")


@hookimpl
def strap_register_resources(config):
    return [probe]


@hookimpl
def strap_register_actions(config):
    always = [say, echo, who, task, sleep, stick, count, fail, crash, halves, picture, loaded]
    always += [leave, block, hang, save, let_save, ask]
    return [*always, surplus] if os.environ.get("PROBE_EXTRA") else always
