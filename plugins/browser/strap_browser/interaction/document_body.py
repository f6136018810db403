"""The file that a page shows, as a PDF is: its bytes, which the browser is asked for again."""

import base64
from typing import TYPE_CHECKING

from strap import ActionError
from strap_browser.cdp.errors import CdpError

if TYPE_CHECKING:
    from strap_browser.interaction.page_state import PageState

LARGEST = 50_000_000
"""Bytes of a file that is read."""
PIECE = 1_000_000


async def document_body(state: "PageState") -> bytes:
    """Return the file that the page shows, with the cookies of the page, from its cache if it can.

    Raises `ActionError` where it was the answer to a form, where the browser does not give it, or
    where it is too large.
    """
    frame, asked = state.tab.page.main_frame, state.activity.document
    if asked is not None and asked.method != "GET":
        raise ActionError(f"It is the answer to a {asked.method}, which is not sent again.")
    options = {"disableCache": False, "includeCredentials": True}
    try:
        told = await state.send(
            "Network.loadNetworkResource", frameId=frame.id, url=frame.url, options=options
        )
        resource = told["resource"]
        if not resource["success"] or resource.get("httpStatusCode", 200) >= 400:
            why = resource.get("httpStatusCode") or resource.get("netErrorName", "no reason told")
            raise ActionError(f"The browser does not get it again ({why}).")
        return await _drain(state, resource["stream"])
    except CdpError as error:
        raise ActionError(f"The browser does not give it: {error}.") from None


async def _drain(state: "PageState", stream: str) -> bytes:
    pieces, size = list[bytes](), 0
    try:
        while True:
            piece = await state.send("IO.read", handle=stream, size=PIECE)
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
        await state.send("IO.close", handle=stream)
