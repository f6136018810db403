"""The file that a page shows, as a PDF is: its bytes, which the browser is asked for again."""

import asyncio
import base64
from contextlib import suppress
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.cdp.errors import CdpError

if TYPE_CHECKING:
    from strap_browser.engine.frames.frame import Frame
    from strap_browser.interaction.page_state import PageState

LARGEST = 50_000_000
"""Bytes of a file that is read."""
PIECE = 1_000_000
VIEWER = "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/"
"""Chromium's viewer of PDFs (chrome/common/extensions/extension_constants.cc)."""
LOADED = """new Promise((done) => {
  const look = () => {
    const state = document.querySelector("pdf-viewer")?.loadState_;
    const begins = state === "loading" || !customElements.get("pdf-viewer");
    begins ? setTimeout(look, 50) : done();
  };
  look();
})"""
"""Waits until it has all of its file; one of other makers is not waited for."""
VIEWED_WITHIN = 5.0
"""Seconds; a small file takes 0.6 of them."""


async def document_body(state: "PageState", frame: "Frame") -> bytes:
    """Return the file that a frame shows, with the cookies of the page, from its cache if it can.

    Raises `ActionError` where it was the answer to a form, where the browser does not give it, or
    where it is too large.
    """
    is_main, document = frame is state.tab.page.main_frame, state.activity.document
    if is_main and document is not None and document.method != "GET":
        raise ActionError(f"It is the answer to a {document.method}, which is not sent again.")
    options = {"disableCache": False, "includeCredentials": True}
    try:
        answer = await frame.session.send(
            "Network.loadNetworkResource", frameId=frame.id, url=frame.url, options=options
        )
        resource = answer["resource"]
        if not resource["success"] or resource.get("httpStatusCode", 200) >= 400:
            why = resource.get("httpStatusCode") or resource.get("netErrorName", "no reason told")
            raise ActionError(f"The browser does not get it again ({why}).")
        return await _drain(frame, resource["stream"])
    except CdpError as error:
        raise ActionError(f"The browser does not give it: {error}.") from None


async def _drain(frame: "Frame", stream: str) -> bytes:
    pieces, size = list[bytes](), 0
    try:
        while True:
            piece = await frame.session.send("IO.read", handle=stream, size=PIECE)
            data = piece["data"]
            pieces.append(base64.b64decode(data) if piece.get("base64Encoded") else data.encode())
            size += len(pieces[-1])
            if size > LARGEST:
                raise ActionError(
                    f"It has more than {LARGEST:,} bytes, the most that are read.",
                    hint="Save it: http fetch with output.",
                    code="too_large",
                )
            if piece["eof"]:
                return b"".join(pieces)
    finally:
        await frame.session.send("IO.close", handle=stream)


async def viewed(state: "PageState") -> None:
    """Return when the browser's viewer shows its file, if the page is one; or after a while.

    Its frame is loaded long before the file is: pictures of it are empty until then.
    """
    viewer = next(
        (view for view in state.tab.page.inner_frames if view.url.startswith(VIEWER)), None
    )
    if viewer is None:
        return
    with suppress(CdpError, TimeoutError):
        async with asyncio.timeout(VIEWED_WITHIN):
            world = {"uniqueContextId": viewer.main_unique} if viewer.main_unique else {}
            params = {"expression": LOADED, "awaitPromise": True, **world}
            await viewer.session.send("Runtime.evaluate", **params)
            await viewer.drawn()
