"""How the options of a query arrive at each API, and what only one engine says."""

import json
from typing import Any

import pytest

from strap import ActionError
from strap_search.engine import Query
from tests.plugins.search.conftest import found, state
from tests.plugins.search.services import BY_NAME, KEY, as_json
from tests.site.server import Reply, Request, serve

pytestmark = pytest.mark.anyio


async def request_of(name: str, query: Query) -> Request:
    """Return the first request that `query` leads to."""
    service = BY_NAME[name]
    with serve(service.routes(service.answer(3))) as site:
        async with state(**service.settings(site)) as opened:
            await found(opened, service.engine, query)
    return site.requests[0]


async def failure(name: str, status: int, body: object, **headers: str) -> ActionError:
    service = BY_NAME[name]
    reply = Reply(status=status, headers=headers, body=json.dumps(body))
    with serve(service.routes(reply)) as site:
        async with state(**service.settings(site)) as opened:
            with pytest.raises(ActionError) as caught:
                await found(opened, service.engine, Query(words="any"))
    return caught.value


def fields_of(request: Request) -> dict[str, Any]:
    """The fields of the query or of the JSON body."""
    if request.body:
        return json.loads(request.body)
    return {name: values[-1] for name, values in request.query.items()}


ANY_REGION = Query(words="a ü & b")
AT = Query(words="any", region="at-de")
NEWS = Query(words="any", kind="news", region="gb-en")
DAY = Query(words="any", time_range="day")
YEAR = Query(words="any", time_range="year")
STRICT = Query(words="any", safe="strict")
OFF = Query(words="any", safe="off")
SITE = Query(words="any", site="example.com/docs")
SITES = Query(words="any", site="a.example,-b.example,c.example")


@pytest.mark.parametrize(
    ("name", "query", "path", "fields"),
    [
        ("serper", ANY_REGION, "/search", {"q": "a ü & b", "page": 1}),
        ("serper", AT, "/search", {"q": "any", "page": 1, "gl": "at", "hl": "de"}),
        ("serper", NEWS, "/news", {"q": "any", "page": 1, "gl": "gb", "hl": "en"}),
        ("serper", DAY, "/search", {"q": "any", "page": 1, "tbs": "qdr:d"}),
        ("serper", YEAR, "/search", {"q": "any", "page": 1, "tbs": "qdr:y"}),
        ("serper", SITE, "/search", {"q": "any site:example.com/docs", "page": 1}),
        ("tavily", ANY_REGION, "/search", {"query": "a ü & b", "topic": "general"}),
        ("tavily", NEWS, "/search", {"topic": "news"}),
        ("tavily", DAY, "/search", {"time_range": "day"}),
        ("tavily", SITE, "/search", {"query": "any", "include_domains": ["example.com/docs"]}),
        (
            "tavily",
            SITES,
            "/search",
            {"include_domains": ["a.example", "c.example"], "exclude_domains": ["b.example"]},
        ),
        (
            "programmable search",
            SITES,
            "/customsearch/v1",
            {"q": "any (site:a.example OR site:c.example) -site:b.example"},
        ),
        ("searxng", ANY_REGION, "/search", {"q": "a ü & b", "format": "json", "language": "all"}),
        ("searxng", AT, "/search", {"language": "de-AT", "categories": "general", "pageno": "1"}),
        ("searxng", NEWS, "/search", {"language": "en-GB", "categories": "news"}),
        ("searxng", YEAR, "/search", {"time_range": "year"}),
        ("searxng", STRICT, "/search", {"safesearch": "2"}),
        ("searxng", OFF, "/search", {"safesearch": "0"}),
        ("searxng", SITE, "/search", {"q": "any site:example.com/docs"}),
        ("brave", ANY_REGION, "/res/v1/web/search", {"q": "a ü & b", "country": "ALL"}),
        ("brave", AT, "/res/v1/web/search", {"country": "AT", "search_lang": "de"}),
        ("brave", NEWS, "/res/v1/news/search", {"country": "GB", "search_lang": "en-gb"}),
        ("brave", DAY, "/res/v1/web/search", {"freshness": "pd"}),
        ("brave", YEAR, "/res/v1/web/search", {"freshness": "py"}),
        ("brave", STRICT, "/res/v1/web/search", {"safesearch": "strict"}),
        ("brave", OFF, "/res/v1/web/search", {"safesearch": "off"}),
        ("brave", SITE, "/res/v1/web/search", {"q": "any site:example.com/docs"}),
        ("programmable search", ANY_REGION, "/customsearch/v1", {"q": "a ü & b", "start": "1"}),
        ("programmable search", AT, "/customsearch/v1", {"gl": "at", "hl": "de"}),
        ("programmable search", DAY, "/customsearch/v1", {"dateRestrict": "d1"}),
        ("programmable search", YEAR, "/customsearch/v1", {"dateRestrict": "y1"}),
        ("programmable search", STRICT, "/customsearch/v1", {"safe": "active"}),
        ("programmable search", OFF, "/customsearch/v1", {"safe": "off"}),
        (
            "programmable search",
            SITE,
            "/customsearch/v1",
            {"q": "any", "siteSearch": "example.com/docs", "siteSearchFilter": "i"},
        ),
    ],
)
async def test_options_arrive(name: str, query: Query, path: str, fields: dict[str, Any]) -> None:
    request = await request_of(name, query)
    assert request.path == path
    assert fields.items() <= fields_of(request).items()


@pytest.mark.parametrize(
    ("name", "optional"),
    [
        ("serper", {"gl", "hl", "tbs", "safe"}),
        ("tavily", {"time_range", "include_domains", "country"}),
        ("searxng", {"time_range", "safesearch"}),
        ("brave", {"search_lang", "freshness", "safesearch"}),
        ("programmable search", {"gl", "hl", "safe", "dateRestrict", "siteSearch"}),
    ],
)
async def test_what_is_not_asked_for_is_not_sent(name: str, optional: set[str]) -> None:
    assert not optional & fields_of(await request_of(name, Query(words="any"))).keys()


@pytest.mark.parametrize(
    ("name", "header", "value"),
    [
        ("serper", "x-api-key", KEY),
        ("brave", "x-subscription-token", KEY),
        ("tavily", "authorization", f"Bearer {KEY}"),
    ],
)
async def test_keys_are_sent_in_headers(name: str, header: str, value: str) -> None:
    request = await request_of(name, Query(words="any"))
    assert request.headers[header] == value
    assert KEY not in str(fields_of(request))


async def test_programmable_search_gets_key_and_engine() -> None:
    fields = fields_of(await request_of("programmable search", Query(words="any")))
    assert (fields["key"], fields["cx"]) == (KEY, "engine-1")


@pytest.mark.parametrize(
    ("region", "language"),
    [("jp-ja", "jp"), ("tw-zh", "zh-hant"), ("cn-zh", "zh-hans"), ("br-pt", "pt-br"),
     ("pt-pt", "pt-pt"), ("no-no", "nb"), ("us-en", "en")],
)  # fmt: skip
async def test_languages_as_brave_writes_them(region: str, language: str) -> None:
    request = await request_of("brave", Query(words="any", region=region))
    assert fields_of(request)["search_lang"] == language


@pytest.mark.parametrize(
    ("name", "status", "body", "code"),
    [
        ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, "quota"),
        ("serper", 400, {"message": "Bad request", "query": "credits"}, "rejected"),
        ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, "bad_key"),
        ("tavily", 432, {"detail": {"error": "plan limit"}}, "quota"),
        ("tavily", 433, {"detail": {"error": "pay-as-you-go limit"}}, "quota"),
        ("searxng", 403, {}, "not_configured"),
        ("brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, "bad_key"),
        ("brave", 422, {"error": {"code": "VALIDATION"}}, "rejected"),
        ("brave", 429, {"error": {"code": "RATE_LIMITED"}}, "rate_limited"),
        ("brave", 429, {"error": {"code": "QUOTA_LIMITED"}}, "quota"),
        ("brave", 402, {"error": {"code": "USAGE_LIMIT_EXCEEDED"}}, "quota"),
        ("brave", 500, {"error": "text"}, "upstream"),
        (
            "programmable search",
            400,
            {"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}},
            "bad_key",
        ),
        (
            "programmable search",
            403,
            {"error": {"errors": [{"reason": "dailyLimitExceeded"}]}},
            "quota",
        ),
        (
            "programmable search",
            429,
            {"error": {"message": "Quota exceeded for 'Queries' and limit 'Queries per day'"}},
            "quota",
        ),
        (
            "programmable search",
            403,
            {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}},
            "rate_limited",
        ),
        ("programmable search", 403, {"error": {"status": "PERMISSION_DENIED"}}, "bad_key"),
        ("programmable search", 429, {"error": {"errors": []}}, "rate_limited"),
    ],
)
async def test_failures_that_only_one_engine_tells_apart(
    name: str, status: int, body: object, code: str
) -> None:
    assert (await failure(name, status, body)).code == code


async def test_retry_after_is_believed() -> None:
    error = await failure("brave", 429, {}, **{"Retry-After": "3"})
    assert "does not ask it again for 3 s" in error.hint


async def test_without_json_searxng_says_what_to_set() -> None:
    error = await failure("searxng", 403, {})
    assert "search.formats in the settings.yml" in error.hint


async def test_searxng_whose_engines_are_silent_is_no_empty_answer() -> None:
    silent = {"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}
    service = BY_NAME["searxng"]
    with serve(service.routes(as_json(silent))) as site:
        async with state(**service.settings(site)) as opened:
            with pytest.raises(ActionError, match="google: CAPTCHA, bing: timeout") as caught:
                await found(opened, "searxng", Query(words="any"))
    assert caught.value.code == "upstream"


@pytest.mark.parametrize("tags", [[], [{}], {}, None, "text"])
async def test_programmable_search_without_a_date(tags: object) -> None:
    item = {"title": "One", "link": "https://x.example/", "pagemap": {"metatags": tags}}
    service = BY_NAME["programmable search"]
    with serve(service.routes(as_json({"items": [item]}))) as site:
        async with state(**service.settings(site)) as opened:
            (hit,) = (await found(opened, "google", Query(words="any"))).hits
    assert hit.date == ""
