"""One element of a document, held by the browser for as long as it is asked about it."""

from typing import Any

from strap_browser.cdp.connection import Answer, CdpSession
from strap_browser.engine.errors import ScriptFailed


class ElementHandle:
    """An element, as an object of one of its document's worlds (`Runtime.RemoteObject`)."""

    def __init__(self, session: CdpSession, object_id: str) -> None:
        self.session = session
        self.object_id = object_id

    async def call(self, function: str, *arguments: Any, as_user: bool = False) -> Any:
        """Call a JavaScript function with the element and what else is given; return its value.

        With `as_user` it may do what a page may do on a click alone. Raises `CdpError`,
        `ScriptFailed` for what it throws.
        """
        values = [{"objectId": self.object_id}, *map(_argument, arguments)]
        return value_of(
            await self.session.send(
                "Runtime.callFunctionOn",
                functionDeclaration=function,
                objectId=self.object_id,
                arguments=values,
                returnByValue=True,
                awaitPromise=True,
                userGesture=as_user,
            )
        )

    async def node(self) -> int:
        """Return the number of the element in the browser (`DOM.BackendNodeId`)."""
        answer = await self.session.send("DOM.describeNode", objectId=self.object_id)
        return int(answer["node"]["backendNodeId"])

    async def in_world(self, context: int) -> "ElementHandle":
        """Return the same element as an object of the world with this number."""
        node = await self.node()
        return await resolved(self.session, node, context)

    def release(self) -> None:
        """Let the browser forget it."""
        self.session.send("Runtime.releaseObject", objectId=self.object_id)


async def resolved(session: CdpSession, node: int, context: int) -> ElementHandle:
    """Return the element of this number as an object of a world; raises `CdpError`."""
    answer = await session.send("DOM.resolveNode", backendNodeId=node, executionContextId=context)
    return ElementHandle(session, answer["object"]["objectId"])


def _argument(value: Any) -> dict[str, Any]:
    return {"objectId": value.object_id} if isinstance(value, ElementHandle) else {"value": value}


def value_of(answer: Answer) -> Any:
    """Return the value of what was evaluated; raises `ScriptFailed`."""
    if details := answer.get("exceptionDetails"):
        thrown = details.get("exception", {})
        raise ScriptFailed(str(thrown.get("description") or details.get("text")))
    return answer["result"].get("value")
