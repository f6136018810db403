"""From the sections of a case to the case: its title, steps, checks, calls and rows."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from strap import UsageError, record
from strap_cases.cases import Case, Line, Segment
from strap_cases.grammar import names_a_check
from strap_cases.markdown import Block
from strap_cases.problems import Problems
from strap_cases.sections import Part, RawCase
from strap_cases.settings import Written, check_name, merged, read_settings

LONGEST_SOURCE = 4_000
"""Characters of a case that reports show."""
MOST = 500
"""Cases of a file, its rows counted."""
SETTINGS_FENCE = "yaml case"
_TAGS = re.compile(r"\s+@([A-Za-z_][\w-]*)(?:\(([\w-]+)\))?$")
_STATE = re.compile(r"State:\s*(.*?)\s*$", re.IGNORECASE)


@record
class Intro:
    """Settings, state and steps written before the sections of a case."""

    written: Written
    state: str
    steps: Part


def build(raw: RawCase, of_file: Written, problems: Problems) -> list[Case]:
    """Return a case for each row of its table, or one; what is wrong is noted."""
    intro = _intro(raw, problems)
    settings = merged(of_file, intro.written, problems)
    title, tags, setup = _title(raw, problems)
    checks, expectations = _expect(raw, problems)
    of_settings = of_file.lines | intro.written.lines
    case = Case(
        path=problems.path,
        title=settings.name or title if raw.original else title,
        line=raw.line,
        tags=(*settings.tags, *tags),
        settings=settings,
        segments=tuple(_segments(raw, intro, problems)),
        preparation=tuple(_calls(raw.sections.get("given"), problems)),
        checks=(
            *checks,
            *(Line(expectation, of_settings["expect"]) for expectation in settings.expect),
        ),
        expectations=expectations,
        finally_=tuple(_calls(raw.sections.get("finally"), problems)),
        setup=setup,
        state=intro.state or settings.state,
        source=raw.source[:LONGEST_SOURCE],
        original=raw.original,
    )
    _complete(case, problems)
    table = raw.sections.get("examples")
    return list(_rows(case, table, problems)) if table else [case]


def _title(raw: RawCase, problems: Problems) -> tuple[str, list[str], str]:
    title, tags, setup = raw.heading.strip(), list[str](), ""
    while match := _TAGS.search(title):
        title, name = title[: match.start()], match[1]
        tags.insert(0, name)
        if name == "setup" and match[2]:
            setup = match[2]
        elif name == "setup" or match[2]:
            problems.add(
                raw.line, f"`{match[0].strip()}` is not a valid tag; write @setup(name) or @{name}"
            )
    if re.search(r"\s@", title):
        problems.add(raw.line, "tags stand at the end of a title; write @name or @setup(name)")
    return title.strip(), tags, setup


def _intro(raw: RawCase, problems: Problems) -> Intro:
    """Take the line `State: name` and the settings off the front of a case."""
    part, written, state = raw.intro, Written(), ""
    fences = [f for f in part.document.fences if part.start <= f.start < part.end]
    for fence in (f for f in fences if f.code == SETTINGS_FENCE):
        if _between(part, fence):
            problems.add(fence.start + 1, "settings of a case stand right below its title")
        written = read_settings(fence.text, fence.start + 2, problems)
        part = replace(part, start=fence.end)
    for number in range(raw.intro.start, part.end):
        line = part.document.lines[number]
        if match := _STATE.match(line):
            state, part = match[1], replace(part, start=max(part.start, number + 1))
            if not re.fullmatch(r"[\w-]+", state):
                problems.add(
                    number + 1, f"{state!r} is not a valid name of a state; write `State: name`"
                )
        elif line.strip() and not _is_in(number, fences):
            break
    return Intro(written=written, state=state, steps=part)


def _between(part: Part, fence: Block) -> bool:
    lines = part.document.lines[part.start : fence.start]
    return any(line.strip() and not _STATE.match(line) for line in lines)


def _is_in(number: int, fences: list[Block]) -> bool:
    return any(f.start <= number < f.end for f in fences if f.code == SETTINGS_FENCE)


def _segments(raw: RawCase, intro: Intro, problems: Problems) -> Iterator[Segment]:
    """Cut the steps after each run of checks: these are made right there."""
    part = raw.sections.get("steps", intro.steps)
    if part is not intro.steps and intro.steps.text and not raw.original:
        problems.add(intro.steps.line + 1, "text stands before the Steps; move it below them")
    checks = {p.start: p for p in part.paragraphs if _is_check(p, raw)}
    inside = {number for p in checks.values() for number in range(p.start, p.end)}
    steps, made, line = list[str](), list[Line](), 0
    for number in range(part.start, part.end):
        text = part.document.lines[number]
        if number in checks:
            made.append(Line(checks[number].code, number + 1))
        elif number not in inside and (text.strip() or steps):
            if made and text.strip():
                yield _segment(steps, made, line, problems)
                steps, made, line = [], [], 0
            line = line or number + 1
            steps.append(text)
    if made or any(steps):
        yield _segment(steps, made, line, problems)


def _segment(steps: list[str], made: list[Line], line: int, problems: Problems) -> Segment:
    text = "\n".join(steps).strip()
    if not text:
        problems.add(made[0].line, "there is no step before this check; put it below its step")
    return Segment(steps=Line(text, line), checks=tuple(made))


def _is_check(paragraph: Block, raw: RawCase) -> bool:
    alone = paragraph.listed and paragraph.alone
    return alone and (not raw.original or names_a_check(paragraph.code))


def _expect(raw: RawCase, problems: Problems) -> tuple[list[Line], tuple[Line, ...]]:
    part = raw.sections.get("expect")
    checks, plain = list[Line](), list[Line]()
    for paragraph in part.paragraphs if part else ():
        line = paragraph.start + 1
        if paragraph.alone and (not raw.original or names_a_check(paragraph.code)):
            checks.append(Line(paragraph.code, line))
        elif paragraph.code and names_a_check(paragraph.code) and not raw.original:
            problems.add(
                line, f"`{paragraph.code}` has words beside it; a check is an item of its own"
            )
        else:
            plain.append(Line(" ".join(paragraph.text.split()), line))
    return checks, tuple(plain)


def _calls(part: Part | None, problems: Problems) -> Iterator[Line]:
    for paragraph in part.paragraphs if part else ():
        if paragraph.alone:
            yield Line(paragraph.code, paragraph.start + 1)
        else:
            what = "this is not a valid call; write - `http fetch url={base_url}/…` with back-ticks"
            problems.add(paragraph.start + 1, what)


def _complete(case: Case, problems: Problems) -> None:
    if not case.segments:
        problems.add(case.line, "the case has no steps; write what is to be done")
    trusted = case.settings.judge or case.settings.trust or case.original
    if not case.checkable and not trusted:
        what = "there is nothing that strap can check, and the model's word alone is no proof"
        problems.add(case.line, f"{what}; add a check such as - `url /home`, or set judge: true")


def _rows(case: Case, part: Part, problems: Problems) -> Iterator[Case]:
    tables = part.tables
    if len(tables) != 1 or len(tables[0].rows) < 2:
        problems.add(part.line, "Examples hold one table with a head and rows; write | name | …")
        return
    (head_line, head), *rows = tables[0].rows
    for name in head:
        with problems.at(head_line + 1):
            check_name(name)
    if len(set(head)) < len(head):
        problems.add(head_line + 1, "two columns have one name; rename one")
    seen = set[str]()
    for number, cells in rows:
        if len(cells) != len(head):
            what = f"this row has {len(cells)} cells and the head {len(head)}; write \\| for a bar"
            problems.add(number + 1, what)
        elif cells[0] in seen or not cells[0]:
            what = "the first cell names the row; write one that no other row has"
            problems.add(number + 1, what)
        else:
            seen.add(cells[0])
            yield replace(case, row=dict(zip(head, cells, strict=True)), row_name=cells[0])


def check_number(cases: list[Case]) -> None:
    """See that a file has no more cases than it may; raises `UsageError`."""
    if len(cases) > MOST:
        raise UsageError(f"the file has {len(cases)} cases, and {MOST} is the most; part it")


def values_of(case: Case, params: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a case: the file's, then `params`, then those of its row."""
    return {**case.settings.params, **params, **case.row}
