"""Conditions to check before a run: secrets, one model, recordings, actions, allowed addresses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import SplitResult, urljoin, urlsplit

from strap import Config, PolicyDenied, Router, StrapError, UsageError
from strap_cases.cases import Case, Line
from strap_cases.problems import BadCases, Problem
from strap_cases.replays.modes import Mode, mode_of
from strap_cases.replays.recordings import place_of, read
from strap_cases.running.case_attempts import digest

LOOPBACK = ("localhost", "127.0.0.1", "::1")
"""One machine to whoever writes a case, three origins to secrets."""


def check_secrets(cases: Iterable[Case], config: Config) -> None:
    """Raise `BadCases` for unknown secrets, and for those of another port of the case's host."""
    problems = set[Problem]()
    for case in cases:
        for line in _lines(case):
            try:
                config.secrets.check(line.text)
            except UsageError as error:
                problems.add(Problem(case.path, line.line, str(error)))
        for segment in case.segments:
            for why in _elsewhere(segment.steps, case, config):
                problems.add(Problem(case.path, segment.steps.line, why))
    if problems:
        raise BadCases(problems)


def _elsewhere(line: Line, case: Case, config: Config) -> Iterator[str]:
    begins = urlsplit(case.settings.base_url)
    base = f"{begins.scheme}://{begins.netloc}"
    for name, secret in config.secrets.among(line.text).as_json().items():
        origins = list(map(urlsplit, secret["origins"]))
        same_host = [origin for origin in origins if _host(origin) == _host(begins)]
        if same_host and not any(_place(origin) == _place(begins) for origin in origins):
            table = name.partition(".")[0]
            yield (
                f"the secret {name!r} is for {', '.join(secret['origins'])}, and the case begins"
                f" at {base}; set STRAP_SECRETS__{table.upper()}__ORIGINS={base}"
            )


def _host(url: SplitResult) -> str:
    return "localhost" if url.hostname in LOOPBACK else url.hostname or ""


def _place(url: SplitResult) -> tuple[str, str | None, int]:
    return url.scheme, url.hostname, url.port or {"https": 443}.get(url.scheme, 80)


def _lines(case: Case) -> Iterator[Line]:
    for segment in case.segments:
        yield segment.steps
        yield from segment.checks
    yield from (*case.preparation, *case.checks, *case.expectations, *case.finally_)


def model_of(cases: Sequence[Case]) -> str:
    """Return the model that the files name, "" if none does; raises `BadCases` for several."""
    first = next((case for case in cases if case.settings.model), None)
    if first is None:
        return ""
    for case in cases:
        if case.settings.model != first.settings.model:
            what = f"one run has one model, and {first.path} names {first.settings.model!r}"
            raise BadCases([Problem(case.path, case.line, f"{what}; give --model")])
    return first.settings.model


def check_recordings(
    cases: Iterable[Case], params: Mapping[str, str], mode_set: Mode | None
) -> bool:
    """Return whether each case has a recording; raises `BadCases` for unreadable ones."""
    problems, complete = set[Problem](), True
    for case in cases:
        try:
            mode = mode_of(case, mode_set)
            stored = None if mode == "off" else read(place_of(case))
            fits = stored is not None and stored.steps == digest(case, params)
            complete &= fits or mode == "only"
        except BadCases as bad:
            problems |= set(bad.problems)
    if problems:
        raise BadCases(problems)
    return complete


def check_calls(cases: Iterable[Case], router: Router) -> None:
    """Raise `BadCases` for calls of Given and Finally to actions that there are not."""
    problems = set[Problem]()
    for case in cases:
        for line in (*case.preparation, *case.finally_):
            resource, action, *_ = [*line.text.split(), "", ""]
            try:
                router.catalog.find(resource, action)
            except StrapError as error:
                problems.add(Problem(case.path, line.line, f"`{line.text}`: {error}"))
    if problems:
        raise BadCases(problems)


async def check_addresses(cases: Sequence[Case], router: Router) -> None:
    """Raise `BadCases` for addresses that may not be reached, each once."""
    first: dict[str, Case] = {}
    for case in cases:
        first.setdefault(urljoin(case.settings.base_url, case.settings.url), case)
    problems = list[Problem]()
    for url, case in first.items():
        try:
            await router.guard.check(url)
        except (UsageError, PolicyDenied) as error:
            what = f"the case begins at an address that is not allowed: {error}"
            problems.append(Problem(case.path, case.line, what))
        except StrapError:
            continue  # a server that is not there yet is the case's own error
    if problems:
        raise BadCases(problems)
