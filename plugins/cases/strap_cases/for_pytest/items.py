"""Cases as tests of pytest: collected from Markdown, with pytest's fixtures, run by strap."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from strap import Config, StrapError
from strap_cases.cases import Case
from strap_cases.problems import BadCases
from strap_cases.reading import outline, read_files
from strap_cases.reports import junit, page, results
from strap_cases.reports.terminal import why
from strap_cases.running.engine import Options
from strap_cases.running.host import Host
from strap_cases.running.readiness import model_of

CASES = pytest.StashKey[dict[Path, list[Case]]]()
"""Cases of the collected files, their values not filled in."""
MARK = "strap_case"
"""The marker of all cases, beside their tags."""


class CaseFailed(Exception):
    """A case that did not pass; the text says why."""


class CaseItem(pytest.Function):
    """One case, for one row of its table."""

    case: Case
    record: dict[str, Any] | None = None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """Say what was expected and seen, without a traceback of strap's."""
        if isinstance(excinfo.value, CaseFailed | StrapError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case stands."""
        return self.path, self.case.line - 1, self.name


class CaseModule(pytest.Module):
    """A file of cases; it is a module to pytest, so that fixtures are found as for any other."""

    def _getobj(self) -> ModuleType:
        return ModuleType(self.path.name.partition(".")[0])

    def collect(self) -> Iterator[CaseItem]:
        """Return the cases of the file."""
        path = shown(self.path)
        try:
            cases = outline(path)
        except BadCases as bad:
            raise self.CollectError(str(bad)) from None
        self.config.stash.setdefault(CASES, {})[path] = cases
        self._name_tags(cases)
        for case in cases:
            item = CaseItem.from_parent(self, name=_name(case), callobj=run_case)
            item.case = case
            for tag in (MARK, *case.tags):
                item.add_marker(tag)
            yield item

    def _name_tags(self, cases: Sequence[Case]) -> None:
        """Make markers of the tags, so that `--strict-markers` holds."""
        for tag in sorted({tag for case in cases for tag in case.tags}):
            self.config.addinivalue_line("markers", f"{tag}: a tag of test cases in Markdown")


def run_case(
    request: pytest.FixtureRequest,
    strap_case: Case,
    strap_base_url: str,
    strap_params: Mapping[str, str],
    _strap_host: Host,
) -> None:
    """Run a case; pytest sees how it ended."""
    item = request.node
    known = _filled_in(item, str(strap_base_url), dict(strap_params))
    case = next(candidate for candidate in known if candidate.id == strap_case.id)
    record = item.record = _strap_host.run(case, known, strap_params)
    for name in ("flags", "cause"):
        if record[name]:
            item.user_properties.append((f"strap_{name}", record[name]))
    for name, count in record["usage"].items():
        if count:
            item.user_properties.append((f"strap_{name}", count))
    match record["status"]:
        case "passed":
            return
        case "skipped":
            pytest.skip(record["reason"])
        case "xfailed":
            pytest.xfail(record["reason"])
        case status:
            where = f"{record['file']}:{record['line']}: {record['name']}"
            raise CaseFailed("\n".join([f"{status}: {where}", *why(record)]))


def _filled_in(item: CaseItem, base_url: str, params: Mapping[str, str]) -> Sequence[Case]:
    """Return the cases of all files that were collected; raises `BadCases` where this one's is."""
    files = item.config.stash[CASES]
    cases, problems = read_files(files, base_url=base_url, params=params)
    own = [problem for problem in problems if problem.path == item.case.path]
    if own:
        raise BadCases(own)
    return cases


def open_host(session: pytest.Session, config: pytest.Config, settings: Config) -> Host:
    """Start what runs the cases of this process."""
    cases = [case for in_file in config.stash[CASES].values() for case in in_file]
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    report = Path(config.getoption("strap_report"))
    return Host(
        settings,
        report / worker,
        Options(
            retries=config.getoption("strap_retries"),
            replay=config.getoption("strap_replay"),
            update=config.getoption("strap_update"),
        ),
        model=config.getoption("strap_model") or model_of(cases),
        headed=config.getoption("strap_headed"),
    )


def write_reports(records: Sequence[dict[str, Any]], folder: Path) -> None:
    """Write what became of the cases as `index.html`, `junit.xml` and `results.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    junit.write(records, folder / "junit.xml")
    results.write(records, folder / "results.json")
    page.write(records, folder / "index.html")


def shown(path: Path) -> Path:
    """Return the path as it is told: from the current folder where it is below it."""
    folder = Path.cwd()
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _name(case: Case) -> str:
    return case.id.removeprefix(f"{case.path.as_posix()}::")
