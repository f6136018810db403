"""Parts of ddgs and primp that strap uses beyond their documented interface."""

import inspect
import subprocess
import sys

import primp
import pytest
from ddgs.base import BaseSearchEngine
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.engines.duckduckgo_images import DuckduckgoImages
from ddgs.engines.duckduckgo_news import DuckduckgoNews
from ddgs.engines.startpage import Startpage


@pytest.mark.parametrize("layout", [Duckduckgo, Startpage])
def test_a_layout_has_what_is_read_of_it(layout: type[BaseSearchEngine]) -> None:
    assert layout.search_method in ("GET", "POST")
    assert layout.search_url.startswith("https://")
    assert layout.provider
    assert {"title", "href", "body"} <= set(layout.elements_xpath)
    made = layout()
    tree = made.extract_tree(made.pre_process_html("<p>one<b>two</b></p>"))
    assert "".join(tree.itertext()) == "onetwo"
    assert tree.xpath(layout.items_xpath) == []


def test_hosts_and_indexes_are_those_that_answers_name() -> None:
    assert (Duckduckgo.search_url, Duckduckgo.provider) == (
        "https://html.duckduckgo.com/html/",
        "bing",
    )
    assert (Startpage.search_url, Startpage.provider) == (
        "https://www.startpage.com/sp/search",
        "google",
    )


def test_the_payload_takes_these_arguments_in_this_order() -> None:
    names = list(inspect.signature(BaseSearchEngine.build_payload).parameters)
    assert names[:6] == ["self", "query", "region", "safesearch", "timelimit", "page"]
    assert Duckduckgo().build_payload("any", "us-en", "moderate", None)["q"] == "any"


def test_news_ask_a_method_for_their_token_and_are_json() -> None:
    class Known(DuckduckgoNews):
        def _get_vqd(self, query: str) -> str:
            return f"token of {query}"

    assert (Known.search_method, Known.search_url) == ("GET", "https://duckduckgo.com/news.js")
    payload = Known().build_payload("any", "us-en", "on", "w")
    assert payload["vqd"] == "token of any"
    assert (payload["q"], payload["l"], payload["p"], payload["df"]) == ("any", "us-en", "1", "w")
    names = {"date", "title", "excerpt", "url"}
    assert names <= set(Known.elements_replace)


def test_images_ask_a_method_for_their_token_and_are_json() -> None:
    class Known(DuckduckgoImages):
        def _get_vqd(self, query: str) -> str:
            return f"token of {query}"

    assert (Known.search_method, Known.search_url) == ("GET", "https://duckduckgo.com/i.js")
    payload = Known().build_payload("any", "us-en", "on", "w")
    assert payload["vqd"] == "token of any"
    assert (payload["q"], payload["l"], payload["p"]) == ("any", "us-en", "1")
    assert payload["f"].startswith("time:Week,")
    assert {"title", "image", "url", "width", "height"} <= set(Known.elements_replace)


def test_the_options_of_startpage() -> None:
    class Known(Startpage):
        def get_sc(self) -> str:
            return "token"

    payload = Known().build_payload("any", "at-de", "on", "w")
    assert (payload["qsr"], payload["qadf"], payload["with_date"]) == ("de_AT", "heavy", "w")


def test_startpage_asks_a_method_for_its_token() -> None:
    class Known(Startpage):
        def get_sc(self) -> str:
            return "token"

    payload = Known().build_payload("any", "us-en", "moderate", None, 2)
    assert (payload["query"], payload["sc"], payload["page"]) == ("any", "token", "2")


def test_primp_has_the_errors_that_are_told_apart() -> None:
    for error in (primp.TimeoutError, primp.DNSError, primp.ConnectError):
        assert issubclass(error, primp.PrimpError)


def test_declaring_the_plugin_imports_no_library_of_an_engine() -> None:
    code = (
        "import sys, strap_search.plugin;"
        "print(sorted({'ddgs', 'lxml', 'primp', 'httpx2', 'mcp'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
