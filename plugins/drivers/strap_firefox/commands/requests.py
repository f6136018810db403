"""The domains Fetch and Network, as far as the engine uses them."""

from typing import Any

from strap_firefox.session import FirefoxSession

Params = dict[str, Any]


async def intercept(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Fetch.enable`."""
    documents = any(
        pattern.get("resourceType") == "Document" for pattern in params.get("patterns", ())
    )
    await release(firefox, page, {})
    firefox.intercepts[page] = "", documents  # the first request may be held before the answer
    answer = await firefox.bidi.send(
        "network.addIntercept", phases=["beforeRequestSent"], contexts=[page]
    )
    firefox.intercepts[page] = answer["intercept"], documents
    return {}


async def release(firefox: FirefoxSession, page: str, _: Params) -> Params:
    """`Fetch.disable`."""
    known, _of_documents = firefox.intercepts.pop(page, ("", False))
    if known:
        await firefox.bidi.send("network.removeIntercept", intercept=known)
    return {}


async def let_go(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Fetch.continueRequest`."""
    fields = [_field(header["name"], header["value"]) for header in params.get("headers", ())]
    changes = {"headers": fields} if fields else {}
    await firefox.bidi.send("network.continueRequest", request=params["requestId"], **changes)
    return {}


async def fail(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Fetch.failRequest`."""
    await firefox.bidi.send("network.failRequest", request=params["requestId"])
    return {}


async def fulfil(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Fetch.fulfillRequest`."""
    fields = params.get("responseHeaders", ())
    await firefox.bidi.send(
        "network.provideResponse",
        request=params["requestId"],
        statusCode=params["responseCode"],
        headers=[_field(field["name"], field["value"]) for field in fields],
        body={"type": "base64", "value": params.get("body", "")},
    )
    return {}


async def extra_headers(firefox: FirefoxSession, page: str, params: Params) -> Params:
    """`Network.setExtraHTTPHeaders`."""
    headers = [_field(name, value) for name, value in params["headers"].items()]
    await firefox.bidi.send("network.setExtraHeaders", headers=headers, contexts=[page])
    return {}


def _field(name: str, value: str) -> Params:
    return {"name": name, "value": {"type": "string", "value": value}}


async def body(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Network.getResponseBody`."""
    content, encoded = await _stored_body(firefox, "response", params["requestId"])
    return {"body": content, "base64Encoded": encoded}


async def posted(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Network.getRequestPostData`."""
    content, encoded = await _stored_body(firefox, "request", params["requestId"])
    return {"postData": content, "base64Encoded": encoded}


async def _stored_body(firefox: FirefoxSession, kind: str, request: str) -> tuple[str, bool]:
    answer = await firefox.bidi.send("network.getData", dataType=kind, request=request)
    return answer["bytes"]["value"], answer["bytes"]["type"] == "base64"


async def load_document(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`Network.loadNetworkResource`, of a document that is there: it is not asked for again."""
    known = firefox.contexts.get(params["frameId"])
    request = known.request if known else ""
    content, encoded = await _stored_body(firefox, "response", request)
    stream = firefox.new_id()
    firefox.streams[stream] = {"data": content, "base64Encoded": encoded, "eof": True}
    return {"resource": {"success": True, "stream": stream, "httpStatusCode": 200}}


async def read(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`IO.read`: all at once."""
    return firefox.streams.pop(params["handle"], {"data": "", "eof": True})


async def end_reading(firefox: FirefoxSession, _: str, params: Params) -> Params:
    """`IO.close`."""
    firefox.streams.pop(params["handle"], None)
    return {}


COMMANDS = {
    "IO.close": end_reading,
    "IO.read": read,
    "Fetch.continueRequest": let_go,
    "Fetch.disable": release,
    "Fetch.enable": intercept,
    "Fetch.failRequest": fail,
    "Fetch.fulfillRequest": fulfil,
    "Network.getRequestPostData": posted,
    "Network.getResponseBody": body,
    "Network.loadNetworkResource": load_document,
    "Network.setExtraHTTPHeaders": extra_headers,
}
