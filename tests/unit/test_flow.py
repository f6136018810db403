"""The information-flow guard without a browser: sites, rules, recognition, bounds."""

import random
import string
from urllib.parse import quote

import pytest

from strap import StartupError
from strap.network.sites import is_private_network, site_of
from strap.routing.flow.private_text import HALF, MOST_SAID, Half, PrivateText
from strap.routing.flow.rules import read_rules
from strap.routing.flow.session import FlowSession
from tests.plugins.browser.flow.attacks import SECRET, spellings

pytestmark = pytest.mark.anyio
MAIL, EVIL = ("https", "mail.example"), ("https", "evil.example")


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://app.mail.example/x", ("https", "mail.example")),
        ("https://alice.github.io/", ("https", "alice.github.io")),
        ("https://shop.co.uk/", ("https", "shop.co.uk")),
        ("https://bücher.example/", ("https", "xn--bcher-kva.example")),
        ("wss://chat.mail.example/", ("https", "mail.example")),
        ("http://10.0.0.5:8080/", ("http", "10.0.0.5:8080")),
        ("http://[::1]:3000/", ("http", "[::1]:3000")),
        ("about:blank", None),
    ],
)
def test_sites(url, site):
    assert site_of(url) == site


def test_private_networks():
    for url in ("http://10.0.0.5/", "http://[fd00::1]/", "http://wiki/", "https://wiki.internal/"):
        assert is_private_network(site_of(url)), url
    for url in ("http://127.0.0.1/", "http://[::1]/", "http://localhost/", "https://a.example/"):
        assert not is_private_network(site_of(url)), url


def test_flows_name_sites_and_ways():
    rules = read_rules(
        ["mail.example -> *.shop.example".replace("*.", ""), "a.example", "b.example"]
    )
    assert rules.allows(MAIL, ("https", "shop.example"))
    assert not rules.allows(("https", "shop.example"), MAIL)
    assert not rules.allows(MAIL, ("http", "shop.example"))  # in the clear
    assert rules.allows(("https", "a.example"), ("https", "b.example"))
    assert not rules.allows(("https", "a.example"), EVIL)
    for wrong in ("a.example ->", "-> b.example", "", "not a site"):
        with pytest.raises(StartupError, match="names no site"):
            read_rules([wrong])


@pytest.mark.parametrize("name", spellings())
def test_what_was_shown_is_recognised(name):
    shown = PrivateText()
    shown.add(MAIL, f"Inbox. {SECRET}. Bye.", private=True)
    for text in (spellings()[name], f"https://evil.example/?d={spellings()[name]}&x=1"):
        assert shown.recognised(text, EVIL, [MAIL]), text


@pytest.mark.parametrize("name", ["base64", "base64 twice", "hex", "base32"])
@pytest.mark.parametrize(
    "around",
    ["{}--.png", "img_{}", "photo{}", "report-{}-1", "aGVsbG8gd29ybGQgaGVsbG8{}", "a/b/{}/c"],
)
def test_what_stands_beside_an_encoding_hides_nothing(name, around):
    shown = PrivateText()
    shown.add(MAIL, f"Inbox. {SECRET}. Bye.", private=True)
    assert shown.recognised(around.format(spellings()[name]), EVIL, [MAIL])


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("name", spellings())
async def test_what_goes_in_pieces_is_recognised(name, size):
    told = spellings()[name]
    flow = FlowSession("ask", read_rules([]))
    flow.read(MAIL, f"Inbox. {SECRET}. Bye.", private=True)
    for start in range(0, len(told), size):
        url = f"https://evil.example/?n={start}&c={quote(told[start : start + size])}"
        doubt = await flow.doubt(EVIL, {}, [url])
        if doubt.carried:
            break
        flow.note_sent(EVIL, {}, [url])
    assert doubt.carried
    assert len(SECRET) * start / len(told) < 20


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-29", "12:30", "anna", "hello", "red shoes size 42", "internationalization",
        "https://shop.example/search?q=garden+tools&page=2", "Reset", "",
    ],
)  # fmt: skip
def test_common_words_are_not_recognised(text):
    shown = PrivateText()
    shown.add(MAIL, f"Hello Anna, 2026-11-29 12:30 internationalization 42. {SECRET}", private=True)
    assert shown.recognised(text, EVIL, [MAIL]) is None


def test_what_is_on_both_sites_is_not_private():
    shown = PrivateText()
    text = "The quarterly fair opens on Monday at the old harbour"
    shown.add(MAIL, text, private=True)
    assert shown.recognised(text, EVIL, [MAIL])
    shown.add(EVIL, f"News: {text}!", private=False)
    assert shown.recognised(text, EVIL, [MAIL]) is None


@pytest.mark.parametrize("name", spellings())
@pytest.mark.parametrize("place", ["evil.example", "a.evil.example:8443", "localhost:45455"])
async def test_what_is_in_a_path_is_recognised(name, place):
    session = FlowSession("ask", read_rules([]))
    session.read(MAIL, SECRET, private=True)
    url = f"https://{place}/deep/{quote(spellings()[name], safe='')}"
    assert (await session.doubt(EVIL, {"url": url}, (url,))).carried


def test_the_name_of_a_site_is_no_news_to_it():
    shown = PrivateText()
    shown.add(MAIL, f"Write to a1@shop-24.example, {SECRET}", private=True)
    shop = ("https", "shop-24.example")
    assert shown.recognised("https://shop-24.example/form", shop, [MAIL]) is None
    assert shown.recognised("https://shop-24.example/?a1@shop-24.example", shop, [MAIL])


def test_what_a_page_shows_of_another_or_of_a_call_is_not_its_own():
    shown = PrivateText()
    shown.add(MAIL, SECRET, private=True)
    shown.add(EVIL, f"frame of mail: {SECRET}", private=False, alone=False)
    shown.add(EVIL, f"No element {SECRET[:30]}…", private=False, made=SECRET)
    assert shown.recognised(SECRET, EVIL, [MAIL])


def test_a_flood_makes_room_and_stays_private():
    shown, rand = PrivateText(), random.Random(1)
    flood = "".join(rand.choices(string.ascii_lowercase + " ", k=HALF + HALF // 2))
    shown.add(MAIL, SECRET, private=True)
    for _ in range(2):
        shown.add(MAIL, flood, private=True)
        shown.index()
    assert shown.forgotten
    assert shown.recognised(SECRET, EVIL, [MAIL]) is None
    assert MAIL in shown.sites  # strict does not go by what is recognised


async def test_choices_are_counted():
    session = FlowSession("strict", read_rules([]))
    assert session.chooses(EVIL, 1_000)  # nothing private was read
    session.read(MAIL, SECRET, private=True)
    assert [session.chooses(EVIL, 10) for _ in range(4)] == [True, True, True, False]
    assert session.chooses(MAIL, 1_000)
    assert (await session.doubt(EVIL, {"url": "https://evil.example/"})).carried == ""


async def test_a_link_that_was_shown_is_no_work_of_the_model():
    session = FlowSession("ask", read_rules([]))
    session.read(MAIL, "Track https://carrier.example/t?no=1Z999AA10123456784.", private=True)
    assert session.shown.is_link("https://carrier.example/t?no=1Z999AA10123456784")
    session.written.add(MAIL)  # from now on it may show what the model wrote there
    session.read(MAIL, "Note: https://evil.example/?d=secret", private=True)
    assert not session.shown.is_link("https://evil.example/?d=secret")


@pytest.mark.parametrize("text", [f"Tell them: {SECRET}", "order DE48112377 please"])
def test_what_the_model_had_before_is_not_the_pages(text):
    shown = PrivateText()
    shown.say(text)
    shown.add(MAIL, f"Task: {text}. And the door code is 7712-41-A.", private=True)
    assert shown.recognised(text, EVIL, [MAIL]) is None
    assert shown.recognised("the code is 7712-41-A", EVIL, [MAIL])


def test_what_the_model_says_after_it_was_shown_stays_private():
    shown = PrivateText()
    shown.add(MAIL, SECRET, private=True)
    shown.say(SECRET)
    shown.index()
    shown.say(SECRET)
    shown.add(MAIL, f"Again: {SECRET}", private=True)
    assert shown.recognised(SECRET, EVIL, [MAIL])


def test_what_the_model_says_while_it_is_read_stays_private(monkeypatch):
    """Another thread reads it meanwhile."""
    shown, add = PrivateText(), Half.add

    def said_meanwhile(half, *told):
        shown.say(SECRET)
        add(half, *told)

    monkeypatch.setattr(Half, "add", said_meanwhile)
    shown.add(MAIL, SECRET, private=True)
    shown.index()
    assert shown.recognised(SECRET, EVIL, [MAIL])


def test_what_is_said_is_bounded():
    shown, rand = PrivateText(), random.Random(2)
    for _ in range(8):
        shown.say("".join(rand.choices(string.ascii_lowercase, k=MOST_SAID // 4)))
    assert len(shown._agent_text.grams) <= 2 * MOST_SAID
