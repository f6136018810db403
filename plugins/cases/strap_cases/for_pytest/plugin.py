"""pytest runs `*.case.md`; every pytest loads this, so it imports the standard library alone."""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from strap import Config
    from strap_cases.cases import Case
    from strap_cases.running.host import Host

SUFFIX = ".case.md"
MARK = "strap_case: a test case in Markdown, which strap's agent carries out"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for test cases."""
    group = parser.getgroup("strap", "test cases in Markdown (*.case.md), run by strap")
    group.addoption(
        "--strap-base-url", default="", metavar="URL", help="Wins over that of the files."
    )
    group.addoption(
        "--strap-model", default="", metavar="PROVIDER/MODEL", help="Wins over what is configured."
    )
    group.addoption(
        "--strap-retries", type=int, default=0, metavar="N", help="Further attempts at a case; 0."
    )
    group.addoption(
        "--strap-report",
        default=".strap/pytest",
        metavar="DIR",
        help="Pictures, results.json, junit.xml (default: .strap/pytest).",
    )
    group.addoption(
        "--strap-replay",
        choices=("auto", "read", "only", "off"),
        help="Replay recordings of cases: wins over that of the files.",
    )
    group.addoption("--strap-update", action="store_true", help="Record all cases anew.")
    group.addoption("--strap-headed", action="store_true", help="Show the browser.")


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of all cases, and gather what becomes of them."""
    config.addinivalue_line("markers", MARK)
    if not hasattr(config, "workerinput"):  # the processes of xdist hand their records on
        config.pluginmanager.register(Records(config), "strap-records")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the cases of a file."""
    if not file_path.name.endswith(SUFFIX):
        return None
    from strap_cases.for_pytest.items import CaseModule

    return CaseModule.from_parent(parent, path=file_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hand what became of a case to the process that writes the reports."""
    report = yield
    record = getattr(item, "record", None)
    if record is not None and call.when == "call":
        vars(report)["strap_record"] = record
    return report


class Records:
    """Records of the cases of all processes, until the reports are written."""

    def __init__(self, config: pytest.Config) -> None:
        self._report = Path(config.getoption("strap_report"))
        self._records: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what became of a case."""
        record = getattr(report, "strap_record", None)
        if record is not None:
            self._records.append(record)

    def pytest_sessionfinish(self) -> None:
        """Write the reports, where there were cases."""
        if self._records:
            from strap_cases.for_pytest.items import write_reports

            write_reports(self._records, self._report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the reports are."""
        if self._records:
            terminalreporter.write_line(f"strap: reports of the cases in {self._report}")


@pytest.fixture(scope="session")
def strap_base_url(pytestconfig: pytest.Config) -> str:
    """The address of the site under test; override it with that of a server of your own."""
    return str(pytestconfig.getoption("strap_base_url"))


@pytest.fixture(scope="session")
def strap_params() -> dict[str, str]:
    """Values of `{name}` in case files; they win over those of the files."""
    return {}


@pytest.fixture(scope="session")
def strap_config() -> "Config":
    """The configuration of strap; override it to give one of your own."""
    from strap import Config

    return Config.load()


@pytest.fixture
def strap_case(request: pytest.FixtureRequest) -> "Case | None":
    """The case that is run, None in other tests: what an autouse fixture may go by."""
    return getattr(request.node, "case", None)


@pytest.fixture(scope="session")
def _strap_host(
    request: pytest.FixtureRequest, pytestconfig: pytest.Config, strap_config: "Config"
) -> "Iterator[Host]":
    from strap_cases.for_pytest.items import open_host

    host = open_host(request.session, pytestconfig, strap_config)
    yield host
    host.close()
