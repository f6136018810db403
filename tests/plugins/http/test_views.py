"""`value`: what a page says of itself, its headings, its links; and of what is no page."""

import json
import re

import pytest

from strap_http.extraction.facts.metadata import read_metadata
from strap_http.extraction.facts.microdata import MOST
from strap_http.extraction.pages import SMALL
from tests.site.server import Reply, serve

pytestmark = pytest.mark.anyio


@pytest.fixture
def web(shared_web):
    return shared_web


HEAD = """
<!doctype html><html lang=en-GB><head>
<title>Bees return | The Daily</title>
<meta property="og:title" content="Bees  return">
<meta property="og:type" content="article">
<meta property="og:image" content="/bee.png">
<meta name="description" content="They are back.">
<meta property="article:published_time" content="2026-03-01T08:00:00Z">
<link rel="canonical" href="/bees"><link rel="alternate" type="application/rss+xml" href="/feed">
<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
  {"@type": "WebSite", "name": "The Daily", "@id": "#site"},
  {"@type": "NewsArticle", "headline": "Bees return", "dateModified": "2026-03-02",
   "author": [{"@type": "Person", "name": "Ada L."}, {"@id": "#bob"}],
   "publisher": {"@id": "#site"}},
  {"@type": ["Person", "Keeper"], "@id": "#bob", "name": "Bob"}]}</script>
<script type="application/ld+json">{"broken": </script>
"""
BODY = """</head><body><nav><a href="/">Home</a></nav><main><h1>Bees return</h1>
<p>They <a href="honey#pots">make  honey</a>. <a href="#top">Up</a> <a href="javascript:x()">No</a>
<h2>Why</h2><p>Nobody knows. <a href="/honey#pots"></a><a href=/map><img alt="The map"></a>
<a href="http://[bad">Bad</a><a href="mailto:a@b.example">Write</a></main></body></html>"""
FILLING = f"<p>{'They fly from field to field and come home at night. ' * 40}</p>"
SHORT = HEAD + BODY
LONG = HEAD + BODY.replace("</main>", FILLING * (SMALL // 1_000) + "</main>")


async def fetched(web, site, path="/", **fields):
    return await web(resource="http", action="fetch", url=f"{site}{path}", **fields)


def content(result):
    return result.text.partition("\n\n")[2]


@pytest.mark.parametrize("page", [SHORT, LONG], ids=["here", "worker"])
async def test_a_page_says_what_it_is(web, page):
    with serve({"/": page}) as site:
        facts, graph, *items = content(await fetched(web, site, value="meta")).split("\n\n")
    assert facts.splitlines() == [
        "title: Bees return",
        "author: Ada L.; Bob",
        "published: 2026-03-01T08:00:00Z",
        "modified: 2026-03-02",
        "site: The Daily",
        f"canonical: {site}/bees",
        "language: en-GB",
        "description: They are back.",
        f"picture: {site}/bee.png",
        f"feed: {site}/feed",
    ]
    assert graph == "OpenGraph\nog:type: article"
    assert [item.splitlines()[0] for item in items] == [
        "JSON-LD WebSite",
        "JSON-LD NewsArticle",
        "JSON-LD Person, Keeper",
        "[JSON-LD that is not valid JSON: 1]",
    ]


async def test_xhtml_says_what_it_is_as_well(web):
    page = f'<?xml version="1.0" encoding="utf-8"?>\n{SHORT.strip()}'
    with serve({"/": page}) as site:
        assert content(await fetched(web, site, value="meta")).startswith("title: Bees return")


async def test_nothing_is_guessed_of_a_page_that_says_nothing(web):
    page = "<h1>On 1 March 2026</h1><p>By Ada L., copyright 2025"
    with serve({"/": page}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text == "The page says nothing of itself: neither title, meta, OpenGraph nor JSON-LD."


OFFER = """<div itemscope itemtype="https://schema.org/Product"><h2 itemprop=name>Red
 lamp</h2><a itemprop="url sameAs" href="lamp?a=b c">More</a><img itemprop=image src=/1.jpg>
<img itemprop=image src=/2.jpg><img itemprop=image src=/2.jpg><meta itemprop=sku content=L1>
<div itemprop=offers itemscope itemtype="http://schema.org/Offer"><b itemprop=price
 content="12.50">€ 12,50</b><time itemprop=validThrough datetime=2026-04-01>April</time>
<script>x()</script></div><p itemprop=description></p></div>
<div itemscope itemtype="https://v.example/Place https://v.example/Town"><i itemprop=name>T</i>
</div><div itemscope><br></div>"""


async def test_microdata_is_told_by_type(web):
    with serve({"/a/": f"<title>T</title>{OFFER}"}) as site:
        text = content(await fetched(web, site, "/a/", value="meta"))
    address = f'"{site}/a/lamp?a=b%20c"'
    assert text.split("\n\n")[1:] == [
        (
            f'Microdata Product\n{{"name":"Red lamp","url":{address},"sameAs":{address},'
            f'"image":["{site}/1.jpg","{site}/2.jpg"],"sku":"L1",'
            '"offers":{"@type":"Offer","price":"12.50","validThrough":"2026-04-01"}}'
        ),
        'Microdata https://v.example/Place, https://v.example/Town\n{"name":"T"}',
    ]


async def test_microdata_says_what_a_page_is_where_nothing_else_does(web):
    article = "<article itemscope itemtype=https://schema.org/NewsArticle><h1 itemprop=headline>"
    article += "Bees</h1><b itemprop=author itemscope><i itemprop=name>Ada L.</i></b>"
    article += "<time itemprop=datePublished datetime=2026-03-01>1 March</time></article>"
    several = article.replace("Bees", "Ants").replace("2026", "2025") + article
    pages = {"/": article, "/list": several, "/of": f"<title>Bees | The Daily</title>{several}"}
    with serve(pages) as site:
        text = content(await fetched(web, site, value="meta"))
        listed = content(await fetched(web, site, "/list", value="meta"))
        beside = content(await fetched(web, site, "/of", value="meta"))
    assert beside.startswith("title: Bees\nauthor: Ada L.\npublished: 2026-03-01\n\n")
    assert text.startswith("title: Bees\nauthor: Ada L.\npublished: 2026-03-01\n\nMicrodata NewsA")
    assert "author:" not in listed


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("<meta name=author content=Ada><meta property=article:author content={}>", "author: Ada"),
        ("<meta property=article:author content={}>", "site: T"),
        ("<meta property=article:author content='Ada L.'>", "author: Ada L."),
    ],
)
async def test_the_address_of_a_profile_is_no_name(web, said, told):
    said = said.format("https://social.example/ada")
    with serve({"/": f"{said}<meta property=og:site_name content=T>"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith(told)


@pytest.mark.parametrize(
    ("date", "told"),
    [
        ("1750680000000", "2025-06-23T12:00:00+00:00"),
        ("1750680000", "2025-06-23T12:00:00+00:00"),
        ("20250623", "20250623"),
        ("2025062312", "2025062312"),
        ("1999062312", "1999062312"),
    ],
)
async def test_a_date_in_seconds_is_told_as_one(web, date, told):
    with serve({"/": f"<meta property=article:published_time content={date}>"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith(f"published: {told}")


async def test_what_a_page_says_of_things_on_it_is_not_said_of_the_page(web):
    review = "<p itemscope itemtype=https://schema.org/Review><meta itemprop=author content=Bob>"
    review += "<meta itemprop=datePublished content=2020-01-01>Good</p>"
    own = "<meta itemprop=datePublished content=2026-03-01>"
    with serve({"/": f"<html itemscope><title>T</title>{own}<body>{review * 3}"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith("title: T\npublished: 2026-03-01\n\nMicrodata")


@pytest.mark.parametrize("kind", ["itemtype=https://schema.org/Comment", ""])
async def test_who_comments_is_not_the_author_of_a_page(web, kind):
    comment = f"<div itemscope {kind}><i itemprop=author>Troll</i>"
    comment += "<time itemprop=datePublished datetime=2001-01-01></time></div>"
    with serve({"/": f"<title>Bees</title><h1>Bees</h1>{comment}"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith("title: Bees\n\nMicrodata")
    assert "Troll" in text


SAID = [
    {"@type": "Review", "author": "Bob", "datePublished": "2001-01-01", "name": "Great"},
    {"@type": "schema:UserComment", "author": {"name": "Bob"}, "headline": "Hi"},
    {"@type": ["Thing", "ImageObject"], "author": "Bob"},
    {"@type": "Book", "author": {"name": "Bob"}, "name": "Wasps"},
    {"@type": "Event", "author": "Bob", "name": "A fair", "datePublished": "2001-01-01"},
    {"@type": "Offer", "author": "Bob", "offers": "1"},
    {"author": "Bob"},
]


@pytest.mark.parametrize("said", SAID)
async def test_who_says_something_in_linked_data_is_not_the_author_of_a_page(web, said):
    own = {"@type": "NewsArticle", "author": "Ada L.", "headline": "Bees"}
    script = "<title>Bees</title><script type=application/ld+json>{}</script>".format
    pages = {"/": script(json.dumps(said)), "/of": script(json.dumps([said, own]))}
    with serve(pages) as site:
        alone = content(await fetched(web, site, value="meta"))
        beside = content(await fetched(web, site, "/of", value="meta"))
    assert alone.startswith("title: Bees\n\nJSON-LD ")
    assert "Bob" in alone
    assert beside.startswith("title: Bees\nauthor: Ada L.\n\n")


@pytest.mark.parametrize("kind", ["Review", "Book", "SoftwareApplication"])
async def test_what_a_page_is_called_by_is_what_it_is_about(web, kind):
    review = {"@type": kind, "author": "Ada L.", "name": "Bees  in winter"}
    script = f"<script type=application/ld+json>{json.dumps(review)}</script>"
    with serve({"/": f"<title>Bees in winter | The Daily</title>{script}"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith("title: Bees in winter | The Daily\nauthor: Ada L.\n\n")


async def test_no_property_of_microdata_is_the_type_of_its_item(web):
    offer = "<p itemscope itemtype=https://schema.org/Offer><b itemprop='@type price'>Spam</b></p>"
    with serve({"/": f"<title>T</title>{offer}"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.endswith('\n\nMicrodata Offer\n{"price":"Spam"}')


def test_names_do_not_multiply_what_microdata_says():
    names = " ".join(f"n{number}" for number in range(60_000))
    page = f"<div itemscope><i itemprop='{names}'>{'v' * 500}"
    assert len(read_metadata(page, "https://example.com/")) < 5_000


async def test_microdata_has_what_is_there_alone(web):
    page = """<title>T</title><div itemscope><img itemprop=image data-src=/1.jpg>
<a itemprop=url>On</a><h2 itemprop=name>A <!-- b -->red<script>x = 1</script> <b>lam<style>i{}
</style>p</b>!</h2></div>"""
    with serve({"/": page}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.endswith('\n{"name":"A red lamp!"}')


@pytest.mark.parametrize(
    "body",
    [
        "<div itemscope itemprop=a>" * 20_000,
        "<div itemscope>" * 20_000,
        f"<div itemscope>{'<b itemprop=a>' * 5_000}{'x' * 500_000}",
        "<p itemscope><b itemprop=a>x</b></p>" * 20_000,
        f"<div itemscope>{''.join(f'<i itemprop=x>{n}</i>' for n in range(30_000))}",
        f"<div itemscope>{'<b itemprop>' * 5_000}{'x' * 500_000}",
    ],
)
async def test_any_microdata_does_no_harm(web, body):
    with serve({"/": f"<title>T</title>{body}"}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert text.startswith("title: T")
    assert text.count("Microdata") <= MOST


@pytest.mark.parametrize(
    "script",
    [
        "[" * 5_000,
        '{"@graph":' * 2_000 + "[]" + "}" * 2_000,
        '{"@type": 7, "author": {"name": {"a": 1}}, "headline": [null, "Told"]}',
        '["text", 7, null, {"@graph": "x"}]',
        '{"@id": {"a": 1}, "name": "x"}',
    ],
)
async def test_any_linked_data_does_no_harm(web, script):
    page = f"<title>T</title><script type='application/ld+json'>{script}</script>"
    with serve({"/": page}) as site:
        assert content(await fetched(web, site, value="meta")).startswith("title: T")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("//<![CDATA[\n", "\n//]]>"),
        ("/* <![CDATA[ */", "/* ]]> */"),
        ("<!--\n", "\n-->"),
        ("", ";"),
    ],
)
async def test_linked_data_is_read_out_of_what_hides_it(web, before, after):
    told = '{"headline": "Bees <!-- return -->"}'
    page = f"<script type='application/ld+json'>{before}{told}{after}</script>"
    with serve({"/": page}) as site:
        text = content(await fetched(web, site, value="meta"))
    assert '{"headline":"Bees <!-- return -->"}' in text


@pytest.mark.parametrize("page", [SHORT, LONG], ids=["here", "worker"])
async def test_links_come_once_absolute_and_in_order(web, page):
    with serve({"/a/": page}) as site:
        text = content(await fetched(web, site, "/a/", value="links"))
    assert text.splitlines() == [
        f"- [Home]({site}/)",
        f"- [make honey]({site}/a/honey#pots)",
        f"- []({site}/honey#pots)",
        f"- [The map]({site}/map)",
        "- [Write](mailto:a@b.example)",
    ]


async def test_blanks_in_addresses_are_what_browsers_make_of_them(web):
    addresses = ("/a b?c=d e", "/one\ntwo", " /x ", "http://no host/x", "tel:+44 12")
    page = "".join(f'<a href="{address}">on</a>' for address in addresses)
    with serve({"/": page}) as site:
        links = content(await fetched(web, site, value="links")).splitlines()
    told = [f"{site}/{path}" for path in ("a%20b?c=d%20e", "onetwo", "x")]
    assert links == [f"- [on]({address})" for address in (*told, "tel:+44%2012")]


async def test_links_of_text_and_of_a_page_with_a_base(web):
    text = (
        "See [one](/1), [two](<https://b.example/2_(x)>) or https://c.example/3_(y)). Not http://"
    )
    based = "<base href='/deep/'><a href=1>One</a>"
    routes = {"/t": Reply(headers={"Content-Type": "text/markdown"}, body=text), "/b": based}
    with serve(routes) as site:
        assert content(await fetched(web, site, "/t", value="links")).splitlines() == [
            f"- [one]({site}/1)",
            "- [two](https://b.example/2_(x))",
            "- [](https://c.example/3_(y))",
        ]
        assert content(await fetched(web, site, "/b", value="links")) == f"- [One]({site}/deep/1)"
        assert content(await fetched(web, site, "/b", value="links", text="two")).startswith(
            "'two'"
        )


async def test_an_address_ends_where_its_sentence_does(web):
    text = f"(see http://a.example/x(1)).) or http://a.example/y{')' * 1_900}"
    with serve({"/": Reply(headers={"Content-Type": "text/plain"}, body=text)}) as site:
        links = content(await fetched(web, site, "/", value="links")).splitlines()
    assert links == ["- [](http://a.example/x(1))", "- [](http://a.example/y)"]


@pytest.mark.parametrize("length", [10, 1_000, 20_000], ids=["small", "article", "book"])
async def test_links_of_the_main_part_are_relative_to_the_base_of_the_page(web, length):
    story = "<p>Once there was a bee that counted flowers.</p>" * length
    page = (
        "<head><base href='/deep/'><link rel=canonical href=own></head>"
        f"<body><nav><a href=menu>Menu</a></nav><main><h1>Bees</h1>{story}<p>As told in "
        "<a href=flowers>the second part of the story</a>.</p></main>"
    )
    with serve({"/a/b": page}) as site:
        shown = content(await fetched(web, site, "/a/b", text="second part"))
        facts = content(await fetched(web, site, "/a/b", value="meta"))
    assert f"({site}/deep/flowers)" in shown
    assert f"canonical: {site}/deep/own" in facts


async def test_a_base_that_is_a_script_is_none(web):
    page = "<base href='javascript:void(0)'><a href=1>One</a>"
    with serve({"/a/": page}) as site:
        assert content(await fetched(web, site, "/a/", value="links")) == f"- [One]({site}/a/1)"


async def test_an_outline_names_starts_that_read_on_without_a_second_request(web):
    with serve({"/": LONG}) as site:
        result = await fetched(web, site, value="outline")
        outline = re.sub(r"start=\d+", "start=…", content(result))
        assert outline.splitlines() == ["[start=…] # Bees return", "[start=…] ## Why"]
        starts = re.findall(r"start=(\d+)", content(result))
        part = await fetched(web, site, start=int(starts[1]), max_tokens=100)
        assert content(part).startswith("## Why\n\nNobody knows.")
        assert len(site.requests) == 1
    assert "2 headings in" in result.text


async def test_an_outline_knows_code_and_what_has_no_headings(web):
    code = "# One\n\n~~~\n# no\n~~~\n\n````\n```\n# no\n````\n## Two\n#no\n"
    routes = {
        "/code": Reply(headers={"Content-Type": "text/markdown"}, body=code),
        "/none": "<p>Nothing",
    }
    with serve(routes) as site:
        outline = content(await fetched(web, site, "/code", value="outline"))
        nothing = content(await fetched(web, site, "/none", value="outline"))
    assert outline.splitlines() == ["[start=0] # One", f"[start={code.index('## T')}] ## Two"]
    assert nothing == "No headings. Read it without value, or give text to find passages."


async def test_a_long_outline_comes_in_parts(web):
    page = "".join(f"<h2>Part {n}</h2><p>{'Words of it. ' * 9}</p>" for n in range(400))
    with serve({"/": page}) as site:
        first = await fetched(web, site, value="outline", max_tokens=500)
        rest = await fetched(
            web, site, value="outline", max_tokens=9_000, start=first.data["next_start"]
        )
        assert len(site.requests) == 1
    lines = (content(first).partition("\n\n[Char")[0] + "\n" + content(rest)).split("\n")
    assert len([line for line in lines if "## Part" in line]) == 400


async def test_text_in_an_outline_is_refused(web):
    error = await web.fails(
        resource="http", action="fetch", url="http://a.example/", value="outline", text="x"
    )
    assert error.message == "text goes not with value=outline."


@pytest.mark.parametrize("view", ["meta", "links"])
async def test_a_page_made_to_keep_parsers_busy_ends_in_time(web, view):
    page = "<p " + " ".join(f"a{n}=1" for n in range(50_000)) + ">deep" + "<div>" * 50_000
    with serve({"/": page}) as site:
        result = await fetched(web, site, value=view)
    assert result.data["status"] == 200


async def test_a_page_that_is_cut_names_what_has_all_of_it(web):
    page = f"<title>Long</title><p>{'word ' * 700_000}<p>The end."
    with serve({"/": page}) as site:
        ask = {"resource": "http", "action": "fetch", "url": f"{site}/"}
        told = await web(**ask, text="Only the first")
        assert "HTML are rendered. value=raw has all of it.]" in told.text
        assert "The end." in (await web(**ask, value="raw", text="The end")).text
