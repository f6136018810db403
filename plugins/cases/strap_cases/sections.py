"""Division of a document into cases and their sections."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from strap import record
from strap_cases.markdown import Block, Document, Table
from strap_cases.problems import Problems, closest

SECTIONS: Mapping[str, str] = {
    "given": "given",
    "setup": "given",
    "steps": "steps",
    "task": "steps",
    "expect": "expect",
    "expected": "expect",
    "expected output": "expect",
    "then": "expect",
    "finally": "finally",
    "cleanup": "finally",
    "examples": "examples",
    "data": "examples",
}
"""Headings, without case, and what they mean."""


@record
class Part:
    """A stretch of a document: its lines from `start` to `end`, below a heading at `line`."""

    document: Document
    line: int
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its lines as they stand."""
        return "\n".join(self.document.lines[self.start : self.end]).strip()

    @property
    def paragraphs(self) -> Iterator[Block]:
        """Its paragraphs, those of lists as well."""
        return (p for p in self.document.paragraphs if self.start <= p.start < self.end)

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [t for t in self.document.tables if self.start <= t.start < self.end]


@record
class RawCase:
    """A case as it stands: heading, what comes before its sections, and these."""

    heading: str
    line: int
    intro: Part
    sections: Mapping[str, Part]
    source: str = ""
    original: bool = False


def split(document: Document, stem: str, problems: Problems) -> list[RawCase]:
    """Return the cases of a document: one a heading of level 2; the original form is one case."""
    end, begin = len(document.lines), document.front.end if document.front else 0
    tops = [h for h in document.headings if h.level == 1]
    if any(_meaning(h) == "steps" for h in tops):
        return [_case(document, (stem, begin, begin, end), tops, problems, original=True)]
    titles = [h for h in document.headings if h.level == 2]
    for extra in tops[1:]:
        problems.add(extra.start + 1, "a file has one title; write `##` for a case")
    if not titles:
        place = (
            (tops[0].text, tops[0].start, tops[0].end, end) if tops else (stem, begin, begin, end)
        )
        return [_case(document, place, _inner(document, place), problems)]
    ends = [h.start for h in titles[1:]] + [end]
    places = [(h.text, h.start, h.end, e) for h, e in zip(titles, ends, strict=True)]
    return [_case(document, place, _inner(document, place), problems) for place in places]


Place = tuple[str, int, int, int]
"""Heading, its line, where the body begins, and where it ends."""


def _inner(document: Document, place: Place) -> list[Block]:
    _, _, start, end = place
    return [h for h in document.headings if h.level == 3 and start <= h.start < end]


def _case(
    document: Document,
    place: Place,
    headings: list[Block],
    problems: Problems,
    *,
    original: bool = False,
) -> RawCase:
    heading, line, start, end = place
    bounds = [h.start for h in headings] + [end]
    sections: dict[str, Part] = {}
    for block, (_, stop) in zip(headings, pairwise(bounds), strict=True):
        name = _meaning(block)
        if not name and original and not sections:
            heading = block.text  # the file's own title
            continue
        if not name:
            near = closest(block.text, [name.title() for name in SECTIONS])
            problems.add(block.start + 1, f"{block.text!r} is not a section of a case.{near}")
        elif name in sections:
            problems.add(block.start + 1, f"there is a section {name!r} already; put both into one")
        else:
            sections[name] = Part(
                document=document, line=block.start + 1, start=block.end, end=stop
            )
    intro = Part(document=document, line=line + 1, start=start, end=bounds[0])
    return RawCase(
        heading=heading,
        line=line + 1,
        intro=intro,
        sections=sections,
        source="\n".join(document.lines[line:end]).strip(),
        original=original,
    )


def _meaning(heading: Block) -> str:
    return SECTIONS.get(re.sub(r"[\s_-]+", " ", heading.text.strip().casefold()), "")
