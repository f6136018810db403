"""Text that libraries leave out of the middle of a main text, and what a page hides there."""

import pytest

from strap_http.extraction import extractor_choice
from strap_http.extraction.pages import read_page
from tests.plugins.http.prose import prose

URL = "https://example.com/a/"


ABOVE, BELOW = (
    "".join(f"<p>{prose(at)}</p>" for at in some) for some in (range(1, 6), range(6, 9))
)
SAID = (
    "The wheel was made anew by the wrights of the next village, who asked for nothing but flour "
    "and were given what they asked for on the first day of the year."
)


@pytest.fixture
def read(monkeypatch):
    def read(content, *also):
        found = "\n".join((*map(prose, range(1, 9)), *also))
        monkeypatch.setattr(extractor_choice, "_careful", lambda _: found)
        page = f"<html><head><title>The mill</title></head><body><article>{content}</article>"
        return read_page(page, URL).text

    return read


@pytest.mark.parametrize(
    "piece",
    [
        SAID,
        f"<b>Note</b> {SAID}",
        f"<p>{SAID}</p>",
        f"<p>{SAID.replace('the wrights of the next village', '<a href=/w>the wrights</a>')}</p>",
        f"<h2>The wheel</h2>{SAID}",
        f"<div><blockquote><p>{SAID}</p>A wright</blockquote></div>",
        f"<div><p>{SAID}</p></div>",
        f"<div>{SAID}</div>",
        f"<aside>{SAID}</aside>",
        f"<div class='alert comment' role=alert>{SAID}</div>",
        f"<section class=register-machine><p>{SAID}</p></section>",
    ],
    ids=[
        *("loose", "emphasis", "paragraph", "links", "heading", "quotation"),
        *("box", "bare", "aside", "alert", "named"),
    ],
)
def test_prose_among_the_paragraphs_stays(piece, read):
    assert "who asked for nothing but flour" in read(f"{ABOVE}{piece}{BELOW}")


@pytest.mark.parametrize(
    "piece",
    [
        f"<aside class=promo><p>{SAID}</p></aside>",
        f"<p><a href=/w>{SAID}</a></p>",
        f"<figure><img src=/w.png><span>{SAID}</span></figure>",
        f"<div class=newsletter>{SAID}<button>Send</button></div>",
    ],
    ids=["aside", "link", "caption", "control"],
)
def test_other_text_among_them_goes(piece, read):
    assert "The wheel" not in read(f"{ABOVE}{piece}{BELOW}")


HINT = "An error has occurred, please try again later."


@pytest.mark.parametrize("name", ["hide", "box hidden", "d-none mail", "is-hidden"])
def test_what_a_class_hides_goes(name, read):
    hint = f"<section{{}}><p>{HINT}</p></section>"
    assert HINT in read(f"{ABOVE}{hint.format('')}{BELOW}", HINT)
    hidden = hint.format(f" class='{name}'")
    assert HINT not in read(f"{ABOVE}{hidden}{BELOW}", HINT)


@pytest.mark.parametrize(
    "hidden",
    [
        "<p class='hidden md:block'>{}</p>",
        "<p class='d-none d-md-block'>{}</p>",
        "<p class='hide medium-show'>{}</p>",
        "<p class=hiding-places>{}</p>",
        "<p class='quote'>One of them.</p><p class='quote hide'>{}</p>",
        "<p class=hidden>{0} {0} {0}</p>",
    ],
)
def test_what_is_shown_on_some_screens_or_in_turn_stays(hidden, read):
    found = read(f"{ABOVE}{hidden.format(SAID)}{BELOW}")
    assert "who asked for nothing but flour" in found


@pytest.mark.parametrize("hiding", ["hidden", "style='display: none'"])
def test_what_a_page_hides_stays_hidden_however_much_it_is(hiding):
    shown = "".join(
        f"<p>Seen {n}: the bridge over the river costs ten million.</p>" for n in range(4)
    )
    rest = "".join(
        f"<p {hiding}>Unseen {n}: the bridge will be ready in the year after next.</p>"
        for n in range(30)
    )
    links = "<a href=/x>Link</a> " * 300
    page = f"<title>Town</title><article><h1>Bridge</h1>{shown}{rest}</article><div>{links}</div>"
    text = read_page(page, "https://example.com/").text
    assert "Seen 3: the bridge" in text
    assert "Unseen" not in text


PANEL = (
    "<h3>Part {0}</h3><div {1}><p>Answer {0}: the mill is open to all on {0} days a year.</p></div>"
)


@pytest.mark.parametrize(
    ("panel", "is_told"),
    [
        ("aria-hidden=true", True),
        ("aria-hidden=true role=region tabindex=-1", True),
        ("aria-hidden=true hidden", False),
        ("aria-hidden=true style='display: none'", False),
        ("aria-hidden=true style='opacity: 0.9; left: -9px; height: 0.5em'", True),
        ("aria-hidden=true style='position: absolute; left: -9999px'", False),
        ("aria-hidden=true style='color:red;opacity:0'", False),
        ("aria-hidden=true style='max-height: 0px; overflow: hidden'", False),
        ("aria-hidden=true style='visibility: hidden'", False),
        ("aria-hidden=true role=dialog", False),
        ("aria-hidden=true role=tooltip", False),
    ],
)
def test_a_text_that_only_screen_readers_are_not_told_is_seen(panel, is_told, read):
    """As panels that fold. What is asked for in them is part of the page."""
    answers = [f"Answer {at}: the mill is open to all on {at} days a year." for at in range(6)]
    panels = "".join(PANEL.format(at, panel) for at in range(6))
    text = read(f"{ABOVE}{panels}{BELOW}", *answers)
    assert [answer in text for answer in answers] == [is_told] * 6


@pytest.mark.parametrize(
    ("style", "is_told"),
    [
        ("position:absolute; left:-9999px", False),
        ("clip: rect(0 0 0 0); height: 1px", False),
        ("clip-path:inset(50%)", False),
        ("text-indent:-10000px", False),
        ("position:absolute; left:-1086.38px", True),  # as what slides in
        ("opacity:0; transform:translateY(20px)", True),  # as what fades in
    ],
)
def test_what_a_style_puts_out_of_sight_goes(style, is_told, read):
    note = f"<p>{prose(50)} <a href=/w>the wrights<span style='{style}'>, a new tab</span></a></p>"
    assert ("a new tab" in read(f"{ABOVE}{note}{BELOW}", prose(50))) is is_told


def test_signs_that_screen_readers_are_not_told_go(read):
    signs = "".join(f"<p>{prose(at)} <i aria-hidden=true>Copied now</i></p>" for at in range(1, 9))
    assert "Copied" not in read(signs)


TITLES = (
    "Oak from the northern forest is dear again",
    "A new dam keeps three hamlets dry",
    "Bakers want finer flour for white bread",
    "Who owns those ruins beside that bridge?",
    "Snow closes every pass until late spring",
    "Young wrights learn how millstones are dressed",
    "Barley harvest fails after weeks without rain",
    "Council votes against selling common grazing land",
)


@pytest.mark.parametrize(("heading", "is_told"), [("h3", True), ("b", False)])
def test_a_list_that_is_little_but_titles_has_all_of_them(heading, is_told, read):
    """The library has every second one of them; without headings it is a menu."""
    entry = "<li>{1} May<{0}><a href=/{1}>{2}</a></{0}></li>".format
    entries = "".join(entry(heading, at, title) for at, title in enumerate(TITLES))
    text = read(f"{ABOVE}<ul>{entries}</ul>{BELOW}", *TITLES[::2])
    assert [title in text for title in TITLES[1::2]] == [is_told] * 4


@pytest.mark.parametrize(
    "member",
    [
        "<pre class=methodSignature>public Wheel turn{n}(int delta{n})</pre>",
        "<div class=member-signature>public Wheel turn{n}(int delta{n})</div>",
        "<div class=dropdown><pre><code>turn{n}(delta{n})</code></pre></div>",
        "<table class=register-map><tr><td>turn{n}<td>delta{n}</table>",
        "<dl class=privacy-levels><dt>turn{n}<dd>delta{n}</dl>",
    ],
)
def test_a_name_alone_takes_no_code_and_no_table(member, read):
    members = "".join(
        f"<section><h3>Turn {n}</h3>{member.replace('{n}', str(n))}<p>{prose(20 + n)}</p></section>"
        for n in range(9)
    )
    text = read(f"{ABOVE}{members}{BELOW}", *(prose(20 + n) for n in range(9)))
    assert [n for n in range(9) if f"delta{n}" not in text] == []
