"""Engines of other distributions: installed for real, isolated where they are broken."""

import importlib
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from strap import ActionError, Diagnosis, Guard, UsageError, testing
from strap.config import load
from strap_search.plugin import strap_diagnose
from strap_search.settings import SearchSettings
from strap_search.state import SearchState
from tests.plugins.search.conftest import OpenWeb, state
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio
OPEN = {"resource": "search", "action": "query", "query": "any"}
Install = Callable[..., None]

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "searching.md"
KAGI = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)[0]
"""The engine that the guide shows."""
BROKEN = """
    from strap_search.engines import Engine, Features, Page

    class Broken(Engine):
        name = index = "broken"
        features = {"web": Features()}

        async def search(self, query, after=None):
            return %s
"""
RESULTS = (
    '{"data": [{"title": "One", "url": "https://x.example/", "snippet": "s", "t": "2026-01-02"}]}'
)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Make a distribution of one module and its metadata, as pip leaves them."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    made = []

    def make(name: str, source: str, *, attribute: str, distribution: str = "") -> None:
        distribution = distribution or f"strap-{name}"
        module = distribution.replace("-", "_")
        (folder / f"{module}.py").write_text(textwrap.dedent(source))
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        about = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        (info / "METADATA").write_text(about)
        entry = f"[strap.search_engines]\n{name} = {module}:{attribute}\n"
        (info / "entry_points.txt").write_text(entry)
        importlib.invalidate_caches()
        made.append(module)

    yield make
    for name in made:
        sys.modules.pop(name, None)


async def diagnoses(tmp_path: Path, **settings: object) -> dict[str, Diagnosis]:
    home = tmp_path / "home"
    async with testing.router(home=home, plugins={"search": settings}) as web:
        return {line.subject: line for line in strap_diagnose(web.router.config)}


async def test_an_installed_engine_answers(install: Install, open_web: OpenWeb) -> None:
    install("kagi", KAGI, attribute="Kagi")
    with serve({"/search": Reply(body=RESULTS)}) as site:
        async with open_web(engines={"kagi": {"key": "k", "url": str(site)}}) as web:
            result = await web(**OPEN, engine="kagi", time_range="week")
            assert "kagi" in (await web(resource="search", action="help", value="query")).text
    assert result.text == (
        "kagi (index: kagi): 1 result for 'any'\n1. One\nhttps://x.example/\n2026-01-02: s"
    )
    (request,) = site.requests
    assert request.query == {"q": ["any"], "range": ["week"]}
    assert request.headers["authorization"] == "Bot k"


async def test_it_is_not_imported_before_it_is_asked(install: Install, open_web: OpenWeb) -> None:
    install("kagi", KAGI, attribute="Kagi")
    async with open_web() as web:
        await web(resource="search", action="help", value="query")
        assert "strap_kagi" not in sys.modules


async def test_its_features_are_checked_and_it_is_suggested(
    install: Install, open_web: OpenWeb
) -> None:
    install("kagi", KAGI, attribute="Kagi")
    async with open_web(engines={"kagi": {"key": "k"}}, startpage=False) as web:
        error = await web.fails(**OPEN, engine="kagi", safe="strict", kind="news")
        assert isinstance(error, UsageError)
        assert str(error) == (
            "engine='kagi' cannot do kind='news' (only 'web'). "
            "Change that or leave it out. Or use engine='duckduckgo'."
        )
        error = await web.fails(**OPEN, engine="google")
        assert "Or use engine='duckduckgo' or 'kagi'" in error.hint


async def test_its_settings_come_from_the_environment_too(install: Install, tmp_path: Path) -> None:
    install("kagi", KAGI, attribute="Kagi")
    environ = {"STRAP_SEARCH__ENGINES__KAGI__KEY": "from the environment"}
    settings = load(environ=environ, directory=tmp_path).settings("search", SearchSettings)
    opened = SearchState(settings, Guard("local"))
    assert (await opened.resolve("kagi")).name == "kagi"
    assert "from the environment" not in repr(opened.settings)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({}, "engine='kagi' is not set up. The operator sets STRAP_SEARCH__ENGINES__KAGI__KEY."),
        ({"key": ["secret"]}, "The operator corrects STRAP_SEARCH__ENGINES__KAGI__KEY: "),
    ],
)
async def test_its_missing_settings_are_named(install: Install, table: dict, says: str) -> None:
    install("kagi", KAGI, attribute="Kagi")
    with pytest.raises(ActionError) as caught:
        await state(engines={"kagi": table}).resolve("kagi")
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.code == "not_configured"


@pytest.mark.parametrize(
    ("source", "attribute", "said"),
    [
        ("import does_not_exist", "X", "ModuleNotFoundError: No module named 'does_not_exist'"),
        ("def broken(:", "X", "SyntaxError: "),
        ("raise SystemExit(3)", "X", "SystemExit: 3"),
        ("x = 1", "X", "AttributeError: "),
        ("X = 1", "X", "AttributeError: "),
        (
            "class X:\n    resolve = staticmethod(lambda settings: int)",
            "X",
            "TypeError: <class 'int'>",
        ),
        (
            "from strap_search.engines import Engine\nclass X(Engine):\n    name = index = 'x'",
            "X",
            "TypeError: X does not implement search",
        ),
        (BROKEN.replace('"broken"', '""') % "None", "Broken", "TypeError: Broken.name is missing"),
        (BROKEN.replace("Features()", "1") % "None", "Broken", "TypeError: Broken.features are"),
    ],
)
async def test_a_broken_engine_is_reported_and_the_rest_work(
    install: Install, tmp_path: Path, source: str, attribute: str, said: str
) -> None:
    install("broken", source, attribute=attribute)
    lines = await diagnoses(tmp_path)
    assert lines["search"].ok
    assert "duckduckgo" in lines["search"].detail
    line = lines["search engine broken"]
    assert not line.ok
    assert said in line.detail
    assert line.fix == "pip install --upgrade strap-broken"


async def test_asking_a_broken_engine_says_so_and_no_more(
    install: Install, open_web: OpenWeb
) -> None:
    install("broken", "raise RuntimeError('text of a library')", attribute="X")
    async with open_web() as web:
        error = await web.fails(**OPEN, engine="broken")
        assert (error.code, "RuntimeError" in str(error)) == ("broken_engine", True)
        assert "text of a library" not in web.transcript
        assert "engine='duckduckgo' or 'google'" in error.hint


@pytest.mark.parametrize(
    "returns", ["None", "[]", "1 / 0", "Page(hits=None)", "Page(hits=(1,))", "exit(3)"]
)
async def test_an_engine_that_fails_in_use_is_isolated(
    install: Install, open_web: OpenWeb, returns: str
) -> None:
    install("broken", BROKEN % returns, attribute="Broken")
    async with open_web() as web:
        assert (await web.fails(**OPEN, engine="broken")).code == "broken_engine"


async def test_a_taken_name_is_reported(install: Install, tmp_path: Path) -> None:
    install("google", KAGI, attribute="Kagi", distribution="strap-other")
    line = (await diagnoses(tmp_path))["search engine google"]
    assert not line.ok
    assert "strap-other" in line.detail
    assert (await state().resolve("google")).name == "startpage"


async def test_two_of_one_name_are_reported(install: Install, tmp_path: Path) -> None:
    install("kagi", KAGI, attribute="Kagi", distribution="strap-first")
    install("kagi", KAGI, attribute="Kagi", distribution="strap-second")
    line = (await diagnoses(tmp_path))["search engine kagi"]
    assert (line.ok, line.fix) == (False, "pip uninstall strap-second")


async def test_settings_of_an_engine_that_is_not_there_are_reported(tmp_path: Path) -> None:
    line = (await diagnoses(tmp_path, engines={"serper": {"key": "k"}}))["search engine serper"]
    assert not line.ok
    assert "no installed distribution adds such an engine" in line.detail


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "duckduckgo: keyless; google: startpage, keyless;"),
        ({"serper_key": "secret"}, "google: serper;"),
        ({"google_key": "secret", "google_cx": "c"}, "google: programmable search;"),
        ({"startpage": False}, "google: not set up;"),
        ({}, "brave: not set up;"),
        ({"brave_key": "secret"}, "brave: ready;"),
        ({"tavily_key": "secret"}, "tavily: ready"),
        ({"searxng_url": "http://127.0.0.1:8888"}, "searxng: ready;"),
    ],
)
async def test_the_doctor_says_how_each_engine_is_reached(
    tmp_path: Path, settings: dict[str, object], says: str
) -> None:
    (line,) = (await diagnoses(tmp_path, **settings)).values()
    assert line.ok
    assert says in line.detail
    assert "secret" not in line.detail
