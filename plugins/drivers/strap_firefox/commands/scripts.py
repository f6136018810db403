"""The domains Runtime and DOM of the DevTools protocol, as far as the engine uses them."""

from typing import Any

from strap_firefox import own_world
from strap_firefox.bidi import BidiError
from strap_firefox.session import FirefoxSession
from strap_firefox.values import (
    argument,
    described,
    local_value,
    node_id,
    node_number,
    numbered_node,
    realm_of,
    reference,
    remote_object,
    shared_id,
)

Params = dict[str, Any]
SCROLL = """(element, rect) => {
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  if (!rect) return;
  const box = element.getBoundingClientRect();
  const [across, down] = [box.left + rect.x - innerWidth / 2, box.top + rect.y - innerHeight / 2];
  scrollBy({ left: across, top: down, behavior: "instant" });
}"""


async def evaluate(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Runtime.evaluate`."""
    realm = params.get("uniqueContextId") or firefox.worlds.get(params.get("contextId", 0))
    answer = await _ran(
        firefox,
        "script.evaluate",
        params,
        expression=params["expression"],
        target={"realm": realm} if realm else {"context": page},
    )
    if params.get("userGesture"):
        await own_world.pass_by(firefox.bidi, page)
    return answer


async def call_function(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Runtime.callFunctionOn`."""
    of = params.get("objectId")
    realm = realm_of(of) if of else firefox.worlds.get(params.get("executionContextId", 0))
    more = {"this": reference(of)} if of else {}
    return await _ran(
        firefox,
        "script.callFunction",
        params,
        functionDeclaration=params["functionDeclaration"],
        arguments=[argument(value) for value in params.get("arguments", ())],
        target={"realm": realm} if realm else {"context": page},
        **more,
    )


async def _ran(firefox: FirefoxSession, method: str, params: Params, **command: Any) -> Params:
    whole = params.get("returnByValue", False)
    answer = await firefox.bidi.send(
        method,
        awaitPromise=params.get("awaitPromise", False),
        userActivation=params.get("userGesture", False),
        resultOwnership="none" if whole else "root",
        serializationOptions={} if whole else {"maxObjectDepth": 1},
        **command,
    )
    if answer["type"] == "success":
        return {"result": remote_object(answer["realm"], answer["result"], whole=whole)}
    details = answer["exceptionDetails"]
    thrown = details["exception"]
    text = details["text"] if thrown["type"] == "error" else f"Uncaught {described(thrown)}"
    exception = {"type": "object", "description": text}
    return {
        "result": exception,
        "exceptionDetails": {
            "text": text,
            "lineNumber": details["lineNumber"],
            "columnNumber": details["columnNumber"],
            "exception": exception,
        },
    }


async def properties(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Runtime.getProperties`, of a list."""
    of = params["objectId"]
    answer = await firefox.bidi.send(
        "script.callFunction",
        functionDeclaration="(list) => [...list]",
        arguments=[reference(of)],
        target={"realm": realm_of(of)},
        awaitPromise=False,
        resultOwnership="root",
    )
    listed = enumerate(answer["result"]["value"])
    return {
        "result": [
            {"name": str(place), "value": remote_object(answer["realm"], value)}
            for place, value in listed
        ]
    }


async def release(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Runtime.releaseObject`; a node is kept by nobody's name."""
    of = reference(params["objectId"])
    if "handle" in of:
        target = {"realm": realm_of(params["objectId"])}
        await firefox.bidi.send("script.disown", handles=[of["handle"]], target=target)
    return {}


async def isolated_world(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Page.createIsolatedWorld`, which is a sandbox."""
    target = {"context": params["frameId"], "sandbox": params["worldName"]}
    answer = await firefox.bidi.send(
        "script.evaluate", expression="0", target=target, awaitPromise=False
    )
    return {"executionContextId": firefox.worlds.number(answer["realm"])}


async def add_script(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Page.addScriptToEvaluateOnNewDocument`."""
    if name := params.get("worldName"):
        firefox.world = name
    world = {"sandbox": name} if name else {}
    function = f"() => {{\n{params['source']}\n}}"
    answer = await firefox.bidi.send(
        "script.addPreloadScript", functionDeclaration=function, contexts=[page], **world
    )
    if params.get("runImmediately"):
        for frame in firefox.contexts.within(page):
            await _run_at_once(firefox, function, {"context": frame, **world})
    return {"identifier": answer["script"]}


async def _run_at_once(firefox: FirefoxSession, function: str, target: Params) -> None:
    call = {"functionDeclaration": function, "target": target, "awaitPromise": False}
    await firefox.bidi.send("script.callFunction", **call)


async def remove_script(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Page.removeScriptToEvaluateOnNewDocument`."""
    await firefox.bidi.send("script.removePreloadScript", script=params["identifier"])
    return {}


async def describe_node(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`DOM.describeNode`: the number of a node, and the frame that is in it."""
    of = params["objectId"]
    answer = await call_own(firefox, of, "(node) => node.contentWindow || null")
    node = {"backendNodeId": node_number(shared_id(of))}
    frame = {"frameId": answer["value"]["context"]} if answer["type"] == "window" else {}
    return {"node": node | frame}


async def resolve_node(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`DOM.resolveNode`."""
    number = params.get("executionContextId", 0)
    realm = firefox.worlds.get(number) or firefox.worlds.main(page)
    if not realm:
        raise BidiError("no such frame", "The document is gone.")
    shared = numbered_node(params["backendNodeId"])
    return {"object": {"type": "object", "subtype": "node", "objectId": node_id(realm, shared)}}


async def scroll_into_view(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`DOM.scrollIntoViewIfNeeded`."""
    await call_own(firefox, params["objectId"], SCROLL, local_value(params.get("rect")))
    return {}


async def set_files(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`DOM.setFileInputFiles`."""
    if "objectId" in params:
        shared, context = shared_id(params["objectId"]), realm_of(params["objectId"])
        context = firefox.worlds.context(context)
    else:
        shared, context = numbered_node(params["backendNodeId"]), page
    await firefox.bidi.send(
        "input.setFiles", context=context, element={"sharedId": shared}, files=params["files"]
    )
    return {}


async def call_own(firefox: FirefoxSession, of: str, function: str, *more: Params) -> Params:
    """Call a function with a node, out of the reach of the page; return what comes of it."""
    context = firefox.worlds.context(realm_of(of))
    return await own_world.call(firefox.bidi, context, function, reference(of), *more)


COMMANDS = {
    "DOM.describeNode": describe_node,
    "DOM.resolveNode": resolve_node,
    "DOM.scrollIntoViewIfNeeded": scroll_into_view,
    "DOM.setFileInputFiles": set_files,
    "Page.addScriptToEvaluateOnNewDocument": add_script,
    "Page.createIsolatedWorld": isolated_world,
    "Page.removeScriptToEvaluateOnNewDocument": remove_script,
    "Runtime.callFunctionOn": call_function,
    "Runtime.evaluate": evaluate,
    "Runtime.getProperties": properties,
    "Runtime.releaseObject": release,
}
