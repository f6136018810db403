"""Pruning of a page whose main text is known: headings, lists, tables and headline stay."""

import sys

import pytest
from lxml import html

from strap_http.extraction import mainpart
from strap_http.extraction.inside import CONTROLS
from strap_http.extraction.markdown import convert
from strap_http.extraction.pages import read_page
from strap_http.extraction.pruning import prune
from strap_http.extraction.repeated_blocks import fill_alike
from strap_http.extraction.shingles import Shingles, words
from strap_http.extraction.text_blocks import collect

URL = "https://example.com/"
MORE = " ".join(f"word{number}" for number in range(100))
"""Makes a main text long enough for an article."""
FIRST = "The mill at the upper ford ground rye for the whole valley until the flood."
SECOND = "In the years after it the stones were moved to the new mill beside the bridge."
THIRD = "What is left of the wheel can be seen behind the church on the first of May."


def pruned(body, *main, title="", described=""):
    """The Markdown of `body` of which libraries found the lines `main`."""
    element = html.fragment_fromstring(body, create_parent="body")
    prune(collect(element)[0], Shingles("\n".join(main)), words(title), Shingles(described), URL)
    return convert(html.tostring(element, encoding="unicode"), URL)


def test_a_heading_that_the_main_text_has_stays_whatever_follows():
    body = f"<p>{FIRST}</p><h2>Wheels</h2><aside class=promo>Our letter, it is free</aside>"
    body += f"<p>{SECOND}</p>"
    assert pruned(body, FIRST, "Wheels", SECOND) == f"{FIRST}\n\n## Wheels\n\n{SECOND}"
    assert "Wheels" not in pruned(body, FIRST, SECOND)


def test_a_heading_of_a_section_without_text_goes():
    body = f"<p>{FIRST}</p><h3>Share</h3><h3>Stones</h3><h4>New</h4><p>2 May</p><p>{SECOND}</p>"
    assert pruned(body, FIRST, SECOND) == f"{FIRST}\n\n### Stones\n\n#### New\n\n{SECOND}"


def test_a_table_of_contents_goes():
    contents = "".join(
        f"<li><a href='#{name}'>{name} of the old mill</a></li>" for name in ("Wheels", "Stones")
    )
    body = (
        f"<p>{FIRST}</p><h2>Wheels of the old mill</h2><p>{SECOND}</p>"
        f"<h2>Stones of the old mill</h2><p>{THIRD}</p><h5>Contents</h5><ul>{contents}</ul>"
    )
    lines = (FIRST, "Wheels of the old mill", SECOND, "Stones of the old mill", THIRD)
    text = pruned(body, *lines)
    assert text.count("of the old mill") == 2
    assert "Contents" not in text


LINKS = "<ul><li><a href=/u>Upper mill</a></li><li><a href=/l>Lower mill</a></li></ul>"
SHOWN = "- [Upper mill](https://example.com/u)\n- [Lower mill](https://example.com/l)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"<p>{FIRST} There were these:</p>", f"<p>{THIRD}</p>"),
        (f"<p>{FIRST}</p><h2>Names</h2>", f"<p>{THIRD}</p>"),
        (f"<p>{FIRST}</p>", f"<h2>Names</h2><p>{THIRD}</p>"),
    ],
    ids=["announced", "headed", "ending"],
)
def test_lists_of_links_that_belong_to_the_text_stay(before, after):
    main = (FIRST, "There were these:", "Names", THIRD)
    assert SHOWN in pruned(f"<p>{SECOND}</p>{before}{LINKS}{after}", SECOND, *main)


@pytest.mark.parametrize("links", [LINKS, f"<aside><div>{LINKS}</div></aside>"])
def test_other_lists_of_links_go(links):
    text = pruned(f"<div><p>{FIRST}</p>{links}<p>{SECOND}</p></div>", FIRST, SECOND, MORE)
    assert "mill](" not in text.replace(SECOND, "")


def test_a_menu_that_names_the_page_goes():
    menu = LINKS.replace("<ul>", "<ul><li><a href=/m>The mill at the ford</a></li>")
    body = f"<div>{menu}<h1>The mill at the ford, 1898</h1><p>{FIRST}</p><p>{SECOND}</p></div>"
    text = pruned(body, "The mill at the ford, 1898", FIRST, SECOND, MORE)
    assert "Upper mill" not in text


def test_captions_that_the_text_has_not_go():
    shown = f"<figure><img src=m.png alt=Mill><figcaption>{THIRD}</figcaption></figure>"
    body = f"<div><p>{FIRST}</p>{shown}<p>{SECOND}</p></div>"
    assert THIRD not in pruned(body, FIRST, SECOND)
    assert THIRD in pruned(body, FIRST, THIRD, SECOND)


def test_where_there_is_little_text_it_is_about_the_links():
    assert pruned(f"<main><p>{FIRST}</p>{LINKS}</main>", FIRST) == f"{FIRST}\n\n{SHOWN}"
    body = f"<main><p>{FIRST}</p></main><div>{LINKS}</div>"
    assert SHOWN not in pruned(body, FIRST)
    assert SHOWN not in pruned(f"<main><p>{FIRST}</p>{LINKS}</main>", FIRST, MORE)


def test_a_table_has_no_holes():
    rows = "".join(
        f"<tr><td>Mill number {n} of the valley<td>none known<td>{n} sacks in a year</tr>"
        for n in range(5)
    )
    main = "\n".join(f"Mill number {n} of the valley {n} sacks in a year" for n in range(5))
    text = pruned(f"<p>{FIRST}</p><table>{rows}</table><p>{SECOND}</p>", FIRST, main, SECOND)
    assert text.count("none known") == 5


STANDFIRST = "A visit to a place where nothing has changed in one hundred years."


def test_the_headline_and_what_stands_under_it_stay():
    dates = "<p>Updated 19 May, 6:55 AM | Posted 18 May, 9:04 PM by Ada Miller</p>"
    body = f"<h1>A day in May</h1>{dates}<p>{STANDFIRST}</p><p>{FIRST}</p><p>{SECOND}</p>"
    expected = f"# A day in May\n\n{STANDFIRST}\n\n{FIRST}\n\n{SECOND}"
    assert pruned(body, FIRST, SECOND) == expected


DESCRIBED = "Ten men and one wheel: what the rye of the valley is ground by"


@pytest.mark.parametrize(
    ("standfirst", "described", "found"),
    [
        (f"<p>{STANDFIRST}</p>", "", ("A day in May",)),  # the headline alone was found
        (f"<h2>{STANDFIRST}</h2>", "", ()),
        (f"<p>{DESCRIBED}</p>", DESCRIBED, ()),  # no full stop
        (
            f"<p>{DESCRIBED} <a href=/m>wheel</a></p>{'<div>2 May</div>' * 20}",
            DESCRIBED,
            ("A day in May",),
        ),
    ],
)
def test_a_standfirst_stays_wherever_it_can_be_told(standfirst, described, found):
    body = f"<h1>A day in May</h1>{standfirst}<p>{FIRST}</p><p>{SECOND}</p>"
    text = pruned(body, *found, FIRST, SECOND, described=described)
    assert (DESCRIBED if described else STANDFIRST) in text
    assert "2 May" not in text


def test_what_is_described_elsewhere_is_no_standfirst():
    body = f"<h1>A day in May</h1><p>{DESCRIBED}</p><p>{FIRST}</p><p>{SECOND}</p>"
    assert DESCRIBED not in pruned(body, FIRST, SECOND)
    beside = f"<h1>A day in May</h1><aside><p>{DESCRIBED}</p></aside><p>{FIRST}</p>"
    assert DESCRIBED not in pruned(beside, FIRST, described=DESCRIBED)
    below = f"<h1>A day in May</h1><p>{FIRST}</p><p>{DESCRIBED}</p>"
    assert DESCRIBED not in pruned(below, FIRST, described=DESCRIBED)


def test_the_description_of_a_page_tells_its_standfirst():
    graph = f'<meta property="og:description" content="{DESCRIBED}">'
    head = f"<meta name=description content=' '>{graph}"
    body = f"<h1>A day in May</h1><p>{DESCRIBED}</p>" + f"<p>{FIRST} {SECOND} {THIRD}</p>" * 2
    page = f"<head>{head}</head><body><article>{body}</article></body>"
    assert read_page(page, URL).text.count(DESCRIBED) == 1


def test_the_heading_with_the_words_of_the_title_is_the_headline():
    menu = "".join(f"<div>Part {n}</div>" for n in range(20))
    body = f"<h1>The Paper</h1><h2>A day in May</h2>{menu}<p>{STANDFIRST}</p><p>{FIRST}</p>"
    text = pruned(body, FIRST, title="A day in May - The Paper")
    assert text == f"## A day in May\n\n{FIRST}"
    assert pruned(body, FIRST, title="Mills") == FIRST


def test_the_name_of_the_site_is_no_headline():
    body = f"<h1>The Book of Mills</h1><h1>Wheels</h1><p>{FIRST}</p>"
    assert pruned(body, FIRST, "Wheels", title="Wheels - The Book of Mills").startswith("# Wheels")
    body = f"<h2>The Book of Mills</h2><p>Press a key to go to it</p><p>{FIRST}</p>"
    text = pruned(body, FIRST, title="On - The Book of Mills")
    assert text == FIRST


def test_rules_with_nothing_below_them_go():
    page = "".join(f"<p>{text}</p>" for text in (FIRST, SECOND, THIRD))
    rules = "<hr><div><hr></div>"
    text = read_page(f"<body><main>{page}{rules}<p>{FIRST} Then</p>{rules}</main>", URL).text
    assert text.count("---") == 1
    assert text.endswith("Then")


def test_a_teaser_that_repeats_a_paragraph_goes():
    body = f"<p>{FIRST}</p><p>{SECOND}</p><p>{FIRST}</p><p>{THIRD}</p>"
    assert pruned(body, FIRST, SECOND, THIRD) == f"{FIRST}\n\n{SECOND}\n\n{THIRD}"
    twice = pruned(body, FIRST, SECOND, FIRST, THIRD)
    assert twice.count(FIRST) == 2


def test_pictures_in_lists_that_go_go_as_well():
    said = "".join(
        f"<li><img src={n}.png alt='Face of reader {n}'><a href=/{n}>Reader {n}</a> Fine</li>"
        for n in range(30)
    )
    text = pruned(f"<p>{FIRST}</p><ol>{said}</ol><p>{SECOND}</p>", FIRST, SECOND, MORE)
    assert "Face" not in text
    assert "Fine" not in text


def test_a_list_stays_where_the_text_has_some_of_it():
    items = [
        "Flour of the first sort, white and fine",
        "Bran for the <a href=/p>pigs</a> of the inn",
        "Middlings",
    ]
    body = f"<p>{FIRST}</p><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul><p>{SECOND}</p>"
    text = pruned(body, FIRST * 5, items[0], SECOND * 5)
    assert "white and fine" in text
    assert "- Middlings" in text
    assert "Bran" in text
    assert "Middlings" in pruned(body, FIRST * 5, SECOND * 5)


@pytest.mark.parametrize(
    "name", ["post-newsletter", "AuthorBio", "related_links", "comment-respond"]
)
def test_a_small_element_that_is_named_as_something_else_goes(name):
    body = f"<p>{FIRST}</p><p>{MORE}</p><div class='{name}'><p>{SECOND}</p></div><p>{THIRD}</p>"
    assert pruned(body, FIRST, MORE, SECOND, THIRD) == f"{FIRST}\n\n{MORE}\n\n{THIRD}"


def test_a_large_element_stays_whatever_its_name():
    body = f"<div id=related><p>{FIRST}</p><p>{SECOND}</p></div><p>{THIRD}</p>"
    assert pruned(body, FIRST, SECOND, THIRD) == f"{FIRST}\n\n{SECOND}\n\n{THIRD}"


def test_a_list_that_repeats_goes_and_so_does_a_copy_in_one_piece():
    parts = [f"{FIRST} {n} {SECOND} {THIRD}" for n in range(6)]
    shown = "".join(f"<p>{part}</p>" for part in parts)
    copy = f"<div>{' '.join(parts)}</div>"
    said = "Flour of the first sort, white and fine, was sold at the door on every day of May"
    items = f"<ul><li>{said}</li></ul>"
    text = pruned(f"{shown}{copy}{items}{items}", *parts, said)
    assert [text.count(f"{n} In the years") for n in range(6)] == [1] * 6
    assert text.count("- Flour") == 1


TOLD = ("Stones of a hard and even grain", "Wheels with buckets of oak", "Sacks for rye and wheat")


@pytest.mark.parametrize(
    ("entries", "stays"),
    [
        (TOLD, True),
        ([f"<a href=/{n}>{entry}</a>" for n, entry in enumerate(TOLD)], False),
        ([f"<p>Ada Miller</p><p>{entry}</p>" for entry in TOLD], True),
    ],
    ids=["lines", "links", "posts"],
)
def test_a_list_of_lines_in_the_text_stays_though_the_text_has_nothing_of_it(entries, stays):
    shown = "".join(f"<li>{entry}</li>" for entry in entries)
    body = f"<p>{FIRST}</p><ul>{shown}</ul><p>{SECOND}</p>"
    text = pruned(body, FIRST, SECOND, MORE)
    told = [word for word in ("Stones", "Wheels", "Sacks", "1898") if word in text]
    assert told == (["Stones", "Wheels", "Sacks"] if stays else [])


BRIEF = "When the water of the ford is high"


def test_a_list_of_lines_in_an_aside_with_a_control_goes():
    offers = (
        "All that is told of mills",
        "The paper as it is printed",
        "Four weeks of it for free",
    )
    gate = f"<ul>{''.join(f'<li>{offer}</li>' for offer in offers)}</ul>"
    page = f"<main><p>{FIRST}</p>{{}}<p>{SECOND}</p></main>".format
    assert "- Four weeks" in pruned(page(gate), FIRST, SECOND)
    offer = f"<aside><h3>Read on</h3>{gate}<button>Order</button></aside>"
    root = html.fragment_fromstring(page(offer), create_parent="body")
    root.find(".//button").getparent().set(CONTROLS, "")
    prune(collect(root)[0], Shingles(f"{FIRST}\n{SECOND}"), [], Shingles(""), URL)
    assert "Four" not in root.text_content()


def test_records_of_which_the_text_has_some_titles_have_all_of_them():
    def shown(tag):
        titles = [f"Visit {n} of {n} millers from {n}" for n in range(6)]
        said = "".join(
            f"<li><{tag}><a href=/{n}>{title}</a></{tag}><p>{BRIEF}</p></li>"
            for n, title in enumerate(titles)
        )
        return pruned(f"<p>{FIRST}</p><ul>{said}</ul><p>{SECOND}</p>", FIRST, *titles[:3], SECOND)

    assert shown("h3").count("### [Visit") == 6
    assert shown("div").count("[Visit") == 3


def test_rows_have_the_short_names_of_what_is_said_of_them():
    """A list of books of which the libraries found the ratings, and the long titles."""
    long = ["The Mill on the Upper Ford", "A Year Beside the Old Bridge", "Behind the Old Church"]
    titles = [long[0], "Rye", long[1], "What Was Left", long[2]]
    stars = "".join(f"<a href=#>{star} stars of at most 5</a> " for star in range(1, 6))
    rows = "".join(
        f"<tr><td>{n}</td><td><a href=/b/{n}>{title}</a> by <div class=authorName><a href=/a/{n}>"
        f"Ann {n}</a></div><div>{n} average of {n}2 ratings</div></td><td><div>Rate this book</div>"
        f"<div>{stars}</div></td></tr>"
        for n, title in enumerate(titles, 1)
    )
    body = f"<p>{FIRST}</p><table>{rows}</table><p>{SECOND}</p>"
    found = [f"{n} average of {n}2 ratings" for n in range(1, 6)]
    text = pruned(body, FIRST, *long, *found, SECOND, MORE)
    assert all(f"[{title}](https://example.com/b/{n})" in text for n, title in enumerate(titles, 1))
    assert all(f"[Ann {n}]" in text for n in range(1, 6))
    assert "stars" not in text
    assert "Rate this" not in text


def test_a_cell_that_leads_to_a_section_stays_in_its_row():
    rows = "".join(
        f"<tr><td><a href=#m{n}>Mill of {name}</a><td>{n} sacks<td>{n} stones</tr>"
        for n, name in enumerate(("Upperford", "Lowerford"))
    )
    body = f"<p>{FIRST}</p><table>{rows}</table><h2>Mill of Upperford</h2><p>{SECOND}</p>"
    text = pruned(body, FIRST, "Mill of Upperford", SECOND)
    assert "[Mill of Upperford](https://example.com/#m0) | 0 sacks" in text


def test_posts_have_the_names_of_those_who_wrote_them():
    about = "<ul><li><p>Member since the year of the flood</p><li><p>2 posts</p></ul>"

    def shown(*texts):
        posts = "".join(
            f"<article><h3>Miller {n}</h3><h3>Miller {n}</h3>{about}<p>{text}</p></article>"
            for n, text in enumerate(texts)
        )
        return pruned(posts, *texts).count("### Miller")

    assert shown(FIRST, SECOND, THIRD) == 3
    assert shown(FIRST, SECOND) == 1


def code_of(*lines):
    """The code of a page that has it in these lines."""
    shown = "".join(f"<div>{line}</div>" for line in lines)
    text = f"<p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p>"
    page = f"<body><main>{text}<pre>{shown}</pre><p>{MORE}</p></main>"
    return read_page(page, URL).text.split("```")[1].strip()


def test_code_comes_without_the_numbers_of_its_lines():
    lines = [f"grind(sacks[{n}], stones[{n}], wheels[{n}], water)" for n in range(4)]
    numbered = [f"<i>{n}</i><b>{line}</b>" for n, line in enumerate(lines, 1)]
    assert code_of(*numbered) == "\n".join(lines)


def test_code_that_begins_with_numbers_keeps_them():
    doubled = [f"<i>{2 * n}</i><b> sacks of rye from mill {n} of the valley</b>" for n in range(4)]
    assert code_of(*doubled).startswith("0 sacks of rye")
    in_a_line = "grind(sacks=[<i>1</i>, <i>2</i>, <i>3</i>], stones=stones, wheels=wheels)"
    assert "[1, 2, 3]" in code_of(in_a_line)


def test_items_that_are_done_or_to_be_done_say_so():
    boxes = [
        "<li><input type=checkbox disabled checked> The stones of the mill are dressed anew.",
        "<li><label><input TYPE=Checkbox></label> The wheel is to be turned by hand once.",
        "<li><input type=checkbox id=u><label for=u>What the miller unfolds at a click.</label>",
    ]
    text = f"<p>{FIRST}</p><p>{SECOND}</p><ul>{''.join(boxes)}</ul><p>{THIRD}</p>"
    left_out = "<ul><li><input type=checkbox> <a href=/a>Rye</a><li><a href=/b>Oats</a></ul>"
    left_out += "<ul><li><form><input type=checkbox> Remember me</form></ul>"
    page = f"<body>{left_out}<main>{text}<p>{MORE}</p></main>{left_out}"
    read = read_page(page, URL).text
    assert "- [x] The stones of the mill are dressed anew." in read
    assert "- [ ] The wheel is to be turned" in read
    assert "- What the miller unfolds" in read
    assert read.count("[ ]") == 1


def test_an_item_with_many_ticks_is_looked_into_once(monkeypatch):
    asked = []
    monkeypatch.setattr(mainpart, "_is_hollow", lambda item: asked.append(item) or True)
    ticks = "<input type=checkbox>" * 50
    page = f"<body><article><p>{FIRST}<p>{SECOND}<p>{THIRD}<ul><li>{ticks}</ul></article>"
    part = mainpart.of_article(page, URL, "")
    assert part is not None
    assert "<input" not in part.html
    assert len(asked) == 1


def post(name, text):
    return f"<article><h4><a href=/{name}>{name}</a></h4><div class=said>{text}</div></article>"


POSTS = [f"The sack number {number} that I had ground was heavy." for number in range(6)]


def test_a_post_that_a_library_left_out_stays_among_the_others():
    body = "".join(post(f"Miller{number}", text) for number, text in enumerate(POSTS))
    text = pruned(f"<main>{body}</main>", POSTS[0], POSTS[1], POSTS[4], POSTS[5])
    assert [text.count(said) for said in POSTS] == [1] * 6
    assert [f"#### [Miller{number}]" in text for number in range(6)] == [True] * 6


def test_most_posts_of_many_may_have_been_left_out():
    body = "".join(post(f"Miller{number}", text) for number, text in enumerate(POSTS * 2))
    text = pruned(f"<main>{body}</main>", POSTS[0], POSTS[1], POSTS[5])
    assert [text.count(said) for said in POSTS] == [1] * 6


def test_a_paragraph_that_is_made_like_the_others_stays():
    others = f"<p>{FIRST}</p><p>{SECOND}</p><p>Why?</p><p>So it was.</p><p>{THIRD}</p>"
    body = f"<div>{others}</div><p class=small>Ground by hand since then.</p><p>{POSTS[0]}</p>"
    text = pruned(body, FIRST, SECOND, THIRD, POSTS[0])
    assert "Why?" in text
    assert "So it was." in text
    assert "by hand" not in text


@pytest.mark.parametrize(
    "other",
    [
        "<p><a href=/o>Read of other mills</a></p>",  # leads on
        f"<p>{POSTS[1]}</p>",  # said already
    ],
)
def test_what_only_stands_among_paragraphs_goes(other):
    body = f"<p>{FIRST}</p><p>{POSTS[1]}</p><p>{SECOND}</p>{other}<p>{THIRD}</p>"
    text = pruned(f"<div>{body}</div>", FIRST, POSTS[1], SECOND, THIRD)
    assert "other mills" not in text
    assert text.count(POSTS[1]) == 1


def cards(titles):
    said = (
        f"<div class=title>{title}</div><p>{text}</p>"
        for title, text in zip(titles, POSTS, strict=True)
    )
    return pruned("".join(f"<div class=card>{card}</div>" for card in said), *POSTS)


def test_the_titles_of_cards_stay():
    text = cards([f"How sack number {number} came to us" for number in range(6)])
    assert [text.count(f"number {number} came") for number in range(6)] == [1] * 6


@pytest.mark.parametrize(
    "titles",
    [
        [f"1{number} May 2024" for number in range(6)],
        ["All that was ground here"] * 6,
    ],
)
def test_what_stands_above_texts_and_does_not_tell_them_apart_goes(titles):
    text = cards(titles)
    assert text == "\n\n".join(POSTS)


def steps(work):
    """How many instructions of Python are run for it: a measure that no busy machine changes."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_what_is_made_alike_takes_as_long_as_the_page_is():
    def work(kinds):
        made = (f"{chr(97 + kind // 26)}{chr(97 + kind % 26)}" for kind in range(kinds))
        body = "".join(f"<p class={make}>{FIRST} {at}" for make in made for at in range(3))
        runs = collect(html.fragment_fromstring(body, create_parent="body"))[0]
        for run in runs:
            run.is_main = True
        return steps(lambda: fill_alike(runs))

    assert work(400) < 5 * work(100)
