"""Changes of a page that is too large to compare as a whole, as the page itself saw them."""

from dataclasses import field

from strap import record
from strap_browser.interaction.response import ResponseBuilder
from strap_browser.page_script.bundle import ScriptAnswer
from strap_browser.snapshot.diff import SnapshotDiff, describe
from strap_browser.snapshot.nodes import accessibility_tree
from strap_browser.snapshot.novelty import is_among
from strap_browser.snapshot.refs import Refs
from strap_browser.snapshot.snapshot import Snapshot, build


@record
class PartChange:
    """The element acted on, if its line is another now, what came, and the texts of the rest."""

    changes: list[SnapshotDiff] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    renamed: bool = False
    """Whether the element acted on has another name."""
    shown: Snapshot = field(default_factory=lambda: build([], url="", title=""))

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed that can be told."""
        return not self.changes and not self.lines

    @property
    def has_news(self) -> bool:
        """Whether more changed than the state of the element, and than what always does."""
        restless = self.shown.restless
        came = (change for change in self.changes if change.sign == "+")
        return (
            self.renamed
            or any(not is_among(change, restless) for change in came)
            or any(not any(text in line for text in restless) for line in self.lines)
        )

    def describe(self, answer: ResponseBuilder, refs: Refs) -> None:
        """Add the changes; the refs on their lines become known."""
        if not self.is_empty:
            answer.add("Changed:")
        if self.changes:
            answer.add(describe(self.changes, self.shown, refs, answer.left))
        answer.add(*self.lines)


def read_part_change(answer: ScriptAnswer) -> PartChange:
    """Return what the page answered to `changed`, {} if it is gone."""
    if not answer:
        return PartChange()
    more = {"url": answer["url"], "title": "", "main": answer["id"], "restless": answer["restless"]}
    shown = {
        sign: build(accessibility_tree({"id": answer["id"], "tree": answer[name]}), **more)
        for sign, name in (("~", "own"), ("+", "came"))
    }
    changes = [SnapshotDiff(sign, item) for sign, of in shown.items() for item in of.items]
    return PartChange(
        changes=changes, lines=answer["lines"], renamed=answer["renamed"], shown=shown["+"]
    )
