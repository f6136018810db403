"""Drag and drop of HTML (6.11): the mouse sends drag events instead of its own.

A browser hands such a drag to the operating system, where no command reaches it. So it is asked
to hand it over here (`Input.setInterceptDrags`), and every movement until the release is told to
the page as an event of the drag.
"""

from typing import Any

from strap_browser.cdp.connection import CdpSession, Params


class DragInterception:
    """The drag that a page began since the button went down, if it did."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._data: Params | None = None
        self._is_entered = False
        self._is_on = False
        session.on("Input.dragIntercepted", self._on_drag)

    @property
    def is_on(self) -> bool:
        """Whether the page may begin one now."""
        return self._is_on

    async def begin(self) -> None:
        """Have what the page begins from now on handed over; raises `CdpError`."""
        self._data, self._is_entered, self._is_on = None, False, True
        await self._session.send("Input.setInterceptDrags", enabled=True)

    async def has_begun(self) -> bool:
        """Whether the page has begun one; asked after a movement, it knows of that.

        The browser tells of a drag by another way than of the movement: a question to the page
        takes the same one.
        """
        if self._is_on and self._data is None:
            await self._session.send("Runtime.evaluate", expression="0")
        return self._data is not None

    async def move(self, place: Params) -> None:
        """Drag what is dragged to a place, x, y and the modifiers held; raises `CdpError`."""
        if not self._is_entered:
            self._is_entered = True
            await self._send("dragEnter", place)
        await self._send("dragOver", place)

    async def end(self, place: Params, *, drop: bool = True) -> None:
        """Drop what is dragged, or give it up; raises `CdpError`."""
        self._is_on = False
        if self._data is not None:
            await self._send("drop" if drop else "dragCancel", place)
            self._data = None
        await self._session.send("Input.setInterceptDrags", enabled=False)

    async def _send(self, kind: str, place: dict[str, Any]) -> None:
        await self._session.send("Input.dispatchDragEvent", type=kind, data=self._data, **place)

    def _on_drag(self, event: Params) -> None:
        if self._is_on:
            self._data = event["data"]
