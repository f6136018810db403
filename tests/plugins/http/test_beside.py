"""Boilerplate beside a text: captions, links to further texts, teasers, a repeated headline."""

import pytest
from lxml import html

from strap_http.extraction import extractor_choice
from strap_http.extraction.pages import read_page
from strap_http.extraction.text_blocks import collect
from tests.plugins.http.prose import prose

URL = "https://example.com/a/"


def paragraphs(first, last):
    return "".join(f"<p>{prose(number)}</p>" for number in range(first, last))


def read(content, head=""):
    page = f"<!doctype html><html><head><title>The mill at the ford</title>{head}</head>"
    return read_page(f"{page}<body><article>{content}</article></body></html>", URL).text


def told_in(content):
    return "\n".join(str(text) for text in html.fromstring(content).itertext())


CAPTION = "The wheel as it was photographed by a traveller in the last summer of the old century."


@pytest.mark.parametrize(
    "piece",
    [
        f"<figure><img src=w.png><figcaption>{CAPTION}</figcaption></figure>",
        "<p><a href=/what-millers-earn>What the millers of the valley earn in dry years</a></p>",
        "<p><b>Read more:</b> <a href=/millers-earn>What the millers of the valley earn</a></p>",
        "<div><a href=/millers-earn><img src=t.png alt='What the millers earn'></a></div>",
        "<p>Topics: <a rel=tag href=/millers>millers</a>, <a rel=tag href=/rye>archive</a></p>",
        "<h2 class=visually-hidden>Archive</h2>",
    ],
    ids=["figcaption", "link", "announced", "picture", "topics", "unseen"],
)
def test_what_is_beside_a_text_goes(piece):
    text = read(paragraphs(1, 6) + piece + paragraphs(6, 12))
    assert f"{prose(5)}\n\n" in text
    assert "traveller" not in text
    assert "millers" not in text
    assert "archive" not in text.lower()
    assert "more" not in text.lower()


def test_a_card_with_a_picture_goes_whatever_its_address(monkeypatch):
    card = "<a href=/n/7><img src=t.png><p>What the millers of the valley earn</p></a>"
    content = paragraphs(1, 6) + card + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    assert "millers" not in read(content)


BOXES = (
    "<div><b>Read on</b><h2><a href={0}n/7>What the millers of the valley earn</a></h2></div>",
    "<section><a href={0}n/7>The millers of the valley</a> <a href={0}n/8>Ruins</a></section>",
)


@pytest.mark.parametrize("box", BOXES, ids=["announced", "links"])
def test_a_box_that_leads_on_goes_whatever_its_address(box, monkeypatch):
    content = paragraphs(1, 6) + box.format("/") + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    text = read(content)
    assert "millers" not in text
    assert "Read on" not in text


@pytest.mark.parametrize("box", BOXES, ids=["announced", "links"])
@pytest.mark.parametrize("target", ["https://elsewhere.org/", "#"])
def test_a_box_that_leads_elsewhere_or_within_the_page_stays(box, target, monkeypatch):
    content = paragraphs(1, 6) + box.format(target) + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    assert "millers" in read(content)


def test_a_heading_stays_in_a_box_with_a_link_to_change_it(monkeypatch):
    box = "<div><h2>Millers</h2><span><a href=/edit/7>Edit</a></span></div>"
    content = paragraphs(1, 6) + box + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    assert "## Millers" in read(content)


@pytest.mark.parametrize(
    "piece",
    [
        "<p class=market-share>The market for rye rose by 34 percent in 1898.</p>",
        "<div class=share-price><p>The price was 42 thalers on the fifth of May.</p></div>",
        "<p>WARNING <a href=/open-the-sluice-first>open the sluice first of all things</a></p>",
        "<p>IBM <a href=/the-mills-of-today>on the mills of today and after</a></p>",
        "<p><a href=/x><img src=x.png>Drawing of the whole wheel in its house</a></p>",
        f"<p>STEP ONE:</p><h3><a href=/open-the-sluice>Open the sluice wide</a></h3><p>{prose(60)}",
        f"<h2>Work</h2><h2><a href=/open-the-sluice>Open the sluice wide</a></h2><p>{prose(60)}",
    ],
    ids=["share", "price", "warning", "name", "drawing", "step", "headings"],
)
def test_what_only_looks_as_if_it_were_beside_a_text_stays(piece, monkeypatch):
    content = paragraphs(1, 6) + piece + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda _: told_in(content))
    text = read(content)
    for said in told_in(piece).splitlines():
        assert said.strip() in text


@pytest.mark.parametrize("name", ["author", "share", "comments"])
def test_the_columns_of_a_table_stay_whatever_their_names(name):
    rows = "".join(f"<tr><th>Mill {n}</th><td class={name}>{n} by Ada</td></tr>" for n in range(6))
    table = f"<table><tr><th>Mill<th>Ground</tr>{rows}</table>"
    text = read(f"{paragraphs(1, 6)}{table}{paragraphs(6, 12)}")
    assert all(f"| {n} by Ada |" in text for n in range(6))


def test_a_line_of_many_links_is_read_in_no_time_that_grows_with_their_square():
    links = " ".join(f"<a href=/m/{number}>mill {number}</a>" for number in range(40))
    runs, _ = collect(html.fromstring(f"<p>See &gt; {links} and more</p>"))
    assert runs[0].beside.split() == ["See", ">", "and", "more"]


def test_what_a_sign_in_a_table_says_stays():
    sign = "<svg></svg><span class=sr-only>Yes, since 1898</span>"
    rows = f"<tr><th>Mill</th><th>Grinds</th></tr><tr><td>Upper ford</td><td>{sign}</td></tr>"
    text = read(paragraphs(1, 6) + f"<table>{rows}</table>" + paragraphs(6, 12))
    assert "| Yes, since 1898 |" in text


def test_posts_of_a_list_keep_their_titles():
    posts = "".join(
        f"<h2><a href=/the-mill-in-year-{n}>The mill in year {n}</a></h2><p>{prose(n)}</p>"
        for n in range(1, 9)
    )
    assert read(posts).count("[The mill in year") == 8


def test_headings_that_lead_to_what_the_text_tells_of_stay():
    """As in a review of a year: few words of it, with prose below each."""
    told = "".join(
        f"<h2><a href=/the-mill-in-year-{n}>The mill in year {n}</a></h2>{paragraphs(n, n + 6)}"
        for n in (1, 7)
    )
    assert read(told).count("[The mill in year") == 2


CODE = "<pre><code>for stone in quarry:\n    mill.grind(stone)</code></pre>"
ROWS = "<tr><th>Mill</th><th>Sacks</th></tr><tr><td>Upper ford</td><td>1,240</td></tr>"
TITLE = "Table 1: sacks of rye ground in a year"
QUOTE = "<blockquote><p>We grind until the frost sets in.</p></blockquote>"


@pytest.mark.parametrize(
    ("piece", "told"),
    [
        (f"<figure class=highlight>{CODE}</figure>", "mill.grind"),
        (f"<figure class=highlight><table><tr><td>{CODE}</table></figure>", "mill.grind"),
        ("<figure><div><code>mill.grind(stone)</code></div></figure>", "mill.grind"),
        (f"<figure><figcaption>grind.py by name</figcaption>{CODE}</figure>", "grind.py"),
        (f"<figure class=wp-block-table><table>{ROWS}</table></figure>", "1,240"),
        (f"<figure><table>{ROWS}</table><figcaption>{TITLE}</figcaption></figure>", "Table 1"),
        (f"<figure><img src=f.png>{QUOTE}</figure>", "until the frost sets"),
        (f"<figure>{QUOTE}<figcaption>The miller of the ford</figcaption></figure>", "The miller"),
        ("<figure><p>Theorem of the mill: what is ground stays so.</p></figure>", "Theorem"),
        ("<div class=captions-settings><p>Captions can be set here.</p></div>", "Captions can"),
    ],
    ids=["code", "numbered", "line", "file", "table", "titled", "quote", "who", "prose", "named"],
)
def test_what_a_figure_shows_that_is_no_picture_stays(piece, told, monkeypatch):
    """As a library finds it: what belongs to a figure is left out of what it found."""
    page = f"{paragraphs(1, 6)}{piece}{paragraphs(6, 12)}"
    monkeypatch.setattr(extractor_choice, "_careful", lambda _: told_in(page))
    assert told in read(page)


@pytest.mark.parametrize(
    "piece",
    [
        f"<div class=image-caption><p>{CAPTION}</p></div>",
        f"<figure class=wp-caption><img src=w.png><p>{CAPTION}</p></figure>",
        f"<div class=photo><img src=w.png><p>{CAPTION}</p></div>",
        f"<figure><img src=w.png><figcaption>{CAPTION}</figcaption></figure>",
    ],
    ids=["name", "figure", "picture", "figcaption"],
)
def test_a_caption_that_a_library_takes_for_text_stays(piece, monkeypatch):
    content = paragraphs(1, 6) + piece + paragraphs(6, 12)
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    assert CAPTION in read(content)


def test_captions_stay_where_they_are_the_story():
    shots = "".join(
        f"<figure><img src={n}.png><figcaption>{prose(n)}</figcaption></figure>"
        for n in range(20, 26)
    )
    text = read(paragraphs(1, 6) + shots)
    assert prose(1) in text
    assert all(prose(number) in text for number in range(20, 26))


@pytest.mark.parametrize(
    "link",
    [
        "<a href=/dl/mill-plans-valley-2.1.tar.gz>Download the plans of the valley mill</a>",
        "<a href=/get/plans-of-the-mill.pdf>The plans of the mill as they were drawn</a>",
        "<a href=/download/plans-of-the-mill>Download all plans of the mill</a>",
        "<a href=/plans-of-the-mill download>All the plans of the mill</a>",
        "<a href=/order/plans>Order the plans of the mill here</a>",
        "<a href=https://example.org/plans-of-the-mill>The plans of the mill</a>",
        "Source: <a href=/plans-of-the-mill>The plans of the mill</a>",
        "Source: <a href=/src>The plans of the mill in the archive</a>",
        "<a name=p>The plans of the mill are in the archive</a>",
        "<a href='http://[mill'>The plans of the mill are in the archive</a>",
        "<a href=#plans-of-the-mill>The plans of the mill are below</a>",
    ],
)
def test_what_a_text_gives_stays(link, monkeypatch):
    """A file, what to do next, where it is from: as a library finds it."""
    content = f"{paragraphs(1, 6)}<p>{link}</p>{paragraphs(6, 12)}"
    monkeypatch.setattr(extractor_choice, "_careful", lambda _: told_in(content))
    assert "plans of the" in read(content)


def test_a_picture_of_a_file_stays():
    picture = "<p><a href=plans.pdf><img src=p.png alt='The plans of the mill'></a></p>"
    assert "The plans of the mill" in read(paragraphs(1, 6) + picture + paragraphs(6, 12))


def test_an_address_is_told_rather_than_a_further_text():
    address = "https://example.org/the-history/of-the-mill/at-the-ford"
    text = read(f"{paragraphs(1, 6)}<p><a href={address}>{address}</a></p>{paragraphs(6, 12)}")
    assert address in text


def test_a_picture_in_full_size_stays():
    picture = "<p><a href=wheel.jpg><img src=small.png alt='The old wheel'></a></p>"
    assert "The old wheel" in read(paragraphs(1, 6) + picture + paragraphs(6, 12))


def test_links_stay_where_they_are_most_of_the_text():
    links = "".join(
        f"<p><a href=/millers-earned/{n}>What the millers of village {n} earned in a dry year</a>"
        for n in range(30)
    )
    text = read(f"<h1>The mill at the ford</h1><p>{prose(1)}</p>{links}")
    assert text.count("earned in a dry year") == 30


def test_the_headline_comes_once():
    headline = "How the old mill was saved"
    content = f"<h1>{headline}</h1>{paragraphs(1, 4)}<h1>{headline}</h1>{paragraphs(4, 8)}"
    assert read(content).count(headline) == 1


@pytest.mark.parametrize("role", ["alertdialog", "dialog", "navigation", "tooltip"])
def test_what_has_the_role_of_a_dialog_or_a_menu_goes(role, monkeypatch):
    found = "\n".join((*map(prose, range(1, 9)), CAPTION))
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: found)
    piece = f"<div role={role}><p>{CAPTION}</p></div>"
    assert CAPTION not in read(paragraphs(1, 5) + piece + paragraphs(5, 9))
    assert CAPTION in read(paragraphs(1, 5) + piece.replace(role, "region") + paragraphs(5, 9))


@pytest.mark.parametrize("role", ["alert", "note", "status"])
def test_notes_and_warnings_stay(role):
    """As documentation has them in its text, in the classes of Bootstrap."""
    note = f'<h4 class="alert-heading">Note:</h4><p>{CAPTION}</p>'
    piece = f'<div class="alert alert-info" role={role}>{note}</div>'
    assert CAPTION in read(paragraphs(1, 9) + piece + paragraphs(9, 16))


def test_a_table_has_no_rows_without_words():
    """As of a calendar, or of what was left out of it."""
    days = "<tr><td></td><td>&nbsp;</td></tr>" * 6
    ground = "<tr><th>Year</th><th>Sacks</th></tr><tr><td>1871</td><td>902</td></tr>"
    text = read(f"{paragraphs(1, 9)}<table>{days}</table>{paragraphs(9, 12)}")
    assert "|" not in text
    text = read(f"{paragraphs(1, 9)}<table>{ground}{days}</table>{paragraphs(9, 12)}")
    assert text.count("\n|") == 3


LETTER = "Every Friday the county sends what there is to know of its mills. No more than that."


def test_where_letters_are_ordered_goes(monkeypatch):
    found = "\n".join((*map(prose, range(1, 9)), "The mills by mail", LETTER))
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: found)
    box = f"<div><h3>The mills by mail</h3><p>{LETTER}</p>"
    field = "<form><input type=email><button>Subscribe</button></form></div>"
    assert LETTER not in read(f"{paragraphs(1, 5)}{box}{field}{paragraphs(5, 9)}")
    assert LETTER in read(f"{paragraphs(1, 5)}{box}</div>{paragraphs(5, 9)}")


@pytest.mark.parametrize(
    "said",
    [
        "<h2>Ask the miller</h2><p>Call the mill or write, and we will tell what we have.</p>",
        "<h2>Ask the miller</h2><p>Call 555 0123, or sign up for what is new at the mill.</p>",
        "<p>Whoever types no address here is told so by the browser.</p>",
    ],
    ids=["contact", "both", "demo"],
)
def test_what_stands_beside_other_fields_for_an_address_stays(said, monkeypatch):
    content = (
        f"{paragraphs(1, 5)}<div>{said}<form><input type=email></form></div>{paragraphs(5, 9)}"
    )
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: told_in(content))
    text = read(content)
    assert all(line in text for line in told_in(said).splitlines())


def test_the_headline_stays_beside_a_field_for_an_address():
    header = f"<header><h1>The mill at the ford</h1><p>{LETTER}</p><input type=email></header>"
    assert LETTER in read(header + paragraphs(1, 9))


def test_teasers_above_the_headline_go():
    teaser = f"<ul><li>{prose(1)[:90]}...</ul>"
    text = read(f"{teaser}<h2>The mill at the ford</h2>{paragraphs(1, 12)}")
    assert "..." not in text


def test_a_lead_above_the_headline_stays():
    lead = "The council voted on Monday to have the wheel of the mill mended."
    content = f"<p class=lead>{lead}</p><div>1 May 1898</div><h1>The mill at the ford</h1>"
    text = read(content + paragraphs(1, 12))
    assert lead in text
    assert "1898" not in text


ABOUT = [
    ("cookie-recipe", "Cookies of the mill"),
    ("privacy", "Your privacy at the ford"),
    ("author-life", "Ada, author at the mill"),
    ("register-office", "The register of the ford"),
]


@pytest.mark.parametrize(("name", "title"), ABOUT, ids=[name for name, _ in ABOUT])
def test_parts_that_are_named_after_what_the_page_is_about_stay(name, title):
    part = f"<div class={name}><p>{prose(70)}</p></div>"
    page = f"<title>{{}}</title><article><h1>The mill</h1>{part}{paragraphs(1, 9)}</article>"
    assert prose(70) in read_page(page.format(title), URL).text
    assert prose(70) not in read_page(page.format("The mill"), URL).text


def test_headings_stay_whatever_they_are_linked_to_by():
    headed = "".join(
        f"<h2 id={name}>{name.title()} at the mill</h2>{paragraphs(number, number + 3)}"
        for number, name in enumerate(("social", "privacy", "login"), 1)
    )
    text = read(f"<h1>The mill at the ford</h1>{headed}")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Social at the mill",
        "## Privacy at the mill",
        "## Login at the mill",
    ]


@pytest.mark.parametrize("name", ["bio", "accordion__dropdown", "author-{}"])
def test_parts_that_are_all_named_alike_are_the_text(name):
    people = "".join(
        f"<div class='{name.format(number)}'><p>{prose(number)}</p></div>" for number in range(9)
    )
    text = read(f"<h1>The mill at the ford</h1>{paragraphs(20, 24)}{people}")
    assert all(prose(number) in text for number in range(9))


@pytest.mark.parametrize("name", ["messenger", "credits", "credit-history"])
def test_what_a_text_is_about_stays_whatever_its_name(name):
    piece = f"<div class={name}><p>{prose(99)}</p><p>Wheel by Ada Miller</p></div>"
    text = read(paragraphs(1, 6) + piece + paragraphs(6, 12))
    assert prose(99) in text
    assert "Ada Miller" in text


@pytest.mark.parametrize(
    "piece",
    [
        "<h3><a href=/what-millers-earn>Millers unite in the lower valley</a></h3>",
        f"<aside><p>{CAPTION}</p></aside>",
        f"<div class=entry-share><p>{CAPTION}</p></div>",
        "<h4>Mills:</h4><h3><a href=/tag/the>The</a></h3>",
    ],
    ids=["teaser", "aside", "share", "topic"],
)
def test_what_stands_between_the_headline_and_the_text_goes(piece, monkeypatch):
    """The main text begins below it, as a library finds it."""
    found = "\n".join(map(prose, range(1, 9)))
    monkeypatch.setattr(extractor_choice, "_careful", lambda page: found)
    text = read(f"<h1>The mill at the ford</h1>{piece}<p>By us</p>{paragraphs(1, 9)}")
    assert text.startswith(f"# The mill at the ford\n\n{prose(1)}")


def test_a_sentence_under_the_headline_comes_once():
    lead = f"<p>{prose(77)}</p>"
    content = f"<h1>The mill at the ford</h1>{lead}<div class=by>By us</div>{lead}"
    assert read(content + paragraphs(1, 9)).count(prose(77)) == 1
