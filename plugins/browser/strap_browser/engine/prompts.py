"""Prompts of a page for the person in front of it: dialogs and file choosers."""

from typing import TYPE_CHECKING, Any

from strap import record
from strap_browser.cdp.connection import CdpSession

if TYPE_CHECKING:
    from cdp_use.cdp.page.events import JavascriptDialogOpeningEvent


@record
class Dialog:
    """An open dialog, which blocks its page: `type` is alert, confirm, prompt or beforeunload."""

    session: CdpSession
    type: str
    message: str
    default_value: str

    @classmethod
    def of(cls, session: CdpSession, event: "JavascriptDialogOpeningEvent") -> "Dialog":
        """Return the dialog that a session tells of."""
        return cls(
            session=session,
            type=event["type"],
            message=event["message"],
            default_value=event.get("defaultPrompt", ""),
        )

    @property
    def holds_navigation(self) -> bool:
        """Whether it asks about a navigation, which waits for the answer."""
        return self.type == "beforeunload"

    async def accept(self, text: str | None = None) -> None:
        """Say yes; `text` is what to enter in a prompt. Raises `CdpError`."""
        await self._answer(accept=True, **({} if text is None else {"promptText": text}))

    async def dismiss(self) -> None:
        """Say no; raises `CdpError`."""
        await self._answer(accept=False)

    async def _answer(self, **answer: Any) -> None:
        await self.session.send("Page.handleJavaScriptDialog", **answer)


@record
class FileChooser:
    """A field that asks for files, by its frame and its number (`DOM.BackendNodeId`)."""

    frame_id: str
    node: int
