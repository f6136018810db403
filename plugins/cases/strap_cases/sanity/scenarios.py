"""Scenarios: case files with what they should come to, faults of the site, and scripts."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

from strap import UsageError, record
from strap_cases.cases import Case
from strap_cases.problems import BadCases, Problems
from strap_cases.reading import SUFFIX, cases_in, check, read_text, unknown_states
from strap_cases.sanity.script import Step, parse_script
from strap_cases.sanity.site.server import FAULTS

Class = Literal["pass", "soft_fail", "hard_fail"]
CLASSES: tuple[Class, ...] = ("pass", "soft_fail", "hard_fail")
"""From the best to the worst."""
SETS = Path(__file__).with_name("sets")
NOWHERE = "http://127.0.0.1:1"
"""Stands for the site while files are read: each run has a site of its own."""
_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^(expected|stop_reason|site):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_SCRIPT = re.compile(r"^```script (\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@record
class Scenario:
    """A scenario; its case begins at the address of a site that is not there yet."""

    id: str
    path: Path
    text: str
    case: Case
    expected: Class
    stop_reason: str = ""
    """Why the run should end, where that is told."""
    faults: tuple[str, ...] = ()
    scripts: Mapping[str, Sequence[Step]]

    @property
    def hash(self) -> str:
        """Names this form of the scenario: others are not compared with it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def read_set(name: str) -> list[Scenario]:
    """Return the scenarios of a set that is shipped, or of a folder; raises `BadCases`."""
    folder = SETS / name if (SETS / name).is_dir() else Path(name)
    files = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not files:
        shipped = ", ".join(sorted(path.name for path in SETS.iterdir() if path.is_dir()))
        what = (
            f"{name!r} is not a valid set (there are: {shipped}) and no folder with *{SUFFIX} files"
        )
        raise UsageError(f"{what}; name one of them with --set.")
    return [_read(path, local=name != "real") for path in files]


def hash_of(scenarios: Sequence[Scenario]) -> str:
    """Return what names this form of a set."""
    lines = sorted(f"{scenario.id} {scenario.hash}" for scenario in scenarios)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _read(path: Path, *, local: bool) -> Scenario:
    problems = Problems(path)
    keys, scripts, text = dict[str, str](), dict[str, Sequence[Step]](), ""
    with problems.at(1):
        text = read_text(path)
        front = _FRONT.match(text)
        keys = {match[1]: match[2] for match in _KEY.finditer(front[1])} if front else {}
        _check_keys(keys)
    for script in _SCRIPT.finditer(text):
        with problems.at(text.count("\n", 0, script.start()) + 1):
            scripts[script[1]] = parse_script(script[2])
    case = _case(text, problems, base_url=NOWHERE if local else "") if text else None
    if problems.entries or case is None:
        raise BadCases(problems.entries)
    return Scenario(
        id=path.name.removesuffix(SUFFIX),
        path=path,
        text=text,
        case=case,
        expected=cast("Class", keys["expected"]),
        stop_reason=keys.get("stop_reason", ""),
        faults=tuple(keys.get("site", "").split()),
        scripts=scripts,
    )


def _check_keys(keys: Mapping[str, str]) -> None:
    if keys.get("expected") not in CLASSES[:2]:
        raise UsageError(
            "the settings do not say what to expect; write expected: pass, or soft_fail"
        )
    if unknown := set(keys.get("site", "").split()) - FAULTS:
        known = ", ".join(sorted(FAULTS))
        raise UsageError(f"{min(unknown)!r} is not a fault of the site (there are: {known})")


def _case(text: str, problems: Problems, *, base_url: str) -> Case | None:
    """Return the case of a file without what only scenarios have; its lines keep their numbers."""
    plain = _FRONT.sub(lambda front: _KEY.sub("", front[0]), text)
    plain = _SCRIPT.sub(lambda match: "\n" * match[0].count("\n"), plain)
    with problems.at(1):
        cases = cases_in(plain, problems, base_url)
        check(cases, problems, {})
        problems.entries |= set(unknown_states(cases))
        if problems.entries:
            return None
        [case, *others] = cases
        if others or len(case.segments) > 1 or case.expectations or case.segments[0].checks:
            what = "a scenario is one case, whose checks all stand under Expect, in back-ticks"
            problems.add(case.line, what)
        return case
    return None
