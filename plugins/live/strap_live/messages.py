"""Messages that a viewer may send: each is checked, and a wrong one ends the connection."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

Checked = TypeVar("Checked")
PROTOCOL = 1
MOST_BYTES = 64 * 1024
HELLO_BYTES = 4 * 1024
"""Largest message of somebody who has not said who they are."""
Secret = Annotated[str, Field(min_length=20, max_length=100)]
PlaceId = Annotated[str, Field(max_length=40)]
PageId = Annotated[str, Field(max_length=64)]
RunId = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
SHOT = r"^[0-9]{1,30}-[0-9]{1,6}(-sample)?\.(png|jpeg)$"
"""The names of the pictures of a run: nothing else in its folder is sent."""
Pixels = Annotated[float, Field(ge=-100, le=100_000, allow_inf_nan=False)]


class BadMessage(Exception):
    """A message that is none of the protocol's."""


class Message(BaseModel):
    """Base of all messages."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Hello(Message):
    """The first message: a ticket that was not used yet, or the key that it was exchanged for."""

    type: Literal["hello"]
    v: Literal[1]
    ticket: Secret | None = None
    key: Secret | None = None


class Open(Message):
    """Show a place; without `page` that on which the agent works. `since`: the last entry known."""

    type: Literal["open"]
    place: PlaceId
    page: PageId | None = None
    since: int = Field(default=0, ge=0)


class Close(Message):
    """Show no place, but the list."""

    type: Literal["close"]


class Pace(Message):
    """Whether the viewer's window is seen."""

    type: Literal["pace"]
    visible: bool


class Ack(Message):
    """A picture was drawn."""

    type: Literal["ack"]
    seq: int = Field(ge=0)


class Thumbnail(Message):
    """Send a small picture of a place."""

    type: Literal["thumbnail"]
    place: PlaceId


class Order(Message):
    """Order for a place; `epoch` is that of the state that the viewer saw."""

    type: Literal["pause", "resume", "stop", "take", "give"]
    place: PlaceId
    epoch: int


class Keep(Message):
    """A hold that is about to end by itself is still needed."""

    type: Literal["keep"]
    place: PlaceId
    epoch: int


class Beat(Message):
    """The holder is there."""

    type: Literal["beat"]


class Input(Message):
    """Base of what the holder's hands do in the page that they see."""

    epoch: int


class Mouse(Input):
    """A movement, a press or the wheel, at a place in CSS pixels of the picture `width` wide.

    A press is refused where the picture has another size than the page, or shows one before it.
    """

    type: Literal["mouse"]
    kind: Literal["move", "down", "up", "wheel"]
    x: Pixels
    y: Pixels
    button: int = Field(default=0, ge=0, le=4)
    buttons: int = Field(default=0, ge=0, le=31)
    clicks: int = Field(default=1, ge=0, le=3)
    mods: int = Field(default=0, ge=0, le=15)
    dx: float = Field(default=0, ge=-10_000, le=10_000, allow_inf_nan=False)
    dy: float = Field(default=0, ge=-10_000, le=10_000, allow_inf_nan=False)
    width: int = Field(default=0, ge=0, le=65_535)
    height: int = Field(default=0, ge=0, le=65_535)
    at: float = Field(default=0, ge=0, allow_inf_nan=False)
    """When the picture was taken, in milliseconds since 1970; 0: not told."""


class Key(Input):
    """A key, as KeyboardEvent of the UI Events has it; `number` is its `keyCode`."""

    type: Literal["key"]
    kind: Literal["down", "up"]
    key: str = Field(max_length=40)
    code: str = Field(max_length=40)
    number: int = Field(ge=0, le=255)
    mods: int = Field(default=0, ge=0, le=15)
    repeat: bool = False


class Text(Input):
    """A text as a whole: pasted, or from an input method."""

    type: Literal["text"]
    text: str = Field(max_length=10_000)


class Go(Input):
    """Go somewhere; `url` for that alone. "stop" ends loading, and the script that runs."""

    type: Literal["go"]
    to: Literal["url", "back", "forward", "reload", "stop"]
    url: str = Field(default="", max_length=2_000)


class OfPages(Input):
    """Open a page; close `page`, or turn to it, so that the agent goes on there."""

    type: Literal["page"]
    op: Literal["new", "close", "select"]
    page: PageId = ""


class Copy(Input):
    """Tell the text that is selected in the page."""

    type: Literal["copy"]


class Share(Input):
    """Let everybody else who looks see what the holder sees, or nobody again."""

    type: Literal["share"]
    on: bool


class Choose(Input):
    """Choose an option of the list that was opened."""

    type: Literal["choose"]
    index: int = Field(ge=0, le=100_000)


class AnswerDialog(Input):
    """Answer the dialog of the page."""

    type: Literal["dialog"]
    accept: bool
    text: str | None = Field(default=None, max_length=10_000)


class CloseViews(Message):
    """Disconnect everybody who sees no more than this viewer, who goes too; void their links."""

    type: Literal["close_views"]


class Decline(Message):
    """Refuse what the agent asks for."""

    type: Literal["decline"]
    place: PlaceId
    reason: str = Field(default="", max_length=500)


class Reply(Message):
    """Answer in words what the agent asks for: they are for a page, and not for the agent."""

    type: Literal["reply"]
    place: PlaceId
    text: str = Field(max_length=1_000)


class Answer(Message):
    """Say yes or no to the question of this number."""

    type: Literal["answer"]
    place: PlaceId
    number: int = Field(ge=1)
    yes: bool


class PastRuns(Message):
    """Tell of runs that are kept, the newest, or those that began `before` (seconds since 1970)."""

    type: Literal["runs"]
    before: float | None = Field(default=None, allow_inf_nan=False)
    limit: int = Field(default=20, ge=1, le=50)


class PastRun(Message):
    """Tell of a run that is kept."""

    type: Literal["run"]
    id: RunId


class PastEvents(Message):
    """Tell events of a run, of some kinds or all; `start` are the newest to pass over."""

    type: Literal["events"]
    id: RunId
    kinds: list[Literal["agent", "console", "network"]] = Field(default=[], max_length=3)
    bad: bool = False
    text: str = Field(default="", max_length=200)
    start: int = Field(default=0, ge=0, le=100_000)


class PastShot(Message):
    """Send a picture of a run, as number `n`."""

    type: Literal["shot"]
    id: RunId
    file: str = Field(pattern=SHOT)
    n: int = Field(ge=0, le=0xFFFFFFFF)


Past = PastRuns | PastRun | PastEvents | PastShot
Handled = Mouse | Key | Text | Go | OfPages | Copy | Share | Choose | AnswerDialog
Looked = Open | Close | Pace | Ack | Thumbnail
Taken = Order | Keep | Beat | Decline | Reply | Answer | Handled
"""Messages that need the right to control."""
ViewerMessage = Looked | Taken | CloseViews | Past
_MESSAGE: TypeAdapter[ViewerMessage] = TypeAdapter(
    Annotated[ViewerMessage, Field(discriminator="type")]
)


def read_hello(text: str | bytes) -> Hello:
    """Read the first message; raises `BadMessage`."""
    if len(text) > HELLO_BYTES:
        raise BadMessage("too long")
    hello = _parsed(Hello.model_validate, text)
    if (hello.ticket is None) == (hello.key is None):
        raise BadMessage("a ticket or a key")
    return hello


def read(text: str | bytes) -> ViewerMessage:
    """Read any other message; raises `BadMessage`."""
    return _parsed(_MESSAGE.validate_python, text)


def _parsed(check: Callable[[Any], Checked], text: str | bytes) -> Checked:
    if not isinstance(text, str):
        raise BadMessage("binary")
    try:
        return check(json.loads(text))
    except (ValueError, RecursionError) as error:  # pydantic's own are of that type
        raise BadMessage(type(error).__name__) from None
