"""Reads case files; all that is wrong with them is said at once, before anything runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from strap import UsageError
from strap_cases.building import build, check_number, values_of
from strap_cases.cases import Case
from strap_cases.filling import filled
from strap_cases.markdown import parse
from strap_cases.problems import BadCases, Problem, Problems
from strap_cases.sections import split
from strap_cases.settings import Written, read_settings

SUFFIX = ".case.md"
MOST_BYTES = 256 * 1024
"""Most bytes of a file: some hundred times the size of a long one."""
SAMPLES: Mapping[str, str] = {"attempt": "1", "unique": "abcdefgh"}
"""Samples of the values that differ with each attempt, used while a file is checked."""


def read_cases(
    paths: Sequence[Path], *, base_url: str = "", params: Mapping[str, str] | None = None
) -> list[Case]:
    """Return the cases of files and folders, `params` winning over theirs; raises `BadCases`."""
    links = list[Problem]()
    cases, problems = read_files(_files(paths, links), base_url=base_url, params=params)
    if problems or links:
        raise BadCases([*problems, *links])
    return cases


def read_files(
    paths: Iterable[Path], *, base_url: str = "", params: Mapping[str, str] | None = None
) -> tuple[list[Case], list[Problem]]:
    """Return the cases of files, and all that is wrong with them."""
    cases, problems = list[Case](), list[Problem]()
    for path in paths:
        of_file = Problems(path)
        with of_file.at(1):
            read = cases_in(read_text(path), of_file, base_url)
            check(read, of_file, params or {})
            cases += read
        problems += of_file.entries
    return cases, [*problems, *unknown_states(cases)]


def outline(path: Path) -> list[Case]:
    """Return the cases of a file whose values are not known yet; raises `BadCases`."""
    problems = Problems(path)
    cases = list[Case]()
    with problems.at(1):
        cases = cases_in(read_text(path), problems, "")
    if problems.entries:
        raise BadCases(problems.entries)
    return cases


def _files(paths: Sequence[Path], links: list[Problem]) -> Iterator[Path]:
    """Yield each file once; those that lead elsewhere are noted in `links`."""
    seen = set[Path]()
    for path in paths:
        candidates = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
        for file in candidates:
            if path.is_dir() and not file.resolve().is_relative_to(path.resolve()):
                links.append(Problem(file, 1, "this link leads out of the folder; copy it"))
            elif file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def cases_in(text: str, problems: Problems, base_url: str) -> list[Case]:
    """Return the cases of a file's text; what is wrong is noted. Raises `UsageError`."""
    document = parse(text)
    of_file = Written()
    if document.front:
        of_file = read_settings(document.front.text, 2, problems)
    elif text.startswith("---\n"):
        raise UsageError("the settings have no end; write a line --- below them")
    if base_url:
        of_file.values["base_url"] = base_url
    stem = problems.path.name.removesuffix(SUFFIX).removesuffix(".md")
    raws = split(document, stem, problems)
    cases = [case for raw in raws for case in build(raw, of_file, problems)]
    check_number(cases)
    _check_ids(cases, problems)
    return cases


def check(cases: Sequence[Case], problems: Problems, params: Mapping[str, str]) -> None:
    """Note what is wrong with addresses and values of cases."""
    for case in cases:
        _check_address(case, problems)
        values = {**SAMPLES, "base_url": case.settings.base_url, "case": case.name}
        filled(case, values | values_of(case, params), problems)


def read_text(path: Path) -> str:
    """Return the text of a case file; raises `UsageError` for what is none."""
    try:
        with path.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise UsageError(f"the file has more than {MOST_BYTES // 1024} KiB; part it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte {error.start} of the file is not UTF-8; save it so"
        raise BadCases([Problem(path, line, what)]) from None
    if (at := content.find(b"\0")) >= 0:
        what = "the file holds NUL, as no text does; save it as text"
        raise BadCases([Problem(path, content.count(b"\n", 0, at) + 1, what)])
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_ids(cases: Sequence[Case], problems: Problems) -> None:
    seen = set[str]()
    for case in cases:
        if case.id in seen:
            what = f"there is a case {case.name!r} in this file already; take another title"
            problems.add(case.line, what)
        seen.add(case.id)


def _check_address(case: Case, problems: Problems) -> None:
    base, url = case.settings.base_url, case.settings.url
    start = url if urlsplit(url).scheme else base
    if not start:
        what = "nothing says where the case begins; set base_url, or give --base-url"
        problems.add(case.line, what)
    elif urlsplit(start).scheme not in ("http", "https"):
        problems.add(case.line, f"{start!r} is not a valid address; write http://… or https://…")


def unknown_states(cases: Sequence[Case]) -> Iterator[Problem]:
    """Yield what is wrong with the states that cases need and set up."""
    setups = dict[str, Case]()
    for case in cases:
        if case.setup and case.setup in setups and setups[case.setup].line != case.line:
            what = f"{case.setup!r} is set up by another case already; keep one"
            yield Problem(case.path, case.line, what)
        if case.setup:
            setups.setdefault(case.setup, case)
    for case in cases:
        if case.state and case.state not in setups:
            what = f"no case sets up {case.state!r}; write a title with @setup({case.state})"
            yield Problem(case.path, case.line, what)
        elif case.setup and _is_circular(case, setups):
            what = f"setting up {case.setup!r} needs its own state; start it without"
            yield Problem(case.path, case.line, what)


def _is_circular(case: Case, setups: Mapping[str, Case]) -> bool:
    seen, state = {case.setup}, case.state
    while state and state in setups:
        if state in seen:
            return True
        seen.add(state)
        state = setups[state].state
    return False
