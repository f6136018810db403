"""Questions to a document that are strap's own, in a sandbox: out of the reach of its scripts."""

from contextlib import suppress
from typing import Any

from strap_firefox.bidi import BidiConnection, BidiError
from strap_firefox.values import Value, local_value

NAME = "strap-helper"


async def call(
    bidi: BidiConnection,
    context: str,
    function: str,
    *arguments: Value,
    sandbox: str = NAME,
) -> Value:
    """Call a function in a page or frame; return what comes of it. Raises `BidiError`."""
    answer = await bidi.send(
        "script.callFunction",
        functionDeclaration=function,
        arguments=list(arguments),
        target={"context": context, "sandbox": sandbox},
        awaitPromise=True,
    )
    if answer["type"] != "success":
        raise BidiError("javascript error", answer["exceptionDetails"]["text"])
    result: Value = answer["result"]
    return result


async def pass_by(bidi: BidiConnection, context: str) -> None:
    """Return when the requests that a document made until now are told: that takes a little."""
    with suppress(BidiError):  # it may go meanwhile
        await ask(bidi, context, "() => null")


async def ask(bidi: BidiConnection, context: str, function: str, *arguments: Any) -> Value:
    """Do the same with values of JSON."""
    return await call(bidi, context, function, *map(local_value, arguments))
